"""What a run of slices asks of the dimension that it is taken along."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.NarrowGen import NarrowGen
from runtime.fitting import counted
from runtime.instructions import Problem


class Narrow(NarrowGen):
    """A run of slices that ends within its operand."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        shape = self.src.type.shape
        extent = shape[self.axis] if shape is not None and self.axis < len(shape) else None
        if isinstance(extent, int) and self.start + self.length > extent:
            yield Problem(
                f"{counted(self.length, 'slice')} from {self.start} on are taken, and src has {extent} along axis "
                f"{self.axis}",
                "length",
            )
