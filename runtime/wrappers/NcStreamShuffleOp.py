"""Which masks pick partitions of a quadrant."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from generated.neuron.NcStreamShuffleOpGen import NcStreamShuffleOpGen
from runtime.access import NeuronAP
from runtime.instructions import Problem
from runtime.relations import extent
from runtime.targets import Target
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

    def verify_on(self, target: Target) -> Iterator[Problem]:
        """Yield which side starts where the longer one of both must not start."""
        counts = [count for one in (self._src.type, self.type) if isinstance(count := extent(one.shape, 0), int)]
        multiple = target.start_multiple(max(counts, default=1)) if target.start_partitions else 1
        for slot, held in (("src", self._src), ("dst", self.dst)):
            if not isinstance(held, NeuronAP) or held.offset.terms or not held.tensor.known_shape:
                continue
            row = prod(held.tensor.known_shape[1:]) * held.tensor.dtype.bits // held.dtype.bits
            first = held.offset.constant // row if row else 0
            if first % multiple and not first % target.start_multiple(held.pairs[0][1]):
                legal = " or ".join(str(at) for at in range(0, _PARTITIONS, multiple))
                message = f"{slot} starts at partition {first}; beside {max(counts)} partitions it starts at {legal}"
                yield Problem(message, slot)

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
