"""Which patterns select from a tile."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.AffineSelectOpGen import AffineSelectOpGen
from runtime.instructions import Problem
from runtime.tile_rules import why_not_in_i32, why_not_pattern


class AffineSelectOp(AffineSelectOpGen):
    """A selection by a pattern that gives one number for each element of a partition.

    Source: AWS Neuron documentation, `nki.isa.affine_select`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_not_pattern(self._steps, self._counts, self._on_true.type)
        yield from why_not_in_i32(self, self._on_true.type)
