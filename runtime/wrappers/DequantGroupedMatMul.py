"""What a product with the packed matrices of experts asks of their bytes."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.DequantGroupedMatMulGen import DequantGroupedMatMulGen
from runtime.instructions import Problem
from runtime.operand_shapes import why_not_stated
from runtime.packed import GGUF, why_not_weights
from runtime.relations import may_be_equal


class DequantGroupedMatMul(DequantGroupedMatMulGen):
    """A product whose weights are a whole number of packed matrices."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        for name, message in why_not_weights(self.scheme, self.weights.type):
            yield Problem(message, name)
        if why := why_not_stated(self.type, 1):
            yield Problem(why)
        src, shape, count = self.src.type.shape, self.type.shape, self.weights.type.n_elements
        if src is None or shape is None or len(src) != 2 or len(shape) != 2 or self.scheme not in GGUF:
            return
        if not may_be_equal(shape[0], src[0]):
            yield Problem(f"the result has {shape[0]} rows, and src {src[0]}", None)
        if not isinstance(src[1], int) or not isinstance(shape[1], int) or count is None:
            return
        blocks = GGUF[self.scheme]
        each = src[1] * shape[1]
        if each % blocks.elements:
            yield Problem(f"a matrix has {each} elements, no whole number of blocks of {blocks.elements}", "weights")
        elif (held := blocks.count(count)) is not None and (held % each if each else held):
            yield Problem(f"weights hold {held} elements, no whole number of matrices of {each}", "weights")
