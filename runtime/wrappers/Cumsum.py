"""What cumulative sums ask of their axis."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.CumsumGen import CumsumGen
from runtime.instructions import Problem
from runtime.operand_shapes import why_not_axis


class Cumsum(CumsumGen):
    """Sums along a dimension that the operand has."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if why := why_not_axis(self.axis, self.src.type):
            yield Problem(why, "axis")
