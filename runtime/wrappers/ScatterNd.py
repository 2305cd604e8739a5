"""What a scatter of slices asks of its places and of what is written there."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.ScatterNdGen import ScatterNdGen
from runtime.fitting import why_not_shape
from runtime.instructions import Problem


class ScatterNd(ScatterNdGen):
    """Places in the first dimensions of `data`, with a slice for each."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        data, indices, updates = self.data.type.shape, self.indices.type.shape, self.updates.type.shape
        if indices is not None and not indices:
            yield Problem("indices has no dimension; the last one has the indices of a place", "indices")
            return
        taken = indices[-1] if indices is not None else None
        if data is None or indices is None or not isinstance(taken, int):
            return
        if taken > len(data):
            yield Problem(f"a place has {taken} indices, and data rank {len(data)}", "indices")
        elif why := why_not_shape(updates, (*indices[:-1], *data[taken:])):
            yield Problem(f"updates has the shape {why}", "updates")
