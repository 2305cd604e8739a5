"""What is left of two values that nearly cancel, where it is made large again: it stays f32, and so do the two.

    %c = Cos %x        %d = Sub 1, %c        %r = Sqrt %d

Near an x of 0.01 the cosine is 0.99995: f16 has 1 for it, and nothing is left. That hardly matters in a sum with values
of about 1. It does where the rest is divided or divided by, where a root or a logarithm is taken of it, or where it is
multiplied by a large constant.

Such are the difference of 1 and an exponential, a square, a power; of 1 or -1 and a cosine, a sigmoid and the like; and
the difference of two squares or products, of which a root or a logarithm is taken.

It must not be seen where the rest is only added or multiplied with values, as in a gated unit, and in the sum of 1 and
what is positive.

Deliberately absent: what products give, whose error is in proportion to all that was added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from passes.precision.constants import Constants
from passes.precision.forms import Form
from passes.precision.logarithms import puts_bounds
from passes.precision.patterns import FARTHEST, Patterns
from passes.precision.squares import PRODUCTS
from passes.precision.sums import Sums
from passes.precision.survey import Survey, SurveyedNode
from runtime.instructions import Instruction
from runtime.operand_slots import values_of
from runtime.values import Operand, Value

_LARGE: Final = 16.0
_STEEP: Final = ("log", "sqrt")
_HANDING_ON: Final = ("absolute", "add", "maximum", "negative", "relu", "subtract")


def nodes_of_remainders(survey: Survey, constants: Constants, patterns: Patterns, sums: Sums) -> set[Instruction]:
    """Return the nodes that give what is left, and what nearly cancels there."""
    found: set[Instruction] = set()
    for inst, is_difference, constant, value in sums.with_constants:
        number = constants.number(constant)
        if number in (1, -1) and _is_enlarged(inst, True, survey, constants):
            near = _near_one(value, (number == 1) is is_difference, survey, patterns)
            found |= set() if near is None else {inst, near.inst}
    is_steep = any(form.computes in _STEEP for form in survey.forms)
    for inst, is_difference, left, right in sums.of_variables if is_steep else ():
        groups = [survey.group_that_gives(one) for one in (left, right)]
        are_products = all(group is not None and group.form.computes in PRODUCTS for group in groups)
        if is_difference and are_products and _is_enlarged(inst, False, survey, constants):
            found.update([inst, *[node.inst for one in (left, right) if (node := survey.producer(one))]])
    return found


def _near_one(value: Operand, is_difference: bool, survey: Survey, patterns: Patterns) -> SurveyedNode | None:
    """Return the node that gives a value, moves left out, where it is a function that is 1 or -1 somewhere.

    Only a difference with 1 is nearly nothing where the function is positive.
    """
    for one in patterns.back(value, only_moved=True):
        node = survey.producer(one)
        if node is None or node.facts is None:
            return None
        if node.form.computes in ("exp", *PRODUCTS):
            return node if is_difference else None
        if node.form.computes == "periodic":
            return node
        if node.facts.op_kind == "elementwise":
            is_squashing = node.facts.range_safe and node.form.computes is None and not puts_bounds(node.facts)
            return node if is_squashing else None
    return None


def _is_enlarged(inst: Instruction, is_from_one: bool, survey: Survey, constants: Constants) -> bool:
    """Whether what a node gives is made large, behind moves, bounds and sums with constants."""
    queue: list[Value] = [inst]
    seen = {inst}
    while queue and len(seen) < FARTHEST * FARTHEST:
        value = queue.pop()
        for user in value.users:
            group = survey.group_of.get(user)
            if user in seen or group is None or group.form.facts is None:
                continue
            seen.add(user)
            word, facts = group.form.computes, group.form.facts
            operands = [one for at in group.form.data if (one := values_of(user)[at]) is not None]
            if word in _STEEP or (is_from_one and _enlarges(group.form, operands, value, constants)):
                return True
            is_alone = word in _HANDING_ON and sum([one not in constants.held for one in operands]) == 1
            if facts.op_kind == "data_movement" or is_alone or puts_bounds(facts):
                queue += user.results
    return False


def _enlarges(form: Form, operands: Sequence[Operand], value: Operand, constants: Constants) -> bool:
    """Whether a node divides a value by another one, divides by it, or multiplies it by a large constant."""
    if form.computes in ("divide", "multiply") and len(operands) == 2:
        other = operands[1] if operands[0] is value else operands[0]
        if other not in constants.held:
            return form.computes == "divide"
        number = abs(constants.number(other) or 0)
        if form.computes == "multiply":
            return number >= _LARGE
        return operands[1] is value or 0 < number <= 1 / _LARGE
    return "divisor" in form.roles.values()
