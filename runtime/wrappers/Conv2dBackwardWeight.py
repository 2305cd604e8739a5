"""What the gradient of the weights of a convolution asks of its result."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.Conv2dBackwardWeightGen import Conv2dBackwardWeightGen
from runtime.instructions import Problem
from runtime.operand_shapes import why_not_stated
from runtime.relations import may_be_equal
from runtime.windows import Windows, why_not_convolved, why_not_counts


class Conv2dBackwardWeight(Conv2dBackwardWeightGen):
    """A gradient of weights with which a convolution of src has as many windows."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if why := why_not_stated(self.type, 2):
            yield Problem(why)
        lists = self.strides, self.padding, self.dilations
        wrong = [*why_not_convolved(self.src.type, self.type, *lists, self.groups)]
        for name, message in wrong:
            result = message.replace("weights take", "the result takes").replace("weights of", "the result of")
            yield Problem(result.replace("have a window", "has a window"), None if name == "weights" else name)
        gradient, src, shape = self.gradient.type.shape, self.src.type.shape, self.type.shape
        if (
            wrong
            or gradient is None
            or src is None
            or shape is None
            or not 4 == len(gradient) == len(src) == len(shape)
        ):
            return
        if not may_be_equal(gradient[1], shape[0]):
            yield Problem(f"gradient has {gradient[1]} channels, and the result {shape[0]} outputs", "gradient")
        window = [extent for extent in shape[2:] if isinstance(extent, int)]
        if len(window) == 2:
            counts = why_not_counts(Windows.along(window, *lists), src[2:], gradient[2:])
            if counts is not None:
                yield Problem(f"{counts} over src", "gradient")
