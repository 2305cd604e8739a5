"""What statistics are put together from."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.BnAggrOpGen import BnAggrOpGen
from runtime.instructions import Problem
from runtime.tile_rules import elements_in_partition


class BnAggrOp(BnAggrOpGen):
    """Mean and variance from triples.

    Source: AWS Neuron documentation, `nki.isa.bn_aggr`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        count = elements_in_partition(self._src.type)
        if count is not None and (count % 3 or not count):
            yield Problem(f"src has {count} elements in a partition; expected a multiple of 3", "src")
