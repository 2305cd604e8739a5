"""What a transposed convolution asks of its lists."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.ConvTranspose2dGen import ConvTranspose2dGen
from runtime.instructions import Problem
from runtime.windows import problems_of_transposed


class ConvTranspose2d(ConvTranspose2dGen):
    """A transposed convolution whose lists have an entry for each spatial dimension."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from problems_of_transposed(
            self.weights.type, self.strides, self.padding, self.dilations, self.output_padding, rank=2
        )
