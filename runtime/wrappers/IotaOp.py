"""Which patterns fill a tile."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.IotaOpGen import IotaOpGen
from runtime.instructions import Problem
from runtime.operand_shapes import why_not_stated
from runtime.tile_rules import why_not_in_i32, why_not_pattern


class IotaOp(IotaOpGen):
    """Numbers of a pattern that gives one for each element of a partition.

    Source: AWS Neuron documentation, `nki.isa.iota`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if why := why_not_stated(self.type):
            yield Problem(why)
        yield from why_not_pattern(self._steps, self._counts, self.type)
        yield from why_not_in_i32(self, self.type)
