"""What an adaptive normalisation asks of the scale."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.AdaLayerNormGen import AdaLayerNormGen
from runtime.instructions import Problem
from runtime.operand_shapes import why_not_onto


class AdaLayerNorm(AdaLayerNormGen):
    """One whose scale can be broadcast to what is normalised."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if why := why_not_onto("scale", self.scale.type, self.src.type):
            yield Problem(why, "scale")
