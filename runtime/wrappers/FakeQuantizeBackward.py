"""What the gradient of a quantization asks of its axis."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.FakeQuantizeBackwardGen import FakeQuantizeBackwardGen
from runtime.instructions import Problem
from runtime.quantized_axes import why_not_axis


class FakeQuantizeBackward(FakeQuantizeBackwardGen):
    """A gradient of a quantization along an axis that is there."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        wrong = why_not_axis(self.src.type.shape, self.axis)
        if wrong is not None:
            yield Problem(wrong, "axis")
