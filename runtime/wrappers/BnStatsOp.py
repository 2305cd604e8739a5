"""How many elements statistics are taken of."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.BnStatsOpGen import BnStatsOpGen
from runtime.instructions import Problem
from runtime.tile_rules import why_not_count


class BnStatsOp(BnStatsOpGen):
    """Statistics of 2 to 512 elements in a partition: with one, no mean of the odd elements is said.

    Source: AWS Neuron documentation, `nki.isa.bn_stats`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_not_count("src", self._src.type, 2, 512)
