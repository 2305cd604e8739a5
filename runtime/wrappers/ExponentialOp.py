"""Which maxima and initial values go together."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.ExponentialOpGen import ExponentialOpGen
from runtime.instructions import Problem
from runtime.tile_rules import why_not_one_a_partition, why_not_read_out, why_not_start


class ExponentialOp(ExponentialOpGen):
    """Exponentials, and their sum in each partition.

    Source: AWS Neuron documentation, `nki.isa.exponential`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_not_one_a_partition("max_value", self._max_value, self._src.type)
        yield from why_not_start(self, self._src.type)
        yield from why_not_read_out(self._reduce_cmd, self._reduce_res, self._src.type)
