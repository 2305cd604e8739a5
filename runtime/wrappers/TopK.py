"""What the largest elements ask of the dimension that they are taken along."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.TopKGen import TopKGen
from runtime.instructions import Problem


class TopK(TopKGen):
    """As many elements as there are, at most."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        shape = self.src.type.shape
        extent = shape[self.axis] if shape is not None and self.axis < len(shape) else None
        if isinstance(extent, int) and self.k > extent:
            yield Problem(f"k is {self.k}, and src has {extent} elements along axis {self.axis}", "k")
