"""Which bounds random numbers have."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.Rand2OpGen import Rand2OpGen
from runtime.instructions import Problem
from runtime.tile_rules import why_not_one_a_partition


class Rand2Op(Rand2OpGen):
    """Random numbers between two bounds, the lower one less than the upper one.

    Source: AWS Neuron documentation, `nki.isa.rand2`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_not_one_a_partition("min_value", self._min_value, self.type)
        yield from why_not_one_a_partition("max_value", self._max_value, self.type)
        low, high = self._min_scalar, self._max_scalar
        if low is not None and high is not None and not low < high:
            yield Problem(f"the lower bound is {low}, and the upper one {high}", "max_scalar")
