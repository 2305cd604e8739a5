"""What a quantization with learned scales asks of them."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.FakeQuantizeLSQBackwardXGen import FakeQuantizeLSQBackwardXGen
from runtime.instructions import Problem
from runtime.quantized_axes import problems_with_operand


class FakeQuantizeLSQBackwardX(FakeQuantizeLSQBackwardXGen):
    """A quantization with a scale for everything, or for each index along its axis."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from problems_with_operand(self.scale.type, self.src.type, self.axis)
