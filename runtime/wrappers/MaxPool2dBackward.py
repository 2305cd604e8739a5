"""What the gradient of a max pool asks of its lists."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.MaxPool2dBackwardGen import MaxPool2dBackwardGen
from runtime.instructions import Problem
from runtime.relations import may_be_equal
from runtime.windows import Windows, why_not_counts, why_not_windows


class MaxPool2dBackward(MaxPool2dBackwardGen):
    """A gradient of as many windows as a pool of src has."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        wrong = [*why_not_windows(2, self.window, self.strides, self.padding)]
        for name, message in wrong:
            yield Problem(message, name)
        src, gradient = self.src.type.shape, self.gradient.type.shape
        if wrong or src is None or gradient is None or not 4 == len(src) == len(gradient):
            return
        if not all(map(may_be_equal, src[:2], gradient[:2])):
            yield Problem(f"gradient has the extents {list(gradient)}, and src {list(src)}", "gradient")
        counts = why_not_counts(Windows.along(self.window, self.strides, self.padding), src[2:], gradient[2:])
        if counts is not None:
            yield Problem(f"{counts} over src", "gradient")
