"""What a function is there for: the statements whose absence somebody would notice.

The roots are noticed by themselves:
- what ends the function, and barriers;
- what has side effects, and what nothing is known of: no kind of operation, or an operator without facts;
- inputs that are instructions: they belong to the interface, used or not;
- stores to input and output tensors;
- what stands between two dependency edges: without it, what comes before it need not come before what comes after it.

Whatever a live statement needs is live: what gives its operands; every store to a tensor that it reads; the statements
around it, with the ends of their regions, and so what these hand out. All else is dead, however dead statements use
each other: a tensor that is only read to be written again, a loop with nothing live in it.

Deliberately absent: which elements a store writes, and whether a later one overwrites them; values that a region hands
out and nobody uses, while the instruction that holds it is live; whether a dead loop would have ended, or a dead
instruction would have failed when it runs.
"""

from __future__ import annotations

from passes.precision.facts_of import facts_of
from runtime.access import NeuronAP
from runtime.blocks import Statement
from runtime.functions import Function
from runtime.generic import OnnxNode
from runtime.instructions import Instruction
from runtime.tensors import Tensor
from runtime.values import BlockArgument, Operand, Result


def live_statements(function: Function) -> set[Statement]:
    """Return the statements that are live; O(statements and uses)."""
    marking = _Marking()
    for inst in function.insts:
        if why_root(inst, function) is not None:
            marking.add(inst)
    return marking.run()


def why_root(inst: Instruction, function: Function) -> str | None:
    """Return why an instruction would be missed by itself, or None."""
    if inst.is_terminator:  # that of a region is needed by what holds the region
        return "it ends the function" if inst.parent is function.body else None
    info = inst.INFO
    if info.capabilities:
        if "is_barrier" in info.capabilities:
            return "it is a barrier"
        if "side_effects" in info.capabilities:
            return "it has side effects"
    if _is_unknown(inst, function):
        return f"nothing is known of {inst.label if isinstance(inst, OnnxNode) else info.mnemonic}"
    if info.op_kind == "boundary" and info.dst is None and not any(each.type == "tensor" for each in info.attributes):
        return "it is an input of the program"
    for access in _accesses(inst):
        if access.mode.is_store and access.tensor.isInputOrOutput:
            return f"it writes %{access.tensor.name}, which is known outside of the function"
    if inst.extras is not None and inst.dependencies and inst.dependents:
        return "dependency edges lead to it and from it"
    return None


def _is_unknown(inst: Instruction, function: Function) -> bool:
    if isinstance(inst, OnnxNode):
        return facts_of(inst, function.operator_sets) is None
    return inst.INFO.op_kind is None


def _accesses(inst: Instruction) -> list[NeuronAP]:
    found = [operand for operand in inst.operands() if isinstance(operand, NeuronAP)]
    return found if inst.dst is None else [*found, inst.dst]


class _Marking:
    """The worklist: each statement, and each tensor, is looked at once."""

    def __init__(self) -> None:
        self._live: set[Statement] = set()
        self._read: set[Tensor] = set()
        self._work: list[Statement] = []

    def add(self, statement: Statement) -> None:
        if statement not in self._live:
            self._live.add(statement)
            self._work.append(statement)

    def run(self) -> set[Statement]:
        while self._work:
            statement = self._work.pop()
            owner = None if statement.parent is None else statement.parent.owner
            if isinstance(owner, Statement):
                self.add(owner)
            if not isinstance(statement, Instruction):
                continue
            for operand in statement.operands():
                self._need(operand)
            if statement.dst is not None:
                self._need(statement.dst)
            for block in statement.blocks:
                if block.last is not None:
                    self.add(block.last)
        return self._live

    def _need(self, operand: Operand) -> None:
        if isinstance(operand, NeuronAP):
            tensor = operand.tensor
            if operand.mode.is_load and tensor not in self._read:
                self._read.add(tensor)
                for access in tensor.stores:
                    assert access.owner is not None, f"{access!r} is in no slot"
                    self.add(access.owner)
        elif isinstance(operand, Instruction):
            self.add(operand)
        elif isinstance(operand, Result):
            self.add(operand.owner)
        elif isinstance(operand, BlockArgument) and isinstance(operand.block.owner, Statement):
            self.add(operand.block.owner)
