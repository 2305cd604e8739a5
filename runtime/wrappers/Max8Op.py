"""How many elements the largest are found among."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.Max8OpGen import Max8OpGen
from runtime.instructions import Problem
from runtime.tile_rules import why_not_count


class Max8Op(Max8OpGen):
    """The eight largest of 8 to 16384 elements in a partition.

    Source: AWS Neuron documentation, `nki.isa.max8`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_not_count("src", self._src.type, 8, 16384)
