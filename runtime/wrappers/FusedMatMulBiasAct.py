"""What a product with a bias asks of its extents."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.FusedMatMulBiasActGen import FusedMatMulBiasActGen
from runtime.instructions import Problem
from runtime.relations import may_be_equal


class FusedMatMulBiasAct(FusedMatMulBiasActGen):
    """A product of at least a vector and a matrix, with a bias for each column."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        left, right, bias = self.lhs.type.shape, self.rhs.type.shape, self.bias.type.shape
        if left == ():
            yield Problem("lhs has no dimension; expected [..., M, K]", "lhs")
        if right is None:
            return
        if len(right) < 2:
            yield Problem(f"rhs of {self.rhs.type} has no rows and columns; expected [..., K, N]", "rhs")
            return
        if left and not may_be_equal(left[-1], right[-2]):
            yield Problem(f"rows of lhs have {left[-1]} elements, and columns of rhs {right[-2]}", "rhs")
        if bias and not may_be_equal(bias[0], right[-1]):
            yield Problem(f"bias has {bias[0]} elements, and the product {right[-1]} columns", "bias")
