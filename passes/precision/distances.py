"""Squared distances that are spelled out as a product: the product stays f32, as other terms that cancel do.

    %p = MatMul %a, %b    %d = Mul %p, -2    %s = ReduceSum (Mul %a, %a)    %e = Add %s, %d    %f = Add %e, %t

|a|^2 - 2 ab + |b|^2 is small where %a and %b are near each other, and its terms are not: of vectors around 20, sums of
thousands leave a few units, and f16 has steps of 4 there. So product, terms and sums are f32.

The product and the sum may be one node, a Gemm with an `alpha` below 0.

It must not be seen where what a product is taken from was reduced from something else than squares of its operands, and
where both have one sign.
"""

from __future__ import annotations

from typing import Final

from passes.precision.constants import Constants
from passes.precision.forms import Form
from passes.precision.patterns import Patterns
from passes.precision.squares import Squares, Way, adds_up
from passes.precision.sums import Sums
from passes.precision.survey import Survey, SurveyedNode
from runtime.generic import ONNX_DOMAIN
from runtime.instructions import Instruction
from runtime.values import Operand

_GEMM: Final = f"{ONNX_DOMAIN}::Gemm"
_SUMS: Final = ("add", "subtract")
_DEPTH: Final = 3
"""Sums of terms, one in the other."""


def nodes_of_distances(survey: Survey, constants: Constants, patterns: Patterns, sums: Sums) -> set[Instruction]:
    """Return the products of distances, their terms, and the sums that these are in."""
    is_product = any(form.is_product for form in survey.forms)
    if not is_product or not any(adds_up(form.facts) for form in survey.forms):
        return set()
    distances = _Distances(survey, constants, patterns)
    found: set[Instruction] = set()
    for inst, is_difference, left, right in sums.of_variables:
        for value, terms in ((left, right), (right, left)):
            group = survey.group_that_gives(value)
            if group is not None and _may_lead_to_product(group.form):
                way = distances.way_from(value, terms, -1 if is_difference else 1)
                found.update([inst, *way, *distances.sums_behind(inst)] if way else ())
    for node in survey.nodes_of([form for form in survey.forms if form.label == _GEMM and len(form.data) > 2]):
        way = distances.squares_beside(node)
        found.update([node.inst, *way, *distances.sums_behind(node.inst)] if way else ())
    return found


def _may_lead_to_product(form: Form) -> bool:
    """Whether a node of a form is a product, moves elements, or may multiply them by constants."""
    moves = form.facts is not None and form.facts.op_kind == "data_movement"
    return form.is_product or moves or form.computes in ("divide", "multiply", "negative")


class _Distances:
    """Answers for one function."""

    def __init__(self, survey: Survey, constants: Constants, patterns: Patterns) -> None:
        self._survey = survey
        self._constants = constants
        self._patterns = patterns
        self._squares = Squares(survey, constants, patterns)

    def way_from(self, value: Operand, terms: Operand, sign: int) -> list[Instruction]:
        """Return the nodes back to a product and to the squares of its operands, from which it is taken, if it is.

        `sign` is that of the value beside the terms.
        """
        product = self._squares.first(value, lambda node: node.form.is_product)
        if not product or not all(_may_lead_to_product(one.form) for one in product):
            return []
        for one in product:
            sign *= self._sign(one)
        factors = product[-1].operands[:2]
        origins = {origin for one in factors for origin in self._patterns.back(one, only_moved=True)}
        squares = self._squares_in(terms, origins, -sign, _DEPTH)
        return [node.inst for node in (*product, *squares)] if squares else []

    def squares_beside(self, node: SurveyedNode) -> list[Instruction]:
        """Return the nodes back to the squares of its own operands that a product is taken from."""
        left, right, terms = node.operands[:3]
        sign = 1 if node.attribute("alpha", 1.0) * node.attribute("beta", 1.0) > 0 else -1
        origins = {origin for one in (left, right) for origin in self._patterns.back(one, only_moved=True)}
        return [one.inst for one in self._squares_in(terms, origins, -sign, _DEPTH)]

    def sums_behind(self, inst: Instruction) -> list[Instruction]:
        """Return the sums with further terms behind one, which the other square may come in."""
        found: list[Instruction] = []
        queue = [inst]
        while queue and len(found) < _DEPTH:
            for user in queue.pop().users:
                node = self._survey.nodes.get(user)
                if node is not None and node.form.computes in _SUMS and any(map(self._is_term, node.operands)):
                    found.append(user)
                    queue.append(user)
        return found

    def _is_term(self, value: Operand) -> bool:
        """Whether a value is a sum of squares, or may be one that is constant."""
        return value in self._constants.held or self._squares.summed(value) is not None

    def _sign(self, node: SurveyedNode) -> int:
        """Return -1 where a node changes the sign of a value."""
        if node.form.computes == "negative":
            return -1
        numbers = [self._constants.number(one) for one in node.operands if one in self._constants.held]
        is_scaled = node.form.computes in ("divide", "multiply")
        return -1 if is_scaled and any(number is not None and number < 0 for number in numbers) else 1

    def _squares_in(self, value: Operand, origins: set[Operand], sign: int, depth: int) -> Way:
        """Return the nodes of the terms of a sum that add up squares of some values, with a sign."""
        summed = self._squares.summed(value)
        if summed is not None:
            first, second = summed.factors
            is_square = sign > 0 and self._patterns.is_one(first, second)
            return summed.way if is_square and not origins.isdisjoint(self._patterns.back(first, True)) else []
        node = self._survey.producer(value)
        if node is None or node.form.computes not in _SUMS or not depth:
            return []
        signs = [sign, -sign if node.form.computes == "subtract" else sign]
        terms = zip(node.operands, signs, strict=False)
        found = [each for one, own in terms for each in self._squares_in(one, origins, own, depth - 1)]
        return [node, *found] if found else []
