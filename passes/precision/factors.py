"""Constant factors that come one after the other: each fits the lower float, and the product of all does not.

    %a = Mul %x, 1e-3        %b = Div %a, 1e4        %c = Mul %b, 1e7

%b is a ten-millionth of %x, which f16 does not hold. What such a node gives stays f32, with
whatever reads it.

Deliberately absent: factors that one constant alone makes too large or too small, which is seen where it is read.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from passes.precision.arithmetic import CONVERT
from passes.precision.constant_range import ConstantRange
from passes.precision.constants import Constants
from passes.precision.survey import Survey
from runtime.instructions import Instruction
from runtime.values import Operand

_FARTHEST: Final = 8
"""Moves between two factors."""


def unfit_factors(survey: Survey, constants: Constants, range: ConstantRange) -> dict[Instruction, str]:
    """Return the nodes behind whose factors a lower float does not hold what they give, each with the reason."""
    factors, sources = _factors(survey, constants)
    befores = {inst: _before(source, factors, survey, constants) for inst, source in sources.items()}
    chained = [inst for inst, before in befores.items() if before is not None]
    found: dict[Instruction, str] = {}
    for inst in sorted(chained, key=survey.places.__getitem__) if chained else ():
        factors[inst] *= factors[befores[inst]]
        unfit = range.why_unfit_number(factors[inst], "the product of constant factors,")
        if unfit is not None:
            found[inst] = unfit.why
    return found


def _factors(survey: Survey, constants: Constants) -> tuple[dict[object, float], dict[Instruction, Operand]]:
    """Return by node what it multiplies a value with, where that is one number, and the value."""
    factors: dict[object, float] = {}
    sources: dict[Instruction, Operand] = {}
    held = constants.held
    for group in survey.groups:
        form = group.form
        if form.computes not in ("multiply", "divide") or len(form.data) != 2:
            continue
        at, other = form.data
        for inst, values in zip(group.insts, group.values, strict=True):
            source, by = values[at], values[other]
            if source in held and form.computes == "multiply":
                source, by = by, source
            if by is None or source is None or by not in held or source in held:
                continue
            number = constants.number(by)
            if number:
                factors[inst] = abs(number) if form.computes == "multiply" else 1 / abs(number)
                sources[inst] = source
    return factors, sources


def _before(source: Operand, factors: Container[object], survey: Survey, constants: Constants) -> Operand | None:
    """Return what multiplies a value by a constant, moves and casts left out."""
    for _ in range(_FARTHEST):
        if source in factors:
            return source
        group = survey.group_that_gives(source)
        if group is None or group.form.facts is None or group.form.facts.op_kind != "data_movement":
            return None
        node = survey.producer(source)
        assert node is not None, "it is one of the group"
        slots = (0,) if group.form.computes == CONVERT else group.form.data
        variable = [one for at in slots if (one := node.values[at]) is not None and one not in constants.held]
        if len(variable) != 1:
            return None
        (source,) = variable
    return None
