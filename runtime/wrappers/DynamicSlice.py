"""What a window at a run-time address asks of its starts and extents."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.DynamicSliceGen import DynamicSliceGen
from runtime.fitting import counted, larger_extents
from runtime.instructions import Problem


class DynamicSlice(DynamicSliceGen):
    """A start and an extent for each dimension, and a window that fits."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        shape = self.src.type.shape
        yield from why_not_starts(tuple(start.type.dtype for start in self.start), self.src.type.rank)
        if shape is None:
            return
        if len(self.sizes) != len(shape):
            yield Problem(f"sizes has {counted(len(self.sizes), 'value')}, and src rank {len(shape)}", "sizes")
            return
        for axis, found, limit in larger_extents(self.sizes, shape):
            yield Problem(f"the window has the extent {found} along axis {axis}, and src {limit}", "sizes")


def why_not_starts(dtypes: tuple[object, ...], rank: int | None) -> Iterator[Problem]:
    """Yield what is wrong with the starts of a window: there is one for each dimension, all of one data type."""
    if rank is not None and len(dtypes) != rank:
        yield Problem(f"start has {counted(len(dtypes), 'index', 'indices')}, and src rank {rank}", "start")
    for index, dtype in enumerate(dtypes):
        if dtype is not dtypes[0] and None not in (dtype, dtypes[0]):
            slot = f"start[{index}]"
            yield Problem(f"{slot} has elements of {dtype}, and start[0] of {dtypes[0]}", slot)
