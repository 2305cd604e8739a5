"""How many elements are searched, and for how many values."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.NcFindIndex8OpGen import NcFindIndex8OpGen
from runtime.instructions import Problem
from runtime.tile_rules import why_not_count


class NcFindIndex8Op(NcFindIndex8OpGen):
    """Eight values among 8 to 16384 elements in a partition.

    Source: AWS Neuron documentation, `nki.isa.nc_find_index8`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_not_count("src", self._src.type, 8, 16384)
        yield from why_not_count("vals", self._vals.type, 8, 8)
