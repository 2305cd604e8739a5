"""Sums over the rounds of a loop: state that each round adds something to stays f32, with what adds to it.

    %y = Loop %m, , %x { (%i, %go, %s) ... %t = Add %s, %e ... yield %on, %t }

Each round rounds the sum. With steps of 1, f16 stands still at 2048 and bf16 at 256, and on the way there each addend
loses digits. Products and functions beside the sum are narrowed as anywhere.

It must not be seen where constants or extents say that there are few rounds; where the state is only multiplied,
doubled, selected, moved or made anew; and in a sum that is not handed on to the next round.

Deliberately absent: sums that forget, `a * s + e`, in which an error fades as the state does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from passes.precision.constants import Constants
from passes.precision.regions import value_at
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
        rounds = _rounds(gate.inst, constants)
        if not gate.is_known or not states or (rounds is not None and rounds <= few):
            continue
        for inst, at in gate.slots:
            value = None if inst is gate.inst else value_at(inst, at)
            if value is not None and any(map(survey.is_converted, states)):
                way = _way_back(value, set(states), survey)
                if any(node.form.computes in _SUMS for node in way):
                    found.nodes.update([node.inst for node in way if not node.inst.blocks])
                    found.states.update(gate.targets)
    return found


def _way_back(value: Operand, states: set[Value], survey: Survey) -> list[SurveyedNode]:
    """Return the nodes from what a round hands on to the state that it received; none where no way leads there."""
    nodes: dict[Operand, list[Operand]] = {}  # by value what it is made of, on ways that may lead to the state
    queue = [value]
    while queue and len(nodes) <= _LONGEST:
        one = queue.pop()
        if one not in nodes:
            nodes[one] = [] if one in states else list(_made_of(one, survey))
            queue += nodes[one]
    leading: set[Operand] = set(states)
    grows = True
    while grows:
        more = {one for one, operands in nodes.items() if one not in leading and not leading.isdisjoint(operands)}
        leading |= more
        grows = bool(more)
    found = [survey.producer(one) for one in nodes if one in leading and one not in states]
    return [node for node in found if node is not None]


def _made_of(value: Operand, survey: Survey) -> Iterator[Operand]:
    """Yield the values that one hands on, is the sum of, or is chosen from."""
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
