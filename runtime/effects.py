"""What a statement does beside giving values, and what follows from it: whether it may go, or trade places.

Everything is read from accesses, and from what classes say of themselves in `INFO`: no instruction is known by name.
A loop, and an instruction with regions, does what its statements do.

Deliberately absent: telling apart accesses to different elements of one tensor. Run-time addresses move accesses, so
two that reach the same tensor are taken to reach the same elements. Absent, too, is what an analysis of the whole
program would know, such as a store that a later one overwrites.
"""

from __future__ import annotations

from dataclasses import dataclass

from runtime.access import NeuronAP
from runtime.blocks import Block, Statement
from runtime.instructions import Instruction
from runtime.tensors import Tensor
from runtime.values import Operand, Value


@dataclass(frozen=True, slots=True)
class Effects:
    """What one run of a statement does."""

    reads: tuple[NeuronAP, ...] = ()
    writes: tuple[NeuronAP, ...] = ()  # an access that does both stands in both
    has_side_effects: bool = False  # it is missed, although nobody uses what it gives
    is_barrier: bool = False  # nothing is moved over it
    is_terminator: bool = False  # it ends a block

    @property
    def is_pure(self) -> bool:
        """Whether it only gives values, which follow from its operands."""
        return not (self.reads or self.writes or self.has_side_effects or self.is_barrier or self.is_terminator)


def effects_of(statement: Statement) -> Effects:
    """Return what a statement does, with all that stands in it."""
    insts = [statement] if isinstance(statement, Instruction) else []
    for block in statement.blocks:
        insts += block.walk()
    accesses = [access for inst in insts for access in _accesses(inst)]
    capabilities = frozenset[str]().union(*(inst.INFO.capabilities for inst in insts))
    return Effects(
        tuple(access for access in accesses if access.mode.is_load),
        tuple(access for access in accesses if access.mode.is_store),
        "side_effects" in capabilities,
        "is_barrier" in capabilities,
        isinstance(statement, Instruction) and statement.is_terminator,
    )


def _accesses(inst: Instruction) -> list[NeuronAP]:
    accesses = [operand for operand in inst.operands() if isinstance(operand, NeuronAP)]
    return accesses if inst.dst is None else [*accesses, inst.dst]


def why_not_erase(inst: Instruction) -> str | None:
    """Return why an instruction would be missed, or None.

    What is written to a tensor is missed where the tensor is one of the program's own, or anybody else reads it.
    """
    if any(result.has_users for result in inst.results):
        return "its result is used"
    effects = effects_of(inst)
    if effects.is_terminator:
        return "it ends a block"
    if effects.is_barrier:
        return "it is a barrier"
    if effects.has_side_effects:
        return "it has side effects"
    for access in effects.writes:
        tensor = access.tensor
        if tensor.isInput or tensor.isOutput:
            return f"it writes %{tensor.name}, which is known outside of the function"
        if any(load.owner is not inst for load in tensor.loads):
            return f"it writes %{tensor.name}, which is read"
    return None


def may_erase(inst: Instruction) -> bool:
    """Whether the program does the same without an instruction."""
    return why_not_erase(inst) is None


def why_not_swap(first: Statement, second: Statement) -> str | None:
    """Return why two statements, the first right in front of the second in one block, may not trade places, or None."""
    assert first.next is second, f"{second!r} does not stand right behind {first!r}"
    if set(first.results).intersection(_values_used(second)):
        return "the second uses what the first gives"
    one, other = effects_of(first), effects_of(second)
    if one.is_terminator or other.is_terminator:
        return "one of them ends the block"
    if one.is_barrier or other.is_barrier:
        return "one of them is a barrier"
    if one.has_side_effects and other.has_side_effects:
        return "both have side effects"
    for earlier, later, what in (
        (one.writes, other.reads, "the second reads %{}, which the first writes"),
        (one.reads, other.writes, "the second writes %{}, which the first reads"),
        (one.writes, other.writes, "both write %{}"),
    ):
        shared = _tensors(earlier).intersection(_tensors(later))
        if shared:
            return what.format(min(tensor.name or "?" for tensor in shared))
    return None


def may_swap(first: Statement, second: Statement) -> bool:
    """Whether the program does the same where two statements next to each other trade places."""
    return why_not_swap(first, second) is None


def _tensors(accesses: tuple[NeuronAP, ...]) -> set[Tensor]:
    return {access.tensor for access in accesses}


def _values_used(statement: Statement) -> set[Value]:
    """Return the SSA values that a statement, and what stands in it, uses."""
    used: list[Operand] = [*statement.operands()] if isinstance(statement, Instruction) else []
    for block in statement.blocks:
        used += _operands_in(block)
    return {operand for operand in used if isinstance(operand, Value)}


def _operands_in(block: Block) -> list[Operand]:
    return [operand for inst in block.walk() for operand in inst.operands()]
