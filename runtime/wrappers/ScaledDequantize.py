"""What a dequantization asks of its scales."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.ScaledDequantizeGen import ScaledDequantizeGen
from runtime.instructions import Problem
from runtime.scale_layouts import problems_with_scales


class ScaledDequantize(ScaledDequantizeGen):
    """A dequantization whose scales fit the extents of what has them."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from problems_with_scales(self.scale.type, self.src.type, self.scale_layout, self.block)
