"""What a quantization asks of its lists."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.QuantizeGen import QuantizeGen
from runtime.instructions import Problem
from runtime.quantized_axes import why_not_scales


class Quantize(QuantizeGen):
    """A quantization with a scale and a zero point for everything, or for each index along its axis."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        for name, message in why_not_scales(len(self.scales), self.src.type.shape, self.axis, "scales"):
            yield Problem(message, name)
        if len(self.zero_points) != len(self.scales):
            counts = f"scales has {len(self.scales)}, and zero_points {len(self.zero_points)}"
            yield Problem(f"there is a zero point for each scale: {counts}", "zero_points")
