"""Sums over the rounds of a loop: state that each round adds something to stays f32, with what adds to it.

    %y = Loop %m, , %x { (%i, %go, %s) ... %t = Add %s, %e ... yield %on, %t }

Each round rounds the sum. With steps of 1, f16 stands still at 2048 and bf16 at 256, and on the way there each addend
loses digits. Products and functions beside the sum are narrowed as anywhere.

It must not be seen where constants or extents say that there are few rounds; where the state is only multiplied,
doubled, selected, moved or made anew; and in a sum that is not handed on to the next round.

A sum that forgets slowly is one, too, `0.999 * s + e`: a running mean. Where it forgets faster, an error fades with the
state.

Deliberately absent: state that is multiplied by variables, and the bias of a product.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from passes.precision.constants import Constants
from passes.precision.regions import Gate, value_at
from passes.precision.survey import Survey, SurveyedNode
from runtime.dtypes import DType
from runtime.generic import OnnxNode
from runtime.instructions import Instruction
from runtime.values import Operand, Value

_SUMS: Final = ("add", "subtract")
_HANDING_ON: Final = (*_SUMS, "select")
_SPARE: Final = 4
"""Bits of a sum: what few rounds lose is less than these hold."""
_LONGEST: Final = 64
"""Nodes between two rounds."""


@dataclass(slots=True)
class RunningSums:
    """The nodes that add to state, and the values that are it, inside of the loop and behind it."""

    nodes: set[Instruction] = field(default_factory=set)
    states: set[Value] = field(default_factory=set)


def running_sums(survey: Survey, constants: Constants, low: DType) -> RunningSums:
    """Return the sums over the rounds of loops that a lower float would lose."""
    found = RunningSums()
    few = 2.0 ** (low.mantissa_bits - _SPARE)
    for gate in survey.gates:
        states = [one for one in gate.targets if one not in gate.inst.results]
        if not gate.is_known or not states or not any(map(survey.is_converted, states)):
            continue
        if _all_rounds(gate, survey, constants, few) <= few:
            continue
        for inst, at in gate.slots:
            value = None if inst is gate.inst else value_at(inst, at)
            if value is not None:
                way = _way_back(value, set(states), survey, constants, few)
                if any(node.form.computes in _SUMS for node in way):
                    found.nodes.update([node.inst for node in way if not node.inst.blocks])
                    found.states.update(gate.targets)
    return found


def _made_from(
    value: Operand, states: set[Value], survey: Survey, constants: Constants, few: float
) -> dict[Operand, list[Operand]]:
    """Return by value what it is made of, for a value and all behind it up to some states."""
    nodes: dict[Operand, list[Operand]] = {}
    queue = [value]
    while queue and len(nodes) <= _LONGEST:
        one = queue.pop()
        if one not in nodes:
            nodes[one] = [] if one in states else list(_made_of(one, survey, constants, few))
            queue += nodes[one]
    return nodes


def _way_back(
    value: Operand, states: set[Value], survey: Survey, constants: Constants, few: float
) -> list[SurveyedNode]:
    """Return the nodes from what a round hands on to the state that it received; none where no way leads there."""
    nodes = _made_from(value, states, survey, constants, few)
    leading: set[Operand] = set(states)
    grows = True
    while grows:
        more = {one for one, operands in nodes.items() if one not in leading and not leading.isdisjoint(operands)}
        leading |= more
        grows = bool(more)
    found = [survey.producer(one) for one in nodes if one in leading and one not in states]
    return [node for node in found if node is not None]


def _made_of(value: Operand, survey: Survey, constants: Constants, few: float) -> Iterator[Operand]:
    """Yield the values that one hands on, is the sum of, is chosen from, or hardly makes smaller."""
    gate = survey.gate_to.get(value)
    if gate is not None:
        yield from gate.sources
        return
    node = survey.producer(value)
    if node is None or node.facts is None or node.inst.blocks:
        return
    if node.facts.op_kind == "data_movement" or node.form.computes in _HANDING_ON:
        operands = [one for at in node.data if (one := node.values[at]) is not None]
        is_doubled = node.form.computes in _SUMS and len(operands) == 2 and operands[0] is operands[1]
        yield from () if is_doubled else operands
    elif node.form.computes == "multiply" and len(node.operands) == 2:
        held = [one for one in node.operands if one in constants.held]
        factors = constants.small_contents(held[0]) if len(held) == 1 else None
        if factors is not None and factors.size and bool((factors >= 1 - 1 / few).all() and (factors <= 1).all()):
            yield from [one for one in node.operands if one not in constants.held]


def _all_rounds(gate: Gate, survey: Survey, constants: Constants, few: float) -> float:
    """Return how many rounds a loop makes at most, with those of the loops around it whose state it goes on with."""
    rounds = _rounds(gate.inst, constants)
    found = math.inf if rounds is None else rounds
    for inst, at in gate.slots:
        value = value_at(inst, at) if inst is gate.inst else None
        if value is not None and found <= few:
            from_outside = _made_from(value, set(), survey, constants, few).keys()
            around = [one for one in survey.gates if _encloses(one, gate) and not from_outside.isdisjoint(one.targets)]
            found *= math.prod([max(_rounds(one.inst, constants) or math.inf, 1.0) for one in around])
    return found


def _encloses(gate: Gate, other: Gate) -> bool:
    """Whether the instruction of a gate stands in a region of that of another one."""
    block = other.inst.parent
    while block is not None and isinstance(block.owner, Instruction):
        if block.owner is gate.inst:
            return True
        block = block.owner.parent
    return False


def _rounds(inst: Instruction, constants: Constants) -> float | None:
    """Return how many rounds a loop makes at most, None where that is not known."""
    if not isinstance(inst, OnnxNode):
        return None
    values = inst.values
    if inst.op_type == "Loop":
        most = values[0] if values else None
        return None if most is None else constants.number(most)
    n_scanned = inst.attributes.get("num_scan_inputs", 0)
    axes = inst.attributes.get("scan_input_axes") or [0] * n_scanned
    for one, axis in zip(values[len(values) - n_scanned :], axes, strict=True):
        shape = None if one is None else one.type.shape
        if shape and -len(shape) <= axis < len(shape) and isinstance(shape[axis], int):
            return float(shape[axis])
    return None
