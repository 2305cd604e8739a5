"""What the gradient of the factors of a layer normalisation asks of its axis."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.LayerNormBackwardGammaGen import LayerNormBackwardGammaGen
from runtime.instructions import Problem
from runtime.operand_shapes import why_not_axis


class LayerNormBackwardGamma(LayerNormBackwardGammaGen):
    """A gradient along dimensions that its operand has."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if why := why_not_axis(self.axis, self.src.type):
            yield Problem(why, "axis")
