"""What the decoding of the packed matrices of experts asks of their bytes."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.DequantMoEWeightsGen import DequantMoEWeightsGen
from runtime.instructions import Problem
from runtime.operand_shapes import why_not_stated
from runtime.packed import why_not_elements, why_not_weights


class DequantMoEWeights(DequantMoEWeightsGen):
    """A decoding of as many elements as the result has."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        for name, message in why_not_weights(self.scheme, self.weights.type):
            yield Problem(message, name)
        if why := why_not_stated(self.type):
            yield Problem(why)
        if self.type.shape is not None:
            wrong = why_not_elements(self.scheme, self.weights.type, self.type.shape)
            if wrong is not None:
                yield Problem(wrong, "weights")
