"""What a quantization with learned scales asks of them."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.FakeQuantizeLSQBackwardXGen import FakeQuantizeLSQBackwardXGen
from runtime.instructions import Problem
from runtime.quantized_axes import why_not_scales


class FakeQuantizeLSQBackwardX(FakeQuantizeLSQBackwardXGen):
    """A quantization with a scale for everything, or for each index along its axis."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        shape = self.scale.type.shape
        count = shape[0] if shape is not None and len(shape) == 1 else None
        for name, message in why_not_scales(count, self.src.type.shape, self.axis, "scale"):
            yield Problem(message, name)
