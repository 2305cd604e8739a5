"""What a gathering of slices asks of its places."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.GatherNdGen import GatherNdGen
from runtime.fitting import counted, differ
from runtime.instructions import Problem


class GatherNd(GatherNdGen):
    """Places in the dimensions of `src` behind those of the batch, which both operands share."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        src, indices, batch = self.src.type.shape, self.indices.type.shape, self.batch_dims
        if src is None or indices is None:
            return
        if len(indices) <= batch:
            wanted = f"expected more than {batch}, the batch and the indices of a place"
            yield Problem(f"indices has {counted(len(indices), 'dimension')}; {wanted}", "indices")
            return
        taken = indices[-1]
        if batch > len(src) or isinstance(taken, int) and batch + taken > len(src):
            places = f"{batch} of the batch and {taken} of a place"
            yield Problem(f"src has {counted(len(src), 'dimension')}, and is given {places}", "indices")
            return
        for axis, (one, other) in enumerate(zip(src[:batch], indices[:batch], strict=True)):
            if differ(one, other):
                yield Problem(
                    f"indices has the extent {other} along axis {axis} of the batch, and src {one}", "indices"
                )
