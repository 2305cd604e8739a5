"""What a quantization asks of its lists."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.QuantizeGen import QuantizeGen
from runtime.instructions import Problem
from runtime.quantized_axes import problems_with_lists


class Quantize(QuantizeGen):
    """A quantization with a scale and a zero point for everything, or for each index along its axis."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from problems_with_lists(self.scales, self.zero_points, self.src.type, self.axis)
