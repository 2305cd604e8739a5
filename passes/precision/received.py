"""What the program receives, in the first step of it: a difference, or integers that are made small, stays f32.

    %d = Sub %time, 1.6e9        %d = Sub %x, %y        %f = Cast %millimetres    %m = Mul %f, 1e-3

What the caller gives has all its digits, and a difference needs them: of timestamps, the corners of a box, an image and
its copy. In f32 it costs no cast more, since its result is narrowed instead of its operands. The same is true of large
integers, which f16 takes for an infinity, where the first step divides them by some hundred.

It must not be seen in a difference of which one side is computed, and where a small constant is taken off. Nor where a
difference is all that a function does: there the policy is all that a user has said.

Deliberately absent: local functions, whose arguments may be computed; and sums of two arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from passes.precision.arithmetic import CONVERT
from passes.precision.constant_range import ConstantRange
from passes.precision.constants import Constants
from passes.precision.offsets import STEP, is_large
from passes.precision.patterns import FARTHEST
from passes.precision.sums import Sums
from passes.precision.survey import Survey
from runtime.instructions import Instruction
from runtime.values import Operand

_WIDE: Final = 16
"""Bits of integers that f16 does not hold."""
_DOWN: Final = 1 / 256
"""From such a factor on, integers are taken for large ones."""


def differences_received(
    survey: Survey, constants: Constants, sums: Sums, range: ConstantRange
) -> Iterator[Instruction]:
    """Yield the differences of what the program receives, and what moves it before."""
    if survey.is_callee:
        return
    limit = STEP * 2.0**range.low.mantissa_bits
    for inst, _, constant, value in sums.with_constants:
        if range.may_reach(constant, limit) and is_large(constant, constants, limit):
            way = _way_from_outside(value, survey)
            yield from () if way is None else [inst, *way]
    is_alone = sum(len(group.insts) for group in survey.groups) == 1
    for inst, is_difference, left, right in sums.of_variables:
        if is_difference and not is_alone:
            ways = [_way_from_outside(one, survey) for one in (left, right)]
            yield from () if None in ways else [inst, *[node for way in ways if way for node in way]]


def integers_made_small(survey: Survey, constants: Constants) -> Iterator[Instruction]:
    """Yield what multiplies wide integers by small constants."""
    for group in survey.groups:
        if group.form.computes not in ("divide", "multiply") or len(group.form.data) != 2:
            continue
        at, other = group.form.data
        for inst, values in zip(group.insts, group.values, strict=True):
            pairs = [(values[at], values[other])]
            pairs += [(values[other], values[at])] if group.form.computes == "multiply" else []
            for value, by in pairs:
                if value is not None and by is not None and by in constants.held and _is_wide_integer(value, survey):
                    number = abs(constants.number(by) or 0)
                    factor = number if group.form.computes == "multiply" else 1 / number if number else 1
                    yield from [inst] if 0 < factor <= _DOWN else []


def _is_wide_integer(value: Operand, survey: Survey) -> bool:
    node = survey.producer(value)
    source = node.values[0] if node is not None and node.form.computes == CONVERT and node.values else None
    dtype = None if source is None else source.type.dtype
    return dtype is not None and dtype.is_int and dtype.bits >= _WIDE


def _way_from_outside(value: Operand, survey: Survey) -> list[Instruction] | None:
    """Return the moves between an argument of the program, or integers, and a value; None where it is computed."""
    way: list[Instruction] = []
    while len(way) < FARTHEST:
        node = survey.producer(value)
        if node is None:
            is_given = value in survey.function.args and getattr(value, "default", None) is None
            return way if is_given and survey.is_converted(value) else None
        if node.form.computes == CONVERT:
            source = node.values[0] if node.values else None
            dtype = None if source is None else source.type.dtype
            return way if dtype is not None and dtype.is_int else None
        if node.facts is None or node.inst.blocks or node.facts.op_kind != "data_movement" or len(node.operands) != 1:
            return None
        way.append(node.inst)
        (value,) = node.operands
    return None
