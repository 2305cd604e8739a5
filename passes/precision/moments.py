"""Variances and norms that are spelled out so that large terms cancel: they stay f32, as other differences do.

    %q = Mul %x, %x    %e = ReduceMean %q    %m = ReduceMean %x    %s = Mul %m, %m    %v = Sub %e, %s

*A variance* as the mean of squares less the square of the mean, or a covariance so, of two values. Of 100 with a
deviation of 1, the two are 10,001 and 10,000: bf16 holds neither, and f16 no difference below 8.

    %a = Mul %x, %r    %b = Mul %m, %r    %c = Sub %bias, %b    %n = Add %a, %c

*A norm* that is distributed: %m was reduced from %x, and the product with the reciprocal comes before the difference.

A mean may be a product with a constant window, as in the structural similarity of two images.

It must not be seen where the values that are reduced differ, or the factors; where nothing is reduced; or in a sum of
both. The results may be narrowed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from passes.precision.constants import Constants
from passes.precision.patterns import Patterns
from passes.precision.squares import PRODUCTS, Squares, Way
from passes.precision.sums import Sums
from passes.precision.survey import Survey, SurveyedNode
from runtime.instructions import Instruction
from runtime.operand_slots import values_of
from runtime.values import Operand


def nodes_of_moments(survey: Survey, constants: Constants, patterns: Patterns, sums: Sums) -> set[Instruction]:
    """Return the nodes of variances and norms that are spelled out so."""
    if not any(form.computes in PRODUCTS for form in survey.forms):
        return set()
    moments = _Moments(survey, constants, patterns)
    found: set[Instruction] = set()
    for inst, is_difference, left, right in sums.of_variables:
        for one, other in ((left, right), (right, left)):
            chain = moments.norm(one, other) if _may_be_scaled(one, survey, constants) else []
            if not chain and is_difference and _may_be_square(other, survey):
                chain = moments.variance(one, other)
            found.update([inst, *chain] if chain else ())
    return found


def _may_be_scaled(value: Operand, survey: Survey, constants: Constants) -> bool:
    """Whether a value may be the product of two variables, which no object is made for."""
    group = survey.group_that_gives(value)
    if group is None or group.form.computes != "multiply" or not isinstance(value, Instruction):
        return False
    return constants.held.keys().isdisjoint(values_of(value))


def _may_be_square(value: Operand, survey: Survey) -> bool:
    """Whether the form of what gives a value may be that of a square, or of what scales or moves one."""
    group = survey.group_that_gives(value)
    if group is None:
        return False
    facts = group.form.facts
    moves = facts is not None and facts.op_kind == "data_movement"
    return moves or group.form.computes in ("divide", *PRODUCTS)


class _Moments:
    """Answers for one function."""

    def __init__(self, survey: Survey, constants: Constants, patterns: Patterns) -> None:
        self._survey = survey
        self._patterns = patterns
        self._squares = Squares(survey, constants, patterns)

    def norm(self, scaled: Operand, shifted: Operand) -> list[Instruction]:
        """Return the products of a norm, with what joins the bias to one, where two summands are what is left of it."""
        product = self._survey.producer(scaled)
        factors = None if product is None else self._squares.factors(product)
        if product is None or factors is None or factors[0] is factors[1]:
            return []
        for other, between in self._products_in(shifted):
            means = self._squares.factors(other)
            for value, factor in permutations(factors):
                for mean, same in permutations(means) if means is not None else ():
                    if self._patterns.is_one(factor, same) and self._patterns.is_reduced_from(mean, value):
                        return [product.inst, other.inst, *between]
        return []

    def variance(self, of_squares: Operand, of_mean: Operand) -> list[Instruction]:
        """Return what a mean of squares and the square of a mean come from; nothing where the values are none."""
        squared = self._squares.first(of_mean, self._squares.factors)
        means = self._squares.factors(squared[-1]) if squared else None
        summed = self._squares.summed(of_squares) if means is not None else None
        if means is None or summed is None:
            return []
        ways = [self._way_to_mean(mean) for mean in means]
        origins = [self._origins(way) for way in ways]
        for pair in permutations(summed.factors):
            wanted = [set(self._patterns.back(one, only_moved=True)) for one in pair]
            if all(not one.isdisjoint(other) for one, other in zip(wanted, origins, strict=True)):
                return [node.inst for way in (squared, summed.way, *ways) for node in way]
        return []

    def _products_in(self, value: Operand) -> Iterator[tuple[SurveyedNode, list[Instruction]]]:
        """Yield the products that a value is, or is the sum or the negation of, with what stands in between."""
        node = self._survey.producer(value)
        if node is None:
            return
        if self._squares.factors(node) is not None:
            yield node, []
        elif node.form.computes in ("add", "subtract", "negative"):
            for operand in node.operands:
                inner = self._survey.producer(operand)
                if inner is not None and self._squares.factors(inner) is not None:
                    yield inner, [node.inst]

    def _way_to_mean(self, mean: Operand) -> Way:
        """Return the nodes back to the ones that a value is the mean by, those included."""
        found = self._squares.first(mean, self._squares.averages)
        if found and found[-1].form.is_product:
            for operand in found[-1].operands:
                found = [*found, *self._way_to_mean(operand)]
        return found

    def _origins(self, way: Way) -> set[Operand]:
        """Return the values that a mean is one of, as they are spelled."""
        operands = [operand for node in way if self._squares.averages(node) for operand in node.operands]
        return {origin for one in operands for origin in self._patterns.back(one, only_moved=True)}
