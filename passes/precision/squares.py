"""Squares and products of two values, and the sums of them, which the terms that cancel are made of.

    %e = ReduceMean (Mul %x, %x)        %e = Conv (Mul %x, %x), 1/49        both are means of squares

A product with a constant that is nowhere negative is a mean or a sum, too: a window that slides over an image.

Deliberately absent: what becomes of them (`passes/precision/moments.py`, `passes/precision/distances.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from passes.precision.constants import Constants
from passes.precision.patterns import Patterns
from passes.precision.survey import Survey, SurveyedNode
from runtime.instructions import Instruction
from runtime.precision_facts import PrecisionFacts
from runtime.values import Operand

PRODUCTS: Final = ("multiply", "power", "square")
"""What multiplies two values, or one with itself."""

_FEW: Final = 8
"""Nodes between a sum and a division."""

Pair = tuple[Operand, Operand]
Way = list[SurveyedNode]
"""Nodes back from a value, the one that was sought last."""


@dataclass(frozen=True, slots=True)
class SummedProducts:
    """A sum or mean of products: the way back to the first product, and its two factors."""

    way: Way
    factors: Pair


class Squares:
    """Answers for one function."""

    def __init__(self, survey: Survey, constants: Constants, patterns: Patterns) -> None:
        self._survey = survey
        self._constants = constants
        self._patterns = patterns

    def first(self, value: Operand, is_sought: Callable[[SurveyedNode], object]) -> Way:
        """Return the nodes back to the first one that is sought, that one last; none where there is none."""
        found = []
        for one in self._patterns.back(value):
            node = self._survey.producer(one)
            if node is None:
                return []
            found.append(node)
            if is_sought(node):
                return found
        return []

    def factors(self, node: SurveyedNode) -> Pair | None:
        """Return the two variable factors of a product or a square, element by element."""
        word, operands = node.form.computes, node.operands
        if word == "square" and len(operands) == 1 and node.moves_elements:
            return operands[0], operands[0]
        if len(operands) != 2 or operands[0] in self._constants:
            return None
        if word == "multiply" and operands[1] not in self._constants:
            return operands[0], operands[1]
        exponent = self._constants.number(operands[1]) if word == "power" else None
        return (operands[0], operands[0]) if exponent == 2 else None

    def summed(self, value: Operand) -> SummedProducts | None:
        """Return the products that a value is the sum or the mean of, if it is one."""
        way = self.first(value, self.averages)
        for operand in way[-1].operands if way else ():
            if way[-1].form.computes == "square":
                return SummedProducts(way, (operand, operand))
            square = self.first(operand, self.factors)
            factors = self.factors(square[-1]) if square else None
            if factors is not None:
                return SummedProducts([*way, *square], factors)
            further = self.summed(operand) if way[-1].form.is_product else None  # rows first, then columns
            if further is not None:
                return SummedProducts([*way, *further.way], further.factors)
        return None

    def averages(self, node: SurveyedNode) -> bool:
        """Whether a node adds up elements, all of them with weights of one sign."""
        if adds_up(node.facts):
            return True
        operands = node.operands
        held = [one for one in operands if one in self._constants.held]
        if not node.form.is_product or len(operands) != 2 or len(held) != 1:
            return False
        weights = self._constants.small_contents(held[0])
        return weights is not None and weights.size > 1 and bool((weights >= 0).all())


def adds_up(facts: PrecisionFacts | None) -> bool:
    """Whether a node adds up elements, or takes their mean: no norm, and no largest of them."""
    return facts is not None and facts.op_kind == "reduction" and not (facts.range_safe or facts.follow)


def products_of_ratios(survey: Survey, constants: Constants) -> set[Instruction]:
    """Return the products of two values that are only summed up for a division: a cosine, a correlation."""
    found: set[Instruction] = set()
    if not any(form.computes == "divide" for form in survey.forms):
        return found
    for group in survey.groups:
        if group.form.computes != "multiply" or len(group.form.data) != 2:
            continue
        for inst, values in zip(group.insts, group.values, strict=True):
            if any(values[at] in constants.held for at in group.form.data):
                continue
            readers = [survey.nodes.get(user) for user in inst.users]
            if readers and all(one is not None and _is_divided(one, survey, constants) for one in readers):
                found.add(inst)
    return found


def _is_divided(node: SurveyedNode, survey: Survey, constants: Constants) -> bool:
    """Whether a node adds up, and the sum, maybe moved or added to, is divided by a value or divides one."""
    if node.facts is None or not (adds_up(node.facts) and node.facts.wide_range):
        return False
    queue, seen = [node], {node.inst}
    while queue:
        for user in [user for result in queue.pop().results for user in result.users]:
            reader = survey.nodes.get(user)
            if reader is None or reader.facts is None or user in seen:
                continue
            seen.add(user)
            if reader.form.computes == "divide" and all(one not in constants.held for one in reader.operands):
                return True
            if len(seen) < _FEW and (reader.facts.op_kind == "data_movement" or reader.form.computes == "add"):
                queue.append(reader)
    return False


def products_of_norms(survey: Survey, patterns: Patterns) -> set[Instruction]:
    """Return the products of a value with itself, which sum up squares, of which a root is taken."""
    found: set[Instruction] = set()
    if not any(form.is_product for form in survey.forms):
        return found
    for root in survey.nodes_of([form for form in survey.forms if form.computes == "sqrt"]):
        for value in patterns.back(root.operands[0]) if root.operands else ():
            node = survey.producer(value)
            if (
                node is not None
                and node.form.is_product
                and len(node.operands) == 2
                and patterns.is_one(*node.operands)
            ):
                found.add(node.inst)
    return found
