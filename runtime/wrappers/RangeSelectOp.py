"""Which places a selection by range can tell apart."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.RangeSelectOpGen import RangeSelectOpGen
from runtime.instructions import Problem
from runtime.tile_rules import elements_in_partition, why_not_one_a_partition, why_not_read_out

_EXACT = 1 << 24  # f32 has all whole numbers up to here


class RangeSelectOp(RangeSelectOpGen):
    """A selection by the place of each element, and the largest element of each partition.

    Source: AWS Neuron documentation, `nki.isa.range_select`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        tile = self._on_true.type
        yield from why_not_one_a_partition("bound0", self._bound0, tile)
        yield from why_not_one_a_partition("bound1", self._bound1, tile)
        yield from why_not_read_out(self._reduce_cmd, self._reduce_res, tile)
        count = elements_in_partition(tile)
        if count is not None and not -_EXACT <= self._range_start <= _EXACT - count + 1:
            last = self._range_start + count - 1
            message = f"places are {self._range_start} to {last}; f32 tells those within {_EXACT} apart"
            yield Problem(message, "range_start")
