"""The sums and differences of two values in a function, found once for all that look for terms that cancel.

    %a = Add %x, 1      one with a constant        %b = Sub %x, %y      one of two variables

Deliberately absent: sums of more than two, and sums of constants alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from passes.precision.constants import Constants
from passes.precision.survey import Survey
from runtime.instructions import Instruction
from runtime.values import Operand


@dataclass(frozen=True, slots=True)
class Sums:
    """Both kinds, those of one form together."""

    with_constants: list[tuple[Instruction, bool, Operand, Operand]]  # whether it is a difference, constant, variable
    of_variables: list[tuple[Instruction, bool, Operand, Operand]]  # whether it is a difference, left, right


def sums_of(survey: Survey, constants: Constants) -> Sums:
    """Return the sums of a function."""
    held = constants.held
    found = Sums([], [])
    for group in survey.groups:
        word = group.form.computes
        if word not in ("add", "subtract") or len(group.form.data) != 2:
            continue
        is_difference = word == "subtract"
        first, second = group.form.data
        for inst, values in zip(group.insts, group.values, strict=True):
            left, right = values[first], values[second]
            if left is None or right is None:
                continue
            if right in held:
                if left not in held:
                    found.with_constants.append((inst, is_difference, right, left))
            elif left in held:
                found.with_constants.append((inst, is_difference, left, right))
            else:
                found.of_variables.append((inst, is_difference, left, right))
    return found
