"""Which scales go with a quantized tile."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.QuantizeMxOpGen import QuantizeMxOpGen
from runtime.instructions import Problem
from runtime.scale_layouts import why_not_groups


class QuantizeMxOp(QuantizeMxOpGen):
    """A quantization with a scale for each 8 partitions by 4 elements.

    Source: AWS Neuron documentation, `nki.isa.quantize_mx`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if why := why_not_groups("dst_scale", self._dst_scale.type, self._src.type):
            yield Problem(why, "dst_scale")
