"""Which masks pick partitions of a quadrant."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.NcStreamShuffleOpGen import NcStreamShuffleOpGen
from runtime.instructions import Problem
from runtime.tile_rules import elements_in_partition

_QUADRANT = 32
_UNTOUCHED = 255


class NcStreamShuffleOp(NcStreamShuffleOpGen):
    """Copies of partitions within quadrants of 32.

    Source: AWS Neuron documentation, `nki.isa.nc_stream_shuffle`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if len(self._shuffle_mask) != _QUADRANT:
            yield Problem(f"shuffle_mask has {len(self._shuffle_mask)} entries; expected {_QUADRANT}", "shuffle_mask")
        for entry in self._shuffle_mask:
            if _QUADRANT <= entry < _UNTOUCHED:
                yield Problem(f"shuffle_mask has {entry}; expected 0 to 31, or 255", "shuffle_mask")
        here, there = elements_in_partition(self._src.type), elements_in_partition(self.type)
        if here is not None and there is not None and here != there:
            yield Problem(f"src has {here} elements in a partition, and the result {there}", "src")
