"""What a gathering of elements asks of its indices."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.GatherElementsGen import GatherElementsGen
from runtime.fitting import counted, larger_extents
from runtime.instructions import Problem


class GatherElements(GatherElementsGen):
    """Indices of the rank of `src`, no larger than that but along the axis."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        src, indices = self.src.type.shape, self.indices.type.shape
        if src is None or indices is None:
            return
        if len(src) != len(indices):
            yield Problem(f"indices has {counted(len(indices), 'dimension')}, and src {len(src)}", "indices")
            return
        for axis, found, limit in larger_extents(indices, src):
            if axis != self.axis:
                yield Problem(f"indices has the extent {found} along axis {axis}, and src {limit}", "indices")
