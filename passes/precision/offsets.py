"""Large constants that are added where they cancel again: the digits of what they are added to would be lost.

    %a = Add %x, 10000        %s = Softmax %a        %m = Mul %bits, -10000    %a = Add %x, %m

From 8192 on, f16 has steps of 8. A softmax, a norm, and which of many is the largest, do not depend on what is added
to all elements alike; nor does a difference with another large constant. So the sum stays f32, with what moves or
scales it up to there. So does a sum with what a large constant was multiplied with: a mask that hides a whole row.

It must not be seen where some elements of the constant are small, as in a mask; where it is out of range, which is seen
anyway; and where the sum is used otherwise.

Deliberately absent: biases inside of products, and sums that are computed.
"""

from __future__ import annotations

from typing import cast

from passes.precision.constant_range import ConstantRange
from passes.precision.constants import Constants
from passes.precision.patterns import FARTHEST, Patterns
from passes.precision.requests import beyond
from passes.precision.sums import Sums
from passes.precision.survey import Survey, SurveyedNode
from runtime.instructions import Instruction
from runtime.values import Operand

STEP = 0.25
"""Between neighbours of a sum, in the lower float: from here on it is seen behind a softmax."""


def nodes_of_offsets(
    survey: Survey, constants: Constants, patterns: Patterns, sums: Sums, range: ConstantRange
) -> set[Instruction]:
    """Return the nodes that add large constants to what loses them again, and those in between."""
    limit, most = STEP * 2.0**range.low.mantissa_bits, beyond(range.low)
    found: set[Instruction] = set()
    for inst, _, constant, _ in sums.with_constants:
        if range.may_reach(constant, limit) and is_large(constant, constants, limit, most):
            found |= _way_to_where_it_cancels(survey.nodes[inst], survey, constants, patterns, limit)
    for inst, _, left, right in sums.of_variables:
        if any(_is_scaled_up(one, survey, constants, range, limit) for one in (left, right)):
            found |= _way_to_where_it_cancels(survey.nodes[inst], survey, constants, patterns, limit)
    return found


def _is_scaled_up(value: Operand, survey: Survey, constants: Constants, range: ConstantRange, limit: float) -> bool:
    """Whether a value is the product with a large constant, maybe moved."""
    for _ in (None,) * FARTHEST:
        group = survey.group_that_gives(value)
        if group is None or group.form.facts is None:
            return False
        if group.form.computes == "multiply":
            node = survey.nodes[cast(Instruction, value)]
            held = [one for one in node.operands if one in constants.held and range.may_reach(one, limit)]
            return len(held) == 1 and is_large(held[0], constants, limit, beyond(range.low))
        if group.form.facts.op_kind != "data_movement":
            return False
        operands = [one for one in survey.nodes[cast(Instruction, value)].operands if one not in constants.held]
        if len(operands) != 1:
            return False
        (value,) = operands
    return False


def is_large(value: Operand, constants: Constants, limit: float, most: float = float("inf")) -> bool:
    """Whether all elements of a small constant are large, and of one sign."""
    contents = constants.small_contents(value)
    if contents is None or not contents.size or contents.dtype.kind in "OSUb":
        return False
    first = float(contents.item(0))
    if not limit <= abs(first) < most:  # as in hardly any bias
        return False
    return bool((contents >= limit).all() or (contents <= -limit).all())


def _way_to_where_it_cancels(
    node: SurveyedNode, survey: Survey, constants: Constants, patterns: Patterns, limit: float
) -> set[Instruction]:
    """Return a sum and what its result goes through to where a constant cancels; nothing where it does not."""
    way: set[Instruction] = set()
    stack: list[tuple[SurveyedNode, tuple[Instruction, ...]]] = [(node, (node.inst,))]
    seen = {node.inst}
    while stack:
        one, before = stack.pop()
        for user in [user for result in one.results for user in result.users]:
            reader = survey.nodes.get(user)
            if reader is None or reader.facts is None or (user in seen and user not in way):
                continue
            seen.add(user)
            if _cancels(reader, constants, patterns, limit):
                way.update(before)
            elif len(before) < FARTHEST and _hands_on(reader, constants):
                stack.append((reader, (*before, user)))
    return way


def _cancels(node: SurveyedNode, constants: Constants, patterns: Patterns, limit: float) -> bool:
    """Whether what was added to all elements alike is lost in a node."""
    facts = node.facts
    assert facts is not None
    if node.form.computes == "order" or (facts.op_kind == "reduction" and facts.range_safe):
        return True
    if node.form.computes in ("add", "subtract"):
        held = [one for one in node.operands if one in constants.held]
        return patterns.is_centring(node) or (len(held) == 1 and is_large(held[0], constants, limit))
    return False


def _hands_on(node: SurveyedNode, constants: Constants) -> bool:
    """Whether a node moves elements, scales them, or adds a constant."""
    if node.facts is None or not node.moves_elements:
        return False
    if node.facts.op_kind == "data_movement":
        return True
    is_linear = node.form.computes in ("add", "divide", "multiply", "negative", "subtract")
    return is_linear and len([one for one in node.operands if one not in constants.held]) == 1
