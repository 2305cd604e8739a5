"""What a quantization asks of its scales."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.ScaledQuantizeGen import ScaledQuantizeGen
from runtime.instructions import Problem
from runtime.scale_layouts import why_not_scaled, why_not_scales


class ScaledQuantize(ScaledQuantizeGen):
    """A quantization whose scales fit the extents of what has them."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        for name, message in why_not_scaled(self.src.type.shape, self.scale_layout, self.block):
            yield Problem(message, name)
        wrong = why_not_scales(self.scale.type, self.src.type.shape, self.scale_layout, self.block)
        if wrong is not None:
            yield Problem(wrong, "scale")
