"""What a transposed convolution asks of its lists."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.ConvTranspose3dGen import ConvTranspose3dGen
from runtime.instructions import Problem
from runtime.windows import why_not_output_padding, why_not_windows


class ConvTranspose3d(ConvTranspose3dGen):
    """A transposed convolution whose lists have an entry for each spatial dimension."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        more = {"dilations": self.dilations, "output_padding": self.output_padding}
        for name, message in why_not_windows(3, None, self.strides, self.padding, **more):
            yield Problem(message, name)
        for message in why_not_output_padding(self.output_padding, self.strides, self.dilations):
            yield Problem(message, "output_padding")
        shape = self.weights.type.shape
        if shape is not None and 0 in shape[2:]:
            yield Problem(f"weights of {self.weights.type} have a window without elements", "weights")
