"""Arithmetic that takes several operations to say: centring, a division by a reciprocal, a square, a bias.

    %m = ReduceMax %x                  %v = Sqrt %s
    %d = Sub %x, %m                    %r = Reciprocal %v
                                       %n = Mul %x, %r

*Centring*: the difference between a value and what was reduced from it, `x - max(x)` of a softmax, `x - mean(x)` of a
norm, or between two that were, `max(x) - min(x)`. They are about as large as each other, so most digits cancel, and
what is left is what was rounded away if %x is narrowed first. The reduction may come through operations on one value (a
reshape, a division by a constant, a logarithm), and may be one of such a function of %x: `x - log(sum(exp(x)))` too. So
is the difference between a value and what was rounded from it, `x - floor(x)`, and the one between integers, such as
positions. It must not be seen in a difference of other values, a reduction of something else than %x, or a sum.

*Division*: a product with a reciprocal brings the range back as a division does. It must not be seen where a constant
is multiplied, which only scales the reciprocal.

*A square* may overflow where its root would not: a variance, a norm, the size of a complex number. Other products of a
value with itself are as any product.

*A bias* is a constant that is added for what it is, however small: rounding it changes nothing that shows. An epsilon
is added so that a divisor, or what a root or a logarithm is taken of, is not zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from passes.precision.constants import Constants
from passes.precision.forms import SCATTERS
from passes.precision.survey import Survey, SurveyedNode
from runtime.blocks import Statement
from runtime.generic import ONNX_DOMAIN, OnnxNode
from runtime.instructions import Instruction
from runtime.precision_facts import SCALARS
from runtime.values import Operand, Value

FARTHEST: Final = 8
"""Operations between the two ends of a pattern."""


_STEEP: Final = ("sqrt", "log", "reciprocal", "power")


class Patterns:
    """Answers for one function."""

    def __init__(self, survey: Survey, constants: Constants) -> None:
        self._survey = survey
        self._constants = constants

    def is_centring(self, node: SurveyedNode) -> bool:
        """Whether a node is the difference between a value and what was reduced or rounded from it, or of integers."""
        if not _computes(node, "subtract") or len(node.data) != 2:
            return False
        left, right = node.operands
        if self.is_reduced_from(right, left) or self.is_reduced_from(left, right):
            return True
        if self._is_rounded_from(right, left) or self._is_rounded_from(left, right):
            return True
        if not self._reduced_origins(left).isdisjoint(self._reduced_origins(right)):
            return True
        return self._is_an_integer(left) and self._is_an_integer(right)

    def is_division(self, node: SurveyedNode) -> bool:
        """Whether a node multiplies a value by a reciprocal."""
        if not _computes(node, "multiply") or len(node.data) != 2:
            return False
        left, right = ((value, self._is_reciprocal(value)) for value in node.operands)
        if left[1] == right[1]:
            return False
        numerator = right[0] if left[1] else left[0]
        return numerator not in self._constants

    def is_square_of_norm(self, node: SurveyedNode) -> bool:
        """Whether a node multiplies a value by itself, and squares are summed, or a root or a logarithm is taken."""
        if node.form.computes != "multiply" or len(node.data) != 2:
            return False
        if node.values[node.data[0]] is not node.values[node.data[1]]:
            return False
        queue, seen = [*node.results], {node.inst}
        while queue and len(seen) < FARTHEST * FARTHEST:
            for user in queue.pop().users:
                reader = self._survey.nodes.get(user)
                if user in seen or reader is None or reader.facts is None:
                    continue
                seen.add(user)
                if _is_reduction(reader) or reader.facts.computes in ("sqrt", "log"):
                    return True
                if reader.facts.op_kind == "data_movement" or reader.facts.computes == "add" or self._scales(reader):
                    queue += reader.results
        return False

    def _scales(self, node: SurveyedNode) -> bool:
        """Whether a node multiplies a value by constants, divides it by them, or changes its sign."""
        if node.form.computes not in ("absolute", "divide", "multiply", "negative"):
            return False
        return sum([one not in self._constants.held for one in node.operands]) == 1

    def is_one(self, value: Operand, other: Operand) -> bool:
        """Whether two values are one, maybe moved."""
        if value is other:
            return True
        node, moved = self._survey.producer(value), self._survey.producer(other)
        if not any(one is not None and one.moves_elements for one in (node, moved)):
            return False
        origins = set(self.back(value, only_moved=True))
        return any(one in origins for one in self.back(other, only_moved=True))

    def is_bias(self, node: SurveyedNode) -> bool:
        """Whether a node adds a constant that is no epsilon: no divisor, root, logarithm or power comes of the sum."""
        if not (_computes(node, "add") or _computes(node, "subtract")):
            return False
        queue, seen = [*node.results], {node.inst}
        while queue:
            for user in queue.pop().users:
                reader = self._survey.nodes.get(user)
                if user in seen or (reader is None and _returns(user) and not self._survey.is_callee):
                    continue
                if reader is None or reader.facts is None or user.blocks or len(seen) > FARTHEST * FARTHEST:
                    return False  # where it goes is not known
                seen.add(user)
                if reader.facts.computes in _STEEP or "divisor" in reader.facts.operands.values():
                    return False
                if reader.moves_elements or _is_reduction(reader):
                    queue += _float_results(reader)
        return True

    def is_reduced_from(self, reduced: Operand, value: Operand) -> bool:
        """Whether a value was reduced from another one."""
        origins = set(self.back(value, only_moved=True))
        for one in self.back(reduced):
            node = self._survey.producer(one)
            if node is not None and _is_reduction(node):
                return any(origin in origins for operand in _floats(node) for origin in self.back(operand))
        return False

    def _reduced_origins(self, value: Operand) -> set[Operand]:
        """Return what a value, maybe moved, was reduced from, as it is spelled."""
        *_, last = self.back(value, only_moved=True)
        node = self._survey.producer(last)
        operands = _floats(node) if node is not None and _is_reduction(node) else []
        return {origin for one in operands for origin in self.back(one, only_moved=True)}

    def _is_rounded_from(self, rounded: Operand, value: Operand) -> bool:
        """Whether a value was rounded to integers from another one, by an operation or by casts there and back."""
        if value in self._constants:
            return False
        origins = set(self.back(value, only_moved=True))
        for one in self.back(rounded):  # which may be counted in other units
            node = self._survey.producer(one)
            if node is not None and _computes(node, "round"):
                return any(origin in origins for origin in self.back(node.operands[0]))
            source = None if node is None else _integer_source(node)
            if source is not None:
                cast = self._survey.producer(source)
                truncated = cast.values[0] if cast is not None and cast.values and _computes(cast, "convert") else None
                return truncated is not None and any(each in origins for each in self.back(truncated))
        return False

    def _is_an_integer(self, value: Operand) -> bool:
        """Whether a value was made of integers, or counts them."""
        for one in self.back(value, only_moved=True):
            node = self._survey.producer(one)
            if node is None or node.facts is None:
                return False
            if _integer_source(node) is not None or (node.facts.precision_intact and bool(node.results)):
                return True
        return False

    def _is_reciprocal(self, value: Operand) -> bool:
        """Whether a value is a reciprocal, maybe scaled and moved."""
        for one in self.back(value):
            node = self._survey.producer(one)
            if node is None or node.facts is None:
                return False
            if node.facts.computes == "reciprocal" or self._is_negative_power(node):
                return True
            if node.facts.op_kind != "data_movement" and node.facts.computes != "multiply":
                return False
        return False

    def _is_negative_power(self, node: SurveyedNode) -> bool:
        if not _computes(node, "power") or len(node.data) != 2:
            return False
        exponent = self._constants.contents(node.operands[1])
        return exponent is not None and exponent.size > 0 and bool((exponent < 0).all())

    def back(self, value: Operand, only_moved: bool = False) -> Iterator[Operand]:
        """Yield a value and, as long as it is computed from one other value, that."""
        yield value
        steps = FARTHEST
        while steps:
            node = self._survey.producer(value)
            if node is None or node.facts is None or not node.moves_elements:
                return
            is_cast = node.facts.computes == "convert"
            if only_moved and node.facts.op_kind != "data_movement":
                return
            sources = [operand for operand in _floats(node) if is_cast or operand not in self._constants]
            if len(sources) != 1:
                return
            (value,) = sources
            yield value
            steps -= not is_cast


def _floats(node: SurveyedNode) -> list[Operand]:
    """Return the floats that a node computes with, each once: patterns stay what they are where some became low."""
    roles = {} if node.facts is None else node.facts.operands
    found: dict[Operand, None] = {}
    for at, value in enumerate(node.values):
        if value is not None and roles.get(at, "any") in ("any", *SCALARS):
            dtype = value.type.dtype
            if dtype is None or dtype.is_float:
                found[value] = None
    return list(found)


def adds_up_where_it_scatters(node: SurveyedNode) -> bool:
    """Whether a node of ONNX scatters elements that are added up or multiplied, as `graph.scatter_nd` may."""
    inst = node.inst
    if not (isinstance(inst, OnnxNode) and inst.domain == ONNX_DOMAIN and inst.op_type in SCATTERS):
        return False
    return node.attribute("reduction") in ("add", "mul")


def _integer_source(node: SurveyedNode) -> Operand | None:
    """Return the integers that a node makes floats of, if it does."""
    source = node.values[0] if node.values and _computes(node, "convert") else None
    dtype = None if source is None else source.type.dtype
    return source if dtype is not None and dtype.is_int else None


def _float_results(node: SurveyedNode) -> list[Value]:
    """Return the floats that a node gives, whether they may be converted or a run before has done so."""
    return [one for one in node.inst.results if one.type.dtype is None or one.type.dtype.is_float]


def _computes(node: SurveyedNode, word: str) -> bool:
    return node.form.computes == word


def _returns(inst: Instruction) -> bool:
    """Whether an instruction ends a function."""
    return inst.is_terminator and inst.parent is not None and not isinstance(inst.parent.owner, Statement)


def _is_reduction(node: SurveyedNode) -> bool:
    return node.facts is not None and node.facts.op_kind == "reduction"
