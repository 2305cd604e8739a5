"""What a scatter of elements asks of its indices."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.ScatterElementsGen import ScatterElementsGen
from runtime.fitting import counted, larger_extents
from runtime.instructions import Problem


class ScatterElements(ScatterElementsGen):
    """Indices of the rank of `data`, no larger than that but along the axis."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        data, indices = self.data.type.shape, self.indices.type.shape
        if data is None or indices is None:
            return
        if len(data) != len(indices):
            yield Problem(f"indices has {counted(len(indices), 'dimension')}, and data {len(data)}", "indices")
            return
        for axis, found, limit in larger_extents(indices, data):
            if axis != self.axis:
                yield Problem(f"indices has the extent {found} along axis {axis}, and data {limit}", "indices")
