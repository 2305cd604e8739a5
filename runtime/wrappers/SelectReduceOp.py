"""Which tiles a selection takes together."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.SelectReduceOpGen import SelectReduceOpGen
from runtime.instructions import Problem
from runtime.tile_rules import why_both_in_psum, why_not_one_a_partition, why_not_read_out


class SelectReduceOp(SelectReduceOpGen):
    """A selection by a predicate, and the largest element of each partition.

    Source: AWS Neuron documentation, `nki.isa.select_reduce`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_both_in_psum("on_true", self._on_true, "predicate", self._predicate)
        yield from why_not_one_a_partition("on_false", self._on_false, self._on_true.type)
        yield from why_not_read_out(self._reduce_cmd, self._reduce_res, self._on_true.type)
