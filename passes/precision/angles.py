"""What sines and other periodic functions are taken of: it stays f32, back to where it comes from.

    %f = Cast %position    %m = Mul %f, %frequencies    %s = Sin %m

An angle of 3,000 has steps of 2 in f16 and of 16 in bf16, which is more than a turn: its error is that of the whole
angle, and a sine keeps nothing of the angle but the rest of whole turns. So positions, coordinates and points in time
stay f32 from the integer, the range or the argument of the program that they are made of, through sums, products with
constants, and moves, up to the periodic function. So do phases from the running or whole sum that they are, which is
f32 in any case. Angles that are constants stay f32 where one of them is large.

What a network has computed is no such angle: the way back must end at those sources only, and there is no activation on
it.

Deliberately absent: the results of periodic functions, which may be narrowed; and an argument of the program that is
itself the angle.
"""

from __future__ import annotations

from typing import Final

from passes.precision.constants import Array, Constants
from passes.precision.survey import Survey, SurveyedNode
from runtime.instructions import Instruction
from runtime.precision_facts import PrecisionFacts
from runtime.values import Operand

_NEAR_ZERO: Final = 4.0  # up to here the steps of f16 are 1/256
_ACTIVATIONS: Final = ("cos", "sin")
_SUMS: Final = ("add", "divide", "multiply", "negative", "subtract")


def nodes_of_angles(survey: Survey, constants: Constants, by_kind: bool = False) -> set[Instruction]:
    """Return the nodes that give what periodic functions are taken of, and those functions themselves.

    Where kinds decide alone (`by_kind`), the way goes on through casts, which may be those of a run before.
    """
    angles = _Angles(survey, constants, by_kind)
    found: set[Instruction] = set()
    for node in survey.nodes_of([form for form in survey.forms if form.activation in _ACTIVATIONS]):
        variable = [one for one in node.operands if one not in constants]
        if variable and all(survey.producer(one) is not None and angles.is_angle(one) for one in variable):
            found |= {node.inst, *_way_back(survey, variable)}
    for node in survey.nodes_of([form for form in survey.forms if form.computes == "periodic"]):
        if node.data:
            way = node.operands[:1]
            if way[0] in constants:
                if _is_near_zero(constants.contents(way[0])):
                    continue
            elif survey.producer(way[0]) is None or not angles.is_angle(way[0]):
                continue
            found |= {node.inst, *_way_back(survey, way)}
    return found


def _way_back(survey: Survey, way: list[Operand]) -> set[Instruction]:
    """Return the nodes from which some values come."""
    found: set[Instruction] = set()
    while way:
        producer = survey.producer(way.pop())
        if producer is not None and producer.inst not in found and producer.data:
            found.add(producer.inst)
            way += producer.operands
    return found


def is_bounded(facts: PrecisionFacts | None) -> bool:
    """Whether an operation gives nothing large, whatever constants it is computed from: a sine, a cosine."""
    return facts is not None and facts.computes == "periodic" and facts.range_safe and not facts.operands


def _is_near_zero(contents: Array | None) -> bool:
    """Whether constants are known, and all of them are angles that hardly change when they are rounded."""
    return contents is not None and (not contents.size or bool(abs(contents).max() <= _NEAR_ZERO))


class _Angles:
    """Which values are sums and products of positions and constants; each is looked at once."""

    def __init__(self, survey: Survey, constants: Constants, by_kind: bool) -> None:
        self._survey = survey
        self._constants = constants
        self._by_kind = by_kind
        self._arguments = frozenset(survey.function.args)
        self._known: dict[Operand, bool] = {}

    def is_angle(self, value: Operand) -> bool:
        """Whether a value, which is no constant, comes from positions alone."""
        way = [value]
        while way:
            one = way[-1]
            producer = self._survey.producer(one)
            if one in self._known or one in self._constants:
                way.pop()
                continue
            operands = None if producer is None else self._operands(producer)
            if operands is None:
                self._known[one] = one in self._arguments or (producer is not None and _is_source(producer))
                continue
            missing = [each for each in operands if each not in self._known and each not in self._constants]
            if missing:
                way += missing
                continue
            variable = [self._known[each] for each in operands if each not in self._constants]
            self._known[one] = bool(variable) and all(variable)
        return self._known.get(value, False)

    def _operands(self, node: SurveyedNode) -> list[Operand] | None:
        """Return what an angle is made of by a node, None where the way ends."""
        facts = node.facts
        if facts is None or node.inst.blocks or facts.precision_intact:
            return None
        if facts.computes == "convert":
            source = node.values[0] if node.values else None
            is_float = source is not None and self._survey.is_converted(source)
            return [source] if self._by_kind and is_float and source is not None else None
        is_sum = facts.computes in _SUMS or facts.op_kind in ("compute", "data_movement")
        return node.operands if is_sum else None


def _is_source(node: SurveyedNode) -> bool:
    """Whether a node gives a position, a range or a cast from integers, or a phase, a sum of many."""
    facts = node.facts
    if facts is None or not node.results:
        return False
    if facts.computes == "convert":
        dtype = node.values[0].type.dtype if node.values and node.values[0] is not None else None
        return dtype is not None and dtype.is_int
    return facts.precision_intact or (facts.op_kind == "reduction" and facts.wide_range)
