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

from typing import Final

from passes.precision.constants import Constants
from passes.precision.logarithms import puts_bounds
from passes.precision.patterns import FARTHEST, Patterns
from passes.precision.survey import Survey, SurveyedNode
from runtime.instructions import Instruction
from runtime.values import Operand

_LARGE: Final = 16.0
_PRODUCTS: Final = ("multiply", "power", "square")
_STEEP: Final = ("log", "sqrt")


def nodes_of_remainders(survey: Survey, constants: Constants, patterns: Patterns) -> set[Instruction]:
    """Return the nodes that give what is left, and what nearly cancels there."""
    found: set[Instruction] = set()
    for group in survey.groups:
        if group.form.computes not in ("add", "subtract") or len(group.form.data) != 2:
            continue
        for inst, values in zip(group.insts, group.values, strict=True):
            operands = [one for at in group.form.data if (one := values[at]) is not None]
            held = [one for one in operands if one in constants.held]
            if len(held) == 1 and abs(number := constants.number(held[0]) or 0) == 1:
                is_difference = (number > 0) is (group.form.computes == "subtract")
                variable = [one for one in operands if one not in held]
                near = [node for one in variable if (node := _near_one(one, is_difference, survey, patterns))]
            elif not held and group.form.computes == "subtract":
                producers = [survey.producer(one) for one in operands]
                near = [one for one in producers if one is not None and one.form.computes in _PRODUCTS]
                near = near if len(near) == 2 else []
            else:
                continue
            if near and _is_enlarged(survey.nodes[inst], bool(held), survey, constants):
                found.update([inst, *[node.inst for node in near]])
    return found


def _near_one(value: Operand, is_difference: bool, survey: Survey, patterns: Patterns) -> SurveyedNode | None:
    """Return the node that gives a value, moves left out, where it is a function that is 1 or -1 somewhere.

    Only a difference with 1 is nearly nothing where the function is positive.
    """
    for one in patterns.back(value, only_moved=True):
        node = survey.producer(one)
        if node is None or node.facts is None:
            return None
        if node.form.computes in ("exp", *_PRODUCTS):
            return node if is_difference else None
        if node.form.computes == "periodic":
            return node
        if node.facts.op_kind == "elementwise":
            is_squashing = node.facts.range_safe and node.form.computes is None and not puts_bounds(node.facts)
            return node if is_squashing else None
    return None


def _is_enlarged(node: SurveyedNode, is_from_one: bool, survey: Survey, constants: Constants) -> bool:
    """Whether what a node gives is made large, behind moves, bounds and sums with constants."""
    queue, seen = [*node.results], {node.inst}
    while queue and len(seen) < FARTHEST * FARTHEST:
        value = queue.pop()
        for user in value.users:
            reader = survey.nodes.get(user)
            if user in seen or reader is None or reader.facts is None:
                continue
            seen.add(user)
            word = reader.form.computes
            if word in _STEEP or (is_from_one and _enlarges(reader, value, constants)):
                return True
            variable = [one for one in reader.operands if one not in constants.held]
            is_alone = len(variable) == 1 and (word in ("absolute", "add", "maximum", "negative", "relu", "subtract"))
            if reader.facts.op_kind == "data_movement" or is_alone or puts_bounds(reader.facts):
                queue += reader.results
    return False


def _enlarges(node: SurveyedNode, value: Operand, constants: Constants) -> bool:
    """Whether a node divides a value by another one, divides by it, or multiplies it by a large constant."""
    word, operands = node.form.computes, node.operands
    if word in ("divide", "multiply") and len(operands) == 2:
        other = operands[1] if operands[0] is value else operands[0]
        if other not in constants.held:
            return word == "divide"
        number = abs(constants.number(other) or 0)
        return number >= _LARGE if word == "multiply" else 0 < number <= 1 / _LARGE or operands[1] is value
    return "divisor" in node.form.roles.values()
