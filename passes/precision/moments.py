"""Variances and norms that are spelled out so that large terms cancel: they stay f32, as other differences do.

    %q = Mul %x, %x    %e = ReduceMean %q    %m = ReduceMean %x    %s = Mul %m, %m    %v = Sub %e, %s

*A variance* as the mean of squares less the square of the mean, or a covariance so, of two values. Of 100 with a
deviation of 1, the two are 10,001 and 10,000: bf16 holds neither, and f16 no difference below 8.

    %a = Mul %x, %r    %b = Mul %m, %r    %c = Sub %bias, %b    %n = Add %a, %c

*A norm* that is distributed: %m was reduced from %x, and the product with the reciprocal comes before the difference.

It must not be seen where the values that are reduced differ, or the factors; where nothing is reduced; or in a sum of
both. The results may be narrowed.

Deliberately absent: means that are products with constant filters or vectors.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from passes.precision.constants import Constants
from passes.precision.patterns import Patterns
from passes.precision.survey import Survey, SurveyedNode
from runtime.instructions import Instruction
from runtime.values import Operand

Pair = tuple[Operand, Operand]


def nodes_of_moments(survey: Survey, constants: Constants, patterns: Patterns) -> set[Instruction]:
    """Return the nodes of variances and norms that are spelled out so."""
    if not any(form.computes in ("multiply", "power", "square") for form in survey.forms):
        return set()
    moments = _Moments(survey, constants, patterns)
    found: set[Instruction] = set()
    for group in survey.groups:
        if group.form.computes not in ("add", "subtract") or len(group.form.data) != 2:
            continue
        first, second = group.form.data
        for inst, values in zip(group.insts, group.values, strict=True):
            left, right = values[first], values[second]
            if left is None or right is None or left in constants.held or right in constants.held:
                continue
            for one, other in permutations((left, right)):
                chain = moments.norm(one, other)
                if not chain and group.form.computes == "subtract":
                    chain = moments.variance(one, other)
                if chain:
                    found.update([inst, *chain])
    return found


class _Moments:
    """Answers for one function."""

    def __init__(self, survey: Survey, constants: Constants, patterns: Patterns) -> None:
        self._survey = survey
        self._constants = constants
        self._patterns = patterns

    def norm(self, scaled: Operand, shifted: Operand) -> list[Instruction]:
        """Return the products of a norm, with what joins the bias to one, where two summands are what is left of it."""
        product = self._survey.producer(scaled)
        factors = None if product is None else self._factors(product)
        if product is None or factors is None or factors[0] is factors[1]:
            return []
        for other, between in self._products_in(shifted):
            means = self._factors(other)
            for value, factor in permutations(factors):
                for mean, same in permutations(means) if means is not None else ():
                    if self._is_one(factor, same) and self._patterns.is_reduced_from(mean, value):
                        return [product.inst, other.inst, *between]
        return []

    def variance(self, of_squares: Operand, of_mean: Operand) -> list[Instruction]:
        """Return what a mean of squares and the square of a mean come from; nothing where the values are none."""
        squared = self._first(of_mean, self._factors)
        if squared is None:
            return []
        means = self._factors(squared[-1])
        reduced = self._first(of_squares, self._is_sum)
        if means is None or reduced is None:
            return []
        origins = [self._reduced(mean) for mean in means]
        for operand in reduced[-1].operands:
            square = [] if reduced[-1].form.computes == "square" else self._first(operand, self._factors)
            if square is None:
                continue
            factors = self._factors(square[-1]) if square else (operand, operand)
            for pair in permutations(factors or ()):
                wanted = [set(self._patterns.back(one, only_moved=True)) for one in pair]
                if all(not one.isdisjoint(other) for one, other in zip(wanted, origins, strict=True)):
                    return [node.inst for node in (*squared, *reduced, *square)]
        return []

    def _products_in(self, value: Operand) -> Iterator[tuple[SurveyedNode, list[Instruction]]]:
        """Yield the products that a value is, or is the sum or the negation of, with what stands in between."""
        node = self._survey.producer(value)
        if node is None:
            return
        if self._factors(node) is not None:
            yield node, []
        elif node.form.computes in ("add", "subtract", "negative"):
            for operand in node.operands:
                inner = self._survey.producer(operand)
                if inner is not None and self._factors(inner) is not None:
                    yield inner, [node.inst]

    def _first(self, value: Operand, is_sought: object) -> list[SurveyedNode] | None:
        """Return the nodes back to the first one that is sought, that one last; None where there is none."""
        assert callable(is_sought)
        found = []
        for one in self._patterns.back(value):
            node = self._survey.producer(one)
            if node is None:
                return None
            found.append(node)
            if is_sought(node):
                return found
        return None

    def _reduced(self, mean: Operand) -> set[Operand]:
        """Return the values that a mean is one of, as they are spelled."""
        found = self._first(mean, self._is_sum)
        operands = [] if found is None else found[-1].operands
        return {origin for one in operands for origin in self._patterns.back(one, only_moved=True)}

    def _factors(self, node: SurveyedNode) -> Pair | None:
        """Return the two variable factors of a product or a square."""
        word, operands = node.form.computes, node.operands
        if word == "square" and len(operands) == 1:
            return operands[0], operands[0]
        if len(operands) != 2 or operands[0] in self._constants:
            return None
        if word == "multiply" and operands[1] not in self._constants:
            return operands[0], operands[1]
        exponent = self._constants.contents(operands[1]) if word == "power" else None
        is_square = exponent is not None and exponent.size == 1 and float(exponent.reshape(())) == 2
        return (operands[0], operands[0]) if is_square else None

    def _is_one(self, value: Operand, other: Operand) -> bool:
        """Whether two values are one, maybe moved."""
        origins = set(self._patterns.back(value, only_moved=True))
        return not origins.isdisjoint(self._patterns.back(other, only_moved=True))

    @staticmethod
    def _is_sum(node: SurveyedNode) -> bool:
        """Whether a node adds up elements, or takes their mean: no norm, and no largest of them."""
        facts = node.facts
        return facts is not None and facts.op_kind == "reduction" and not (facts.range_safe or facts.follow)
