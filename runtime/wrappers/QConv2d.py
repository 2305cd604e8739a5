"""What a convolution of codes asks of its lists and channels."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.QConv2dGen import QConv2dGen
from runtime.instructions import Problem
from runtime.windows import why_not_convolved


class QConv2d(QConv2dGen):
    """A convolution of codes whose lists have two entries, and whose weights fit the channels."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        src, weights = self.src.type, self.weights.type
        lists = self.strides, self.padding, self.dilations
        for name, message in why_not_convolved(src, weights, *lists, self.groups):
            yield Problem(message, name)
