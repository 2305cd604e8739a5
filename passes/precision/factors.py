"""Constant factors that come one after the other: each fits the lower float, and the product of all does not.

    %a = Mul %x, 1e-3        %b = Div %a, 1e4        %c = Mul %b, 1e7

%b is a ten-millionth of %x, which f16 does not hold. What such a node gives stays f32, with
whatever reads it.

Deliberately absent: factors that one constant alone makes too large or too small, which is seen where it is read.
"""

from __future__ import annotations

from typing import Final

from passes.precision.constant_range import ConstantRange
from passes.precision.constants import Constants
from passes.precision.survey import Survey
from runtime.instructions import Instruction
from runtime.values import Operand

_FARTHEST: Final = 8
"""Moves between two factors."""


def unfit_factors(survey: Survey, constants: Constants, range: ConstantRange) -> dict[Instruction, str]:
    """Return the nodes behind whose factors a lower float does not hold what they give, each with the reason."""
    factors = _factors(survey, constants)
    found: dict[Instruction, str] = {}
    for inst in sorted(factors, key=survey.places.__getitem__) if len(factors) > 1 else ():
        before = _before(inst, survey, constants)
        if before is None or before not in factors:
            continue
        factors[inst] *= factors[before]
        unfit = range.why_unfit_number(factors[inst], "the product of constant factors,")
        if unfit is not None:
            found[inst] = unfit.why
    return found


def _factors(survey: Survey, constants: Constants) -> dict[Instruction, float]:
    """Return by node what it multiplies a value with, where that is one number."""
    found: dict[Instruction, float] = {}
    for group in survey.groups:
        form = group.form
        if form.computes not in ("multiply", "divide") or len(form.data) != 2:
            continue
        for inst, values in zip(group.insts, group.values, strict=True):
            first, second = (values[at] for at in form.data)
            by = second if second in constants.held else first if form.computes == "multiply" else None
            if by is None or by not in constants.held or (first in constants.held and second in constants.held):
                continue
            number = constants.number(by)
            if number:
                found[inst] = abs(number) if form.computes == "multiply" else 1 / abs(number)
    return found


def _before(inst: Instruction, survey: Survey, constants: Constants) -> Instruction | None:
    """Return what gives the variable operand of a node, moves left out."""
    node = survey.nodes[inst]
    for _ in range(_FARTHEST):
        variable: list[Operand] = [one for one in node.operands if one not in constants.held]
        producer = survey.producer(variable[0]) if len(variable) == 1 else None
        if producer is None or producer.facts is None or not producer.moves_elements:
            return None
        if producer.facts.op_kind != "data_movement":
            return producer.inst
        node = producer
    return None
