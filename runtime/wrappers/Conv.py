"""What a convolution asks of its lists and channels."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.ConvGen import ConvGen
from runtime.instructions import Problem
from runtime.windows import why_not_convolved


class Conv(ConvGen):
    """A convolution whose lists have an entry for each spatial dimension, and whose weights fit the channels."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        src, weights = self.src.type, self.weights.type
        lists = self.strides, self.padding, self.dilations
        for name, message in why_not_convolved(src, weights, *lists, self.groups):
            yield Problem(message, name)
