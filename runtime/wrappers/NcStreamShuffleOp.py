"""Which masks pick partitions of a quadrant."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.NcStreamShuffleOpGen import NcStreamShuffleOpGen
from runtime.instructions import Problem
from runtime.relations import extent
from runtime.tile_rules import elements_in_partition

_PARTITIONS = 128
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
        yield from self._why_not_picked()
        here, there = elements_in_partition(self._src.type), elements_in_partition(self.type)
        if here is not None and there is not None and here != there:
            yield Problem(f"src has {here} elements in a partition, and the result {there}", "src")

    def _why_not_picked(self) -> Iterator[Problem]:
        """Yield the first partition of the result for which the source has none."""
        mask, held = self._shuffle_mask, extent(self._src.type.shape, 0)
        count = extent(self.type.shape, 0)
        if len(mask) != _QUADRANT or not isinstance(count, int) or count > _PARTITIONS:
            return
        for partition in range(count):
            entry = mask[partition % _QUADRANT]
            picked = partition - partition % _QUADRANT + entry
            if entry == _UNTOUCHED and self.dst is None:
                yield Problem(
                    f"the mask leaves partition {partition} as it is, which a value is not: give it a dst",
                    "shuffle_mask",
                )
                return
            if entry < _QUADRANT and isinstance(held, int) and picked >= held:
                yield Problem(f"partition {partition} gets partition {picked}, and src has {held}", "shuffle_mask")
                return
