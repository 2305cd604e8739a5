"""What a convolution asks of its lists and channels."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.ConvGen import ConvGen
from runtime.instructions import Problem
from runtime.windows import why_not_windows


class Conv(ConvGen):
    """A convolution whose lists have an entry for each spatial dimension, and whose weights fit the channels."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        src, weights = self.src.type.shape, self.weights.type.shape
        if src is None or weights is None or len(src) < 3 or len(weights) != len(src):
            return  # which the definition's own rules say
        wrong = why_not_windows(len(src) - 2, None, self.strides, self.padding, dilations=self.dilations)
        for name, message in wrong:
            yield Problem(message, name)
        if 0 in weights[2:]:
            yield Problem(f"weights of {self.weights.type} have a window without elements", "weights")
        channels, taken = src[1], weights[1]
        if isinstance(channels, int) and isinstance(taken, int) and channels != taken * self.groups:
            groups = f" in each of {self.groups} groups" if self.groups > 1 else ""
            yield Problem(f"src has {channels} channels, and weights take {taken}{groups}", "weights")
