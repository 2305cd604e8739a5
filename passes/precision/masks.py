"""Inputs of the program that are added in front of a norm or a softmax: they may be masks, so the sum stays f32.

    %a = MatMul %q, %k        %b = Add %a, %mask        %s = Softmax %b

Whoever calls the program may mask with the lowest f32, which f16 and bf16 take for an infinity; what is left of a row
that is all masked is no number. What follows is f32 anyway, so the sum costs no cast more.

It must not be seen where the sum is read by something else, too.

Deliberately absent: masks that are computed, whose constants are judged.
"""

from __future__ import annotations

from passes.precision.patterns import FARTHEST
from passes.precision.survey import Survey, SurveyedNode
from runtime.instructions import Instruction
from runtime.precision_facts import PrecisionFacts
from runtime.values import Operand, Value

_WORDS = ("add", "select", "subtract")


def nodes_of_masks(survey: Survey) -> set[Instruction]:
    """Return the sums with inputs of the program that only norms read, and the moves in between."""
    if not any(_brings_back(form.facts) for form in survey.forms):
        return set()
    found: set[Instruction] = set()
    queue: list[Operand] = [one for one in survey.function.args if one.default is None and survey.is_converted(one)]
    seen = set(queue)
    while queue:
        value = queue.pop()
        for user in value.users if isinstance(value, Value) else ():
            node = survey.nodes.get(user)
            if node is None or node.inst.blocks:
                continue
            if node.form.computes in _WORDS:
                found.update(_way_to_norm(node, survey))
            elif node.facts is not None and node.facts.op_kind == "data_movement":
                queue += [result for result in node.results if result not in seen]
                seen.update(node.results)
    return found


def _way_to_norm(node: SurveyedNode, survey: Survey) -> list[Instruction]:
    """Return a sum with the moves behind it where only norms read what comes of these."""
    way, queue = [node.inst], [*node.results]
    while queue:
        value = queue.pop()
        if not value.has_users:
            return []
        for user in value.users:
            reader = survey.nodes.get(user)
            if reader is None or reader.facts is None:
                return []
            if _brings_back(reader.facts):
                continue
            if reader.facts.op_kind != "data_movement" or len(way) > FARTHEST:
                return []
            way.append(user)
            queue += reader.results
    return way


def _brings_back(facts: PrecisionFacts | None) -> bool:
    return facts is not None and facts.op_kind == "reduction" and facts.range_safe
