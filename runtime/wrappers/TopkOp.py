"""How many elements the largest are found among."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.TopkOpGen import TopkOpGen
from runtime.instructions import Problem
from runtime.tile_rules import elements_in_partition


class TopkOp(TopkOpGen):
    """The largest of the first n elements of 16 partitions.

    Source: AWS Neuron documentation, `nki.isa.topk`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        count = elements_in_partition(self._src.type)
        if count is not None and 16 * count < self._n:
            yield Problem(f"n is {self._n}, and 16 partitions of src have {16 * count} elements", "n")
