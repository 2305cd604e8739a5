"""What an RMS normalisation asks of its axis, its factors and what it adds."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.RmsNormGen import RmsNormGen
from runtime.instructions import Problem
from runtime.operand_shapes import why_not_axis, why_not_from_axis


class RmsNorm(RmsNormGen):
    """A normalisation along dimensions that its operand has, with factors of their extents."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if why := why_not_axis(self.axis, self.src.type):
            yield Problem(why, "axis")
        if why := why_not_from_axis("gamma", self.gamma.type, self.src.type, self.axis):
            yield Problem(why, "gamma")
        if self.beta is not None and (why := why_not_from_axis("beta", self.beta.type, self.src.type, self.axis)):
            yield Problem(why, "beta")
