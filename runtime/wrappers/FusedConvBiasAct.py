"""What a convolution with a bias and a further summand asks of it."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.FusedConvBiasActGen import FusedConvBiasActGen
from runtime.instructions import Problem
from runtime.relations import may_be_equal


class FusedConvBiasAct(FusedConvBiasActGen):
    """A convolution whose further summand has the extents of its result."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        residual, shape = None if self.residual is None else self.residual.type.shape, self.type.shape
        if residual is None or shape is None:
            return
        if len(residual) != len(shape) or not all(map(may_be_equal, residual, shape)):
            yield Problem(f"residual has the extents {list(residual)}, and the result {list(shape)}", "residual")
