"""How values pass between a node and its regions: what goes in, what is carried from one round to the next, what comes
out.

    %r = Loop %m, %c, %init { (%i, %ok, %state) ... yield %ok2, %next, %each }

Here %init and %next become %state and the first result: one gate, through which all have one type. %each becomes the
second result: another gate.

Deliberately absent: operators. Which of the three kinds one is stands in its facts (`regions`); of any other,
everything that goes in may come out anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runtime.blocks import Block
from runtime.generic import OnnxNode
from runtime.instructions import Instruction
from runtime.precision_facts import PrecisionFacts
from runtime.values import Operand, Value


@dataclass(frozen=True, eq=False)
class Gate:
    """Slots whose values become the targets."""

    inst: OnnxNode
    slots: tuple[tuple[Instruction, int], ...]  # of the node, or of what ends a region
    targets: tuple[Value, ...]  # results of the node, arguments of a region
    is_known: bool = True  # False: which slot becomes which target is not known

    @property
    def sources(self) -> tuple[Operand, ...]:
        """What the slots hold."""
        return tuple([value for inst, at in self.slots if (value := value_at(inst, at)) is not None])


def gates_of(inst: OnnxNode, facts: PrecisionFacts | None) -> list[Gate]:
    """Return the gates of a node with regions."""
    kind = None if facts is None else facts.regions
    ends = [block.terminator for block in inst.blocks]
    if kind is not None and None not in ends:
        try:
            return _GATES[kind](inst)
        except (IndexError, KeyError, TypeError, ValueError):  # a malformed node
            pass
    slots: list[tuple[Instruction, int]] = [(inst, at) for at in range(len(inst.values))]
    slots += [(end, at) for end in ends if end is not None for at in range(len(end.operands()))]
    arguments = [argument for block in inst.blocks for argument in block.arguments]
    return [Gate(inst, tuple(slots), (*arguments, *inst.results), is_known=False)]


def value_at(inst: Instruction, slot: int) -> Operand | None:
    """Return what a slot of a node, or of what ends a region, holds."""
    return inst.values[slot] if isinstance(inst, OnnxNode) else inst.operands()[slot]


def _branches(inst: OnnxNode) -> list[Gate]:
    ends = [_end(block) for block in inst.blocks]
    if any(len(end.operands()) != len(inst.results) for end in ends):
        raise ValueError
    return [Gate(inst, tuple((end, at) for end in ends), (result,)) for at, result in enumerate(inst.results)]


def _loop(inst: OnnxNode) -> list[Gate]:
    (body,) = inst.blocks
    return _carried(inst, body, body.arguments[2:], first_operand=2, first_yielded=1)


def _scan(inst: OnnxNode) -> list[Gate]:
    (body,) = inst.blocks
    n_state = len(inst.values) - int(inst.attributes["num_scan_inputs"])
    states, scanned = body.arguments[:n_state], body.arguments[n_state:]
    gates = _carried(inst, body, states, first_operand=0, first_yielded=0)
    return gates + [Gate(inst, ((inst, n_state + at),), (argument,)) for at, argument in enumerate(scanned)]


def _carried(
    inst: OnnxNode, body: Block, states: Sequence[Value], first_operand: int, first_yielded: int
) -> list[Gate]:
    """Return a gate for each value that is carried around, and for each that is only handed out."""
    end, results = _end(body), inst.results
    if len(end.operands()) != first_yielded + len(results) or len(inst.values) < first_operand + len(states):
        raise ValueError
    gates = []
    for at, result in enumerate(results):
        handed: tuple[Instruction, int] = (end, first_yielded + at)
        if at < len(states):
            gates.append(Gate(inst, ((inst, first_operand + at), handed), (states[at], result)))
        else:
            gates.append(Gate(inst, (handed,), (result,)))
    return gates


def _end(block: Block) -> Instruction:
    assert block.terminator is not None
    return block.terminator


_GATES = {"branches": _branches, "loop": _loop, "scan": _scan}
