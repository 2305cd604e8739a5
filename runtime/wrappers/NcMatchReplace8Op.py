"""How many elements are searched, and for how many values."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.NcMatchReplace8OpGen import NcMatchReplace8OpGen
from runtime.instructions import Problem
from runtime.tile_rules import why_not_count


class NcMatchReplace8Op(NcMatchReplace8OpGen):
    """Eight values among 8 to 16384 elements in a partition.

    Source: AWS Neuron documentation, `nki.isa.nc_match_replace8`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_not_count("src", self._src.type, 8, 16384)
        yield from why_not_count("vals", self._vals.type, 8, 8)
        if self._dst_idx is not None and self._dst_idx.type.shape != (self._src.type.shape or ())[:1] + (8,):
            yield Problem(f"dst_idx is {self._dst_idx.type}; it has eight elements for each partition", "dst_idx")
