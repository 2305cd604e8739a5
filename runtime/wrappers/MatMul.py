"""Which operands a matrix product takes together."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.MatMulGen import MatMulGen
from runtime.infer.elementwise import broadcast_shapes
from runtime.instructions import Problem
from runtime.relations import may_be_equal


class MatMul(MatMulGen):
    """A product of as many columns as there are rows, over batches that can be broadcast to each other."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        for name, operand in (("lhs", self.lhs), ("rhs", self.rhs)):
            if operand.type.shape == ():
                yield Problem(f"{name} is {operand.type}; a product takes vectors and matrices", name)
        left, right = self.lhs.type.shape, self.rhs.type.shape
        if not left or not right:
            return
        summed, rows = left[-1], right[-2] if len(right) > 1 else right[0]
        if not may_be_equal(summed, rows):
            yield Problem(
                f"lhs has {summed} elements along its last dimension, and rhs {rows} to multiply them with", "rhs"
            )
        elif broadcast_shapes(left[:-2], right[:-2]) is None:
            yield Problem(
                f"the batches of {self.lhs.type} and {self.rhs.type} cannot be broadcast to each other", "rhs"
            )
