"""How values pass between a node and its regions: what goes in, what is carried from one round to the next, what comes
out.

    %r = Loop %m, %c, %init { (%i, %ok, %state) ... yield %ok2, %next, %each }

Here %init and %next become %state and the first result: one gate, through which all have one type. %each becomes the
second result: another gate.

Deliberately absent: operators. Which of the three kinds one of ONNX is stands in its facts (`regions`), and what has a
definition says it with its ports; of any other, everything that goes in may come out anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from passes.autocast.gates import gates_of as gates_of_ports
from runtime.blocks import Block
from runtime.generic import OnnxNode
from runtime.instructions import Instruction
from runtime.operand_slots import values_of
from runtime.precision_facts import PrecisionFacts
from runtime.values import Operand, Value


@dataclass(frozen=True, eq=False)
class Gate:
    """Slots whose values become the targets."""

    inst: Instruction
    slots: tuple[tuple[Instruction, int], ...]  # of the node, or of what ends a region
    targets: tuple[Value, ...]  # results of the node, arguments of a region
    is_known: bool = True  # False: which slot becomes which target is not known
    dtypes: tuple[tuple[str, ...], ...] = ()  # what the definition lets through, at each place that says so

    @property
    def sources(self) -> tuple[Operand, ...]:
        """What the slots hold."""
        return tuple([value for inst, at in self.slots if (value := value_at(inst, at)) is not None])

    @property
    def reads(self) -> list[tuple[Instruction, int]]:
        """The slots that hold a target, but for those of the gate itself."""
        own = set(self.slots)
        return [
            (user, at)
            for target in self.targets
            for user in dict.fromkeys(target.users)
            for at, value in enumerate(values_of(user))
            if value is target and (user, at) not in own
        ]


def gates_of(inst: Instruction, facts: PrecisionFacts | None) -> list[Gate]:
    """Return the gates of a node with regions."""
    kind = None if facts is None else facts.regions
    ends = [block.terminator for block in inst.blocks]
    if kind is not None and None not in ends:
        try:
            return _GATES[kind](inst) if isinstance(inst, OnnxNode) else _of_ports(inst)
        except (IndexError, KeyError, TypeError, ValueError):  # a malformed node
            pass
    slots: list[tuple[Instruction, int]] = [(inst, at) for at in range(len(values_of(inst)))]
    slots += [(end, at) for end in ends if end is not None for at in range(len(end.operands()))]
    arguments = [argument for block in inst.blocks for argument in block.arguments]
    return [Gate(inst, tuple(slots), (*arguments, *inst.results), is_known=False)]


def value_at(inst: Instruction, slot: int) -> Operand | None:
    """Return what a slot of a node, or of what ends a region, holds."""
    return values_of(inst)[slot]


def _of_ports(inst: Instruction) -> list[Gate]:
    """Return the gates that the ports of a definition state; one has every slot that holds one of its values."""
    found = gates_of_ports(inst)
    if not found:
        raise ValueError
    slots: dict[Operand, list[int]] = {}
    for at, value in enumerate(values_of(inst)):
        if value is not None:
            slots.setdefault(value, []).append(at)
    infos = {info.name: info.dtypes for info in inst.INFO.operands}
    infos.update({info.name: info.dtypes for info in inst.INFO.results})
    gates = []
    for gate in found:
        own = [(inst, at) for value in dict.fromkeys(gate.operands) for at in slots.get(value, ())]
        names = [port.same_as or port.item_of for port in gate.ports]
        dtypes = [port.dtypes for port in gate.ports] + [infos.get(name, ()) for name in names]
        targets = tuple(dict.fromkeys(gate.targets))
        gates.append(Gate(inst, (*own, *gate.yields), targets, dtypes=tuple(one for one in dtypes if one)))
    return gates


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
    if n_state < 0 or len(body.arguments) > len(inst.values):
        raise ValueError
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
