"""What a window that is written at a run-time address asks of its starts and extents."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.DynamicUpdateSliceGen import DynamicUpdateSliceGen
from runtime.fitting import larger_extents
from runtime.instructions import Problem
from runtime.wrappers.DynamicSlice import why_not_starts


class DynamicUpdateSlice(DynamicUpdateSliceGen):
    """A start for each dimension, and a window that fits."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        shape, update = self.src.type.shape, self.update.type.shape
        yield from why_not_starts(tuple(start.type.dtype for start in self.start), self.src.type.rank)
        if shape is None or update is None or len(shape) != len(update):
            return
        for axis, found, limit in larger_extents(update, shape):
            yield Problem(f"update has the extent {found} along axis {axis}, and src {limit}", "update")
