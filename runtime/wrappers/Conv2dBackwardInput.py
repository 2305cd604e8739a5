"""What the gradient of what a convolution takes asks of its result."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.Conv2dBackwardInputGen import Conv2dBackwardInputGen
from runtime.instructions import Problem
from runtime.operand_shapes import why_not_stated
from runtime.relations import may_be_equal
from runtime.windows import Windows, why_not_convolved, why_not_counts


class Conv2dBackwardInput(Conv2dBackwardInputGen):
    """A gradient that a convolution with these attributes would take to the gradient of its result."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if why := why_not_stated(self.type, 2):
            yield Problem(why)
        lists = self.strides, self.padding, self.dilations
        wrong = [*why_not_convolved(self.type, self.weights.type, *lists, self.groups)]
        for name, message in wrong:
            yield Problem(message.replace("src has", "the result has"), name)
        gradient, shape, weights = self.gradient.type.shape, self.type.shape, self.weights.type.shape
        if wrong or gradient is None or shape is None or weights is None or not 4 == len(gradient) == len(shape):
            return
        if not may_be_equal(gradient[0], shape[0]):
            yield Problem(f"gradient has a batch of {gradient[0]}, and the result one of {shape[0]}", "gradient")
        window = [extent for extent in weights[2:] if isinstance(extent, int)]
        if len(window) == 2:
            counts = why_not_counts(Windows.along(window, *lists), shape[2:], gradient[2:])
            if counts is not None:
                yield Problem(f"{counts} over the result", "gradient")
