"""Which nodes a guard may have a reason against: hardly any other costs more than a look at its form and what it reads.

Deliberately absent: reasons (`passes/precision/guards.py`). What is here may be a suspect without one, and never the
other way round.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from passes.precision.constant_range import ConstantRange
from passes.precision.constants import Constants
from passes.precision.patterns import Patterns
from passes.precision.runtime_faults import why_it_fails
from passes.precision.survey import Survey, SurveyedNode


def suspects(
    survey: Survey, constants: Constants, range: ConstantRange, patterns: Patterns, marked: Set[object]
) -> Iterator[SurveyedNode]:
    """Yield the nodes that there may be a reason against; `marked` are nodes and values that something is known of."""

    def fails(node: SurveyedNode) -> bool:
        return why_it_fails(node, survey, constants, range.low) is not None

    for node in survey.nodes.values():
        form = node.form
        is_known = form.is_suspect or (bool(marked) and (node.inst in marked or not marked.isdisjoint(node.results)))
        is_square = form.computes == "multiply" and patterns.is_square_of_norm(node)
        if is_known or is_square or _holds_unfit(node, constants, range) or (form.may_fail and fails(node)):
            yield node


def _holds_unfit(node: SurveyedNode, constants: Constants, range: ConstantRange) -> bool:
    """Whether a constant that a node reads or gives does not fit, whatever may excuse that."""
    values, held = node.values, constants.held
    for at in node.data:
        value = values[at]
        if value is not None and value in held and range.why_unfit(value, node.form.roles.get(at, "")):
            return True
    return any([range.why_unfit(result) for result in node.results if result in held])
