"""What an RMS normalisation asks of its axis, its factors and what it adds."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.RmsNormGen import RmsNormGen
from runtime.instructions import Problem
from runtime.operand_shapes import problems_from_axis


class RmsNorm(RmsNormGen):
    """A normalisation along dimensions that its operand has, with factors of their extents."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from problems_from_axis(self.axis, self.src.type, gamma=self.gamma, beta=self.beta)
