"""Which elements can be combined bit by bit."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.TensorPartitionReduceOpGen import TensorPartitionReduceOpGen
from runtime.arithmetic import BITVEC
from runtime.instructions import Problem
from runtime.tile_rules import why_not_on_bits


class TensorPartitionReduceOp(TensorPartitionReduceOpGen):
    """One operation over partitions; on bits where they are integers or truth values.

    Source: AWS Neuron documentation, `nki.isa.tensor_partition_reduce`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if self._op in BITVEC:
            yield from why_not_on_bits(self._op, ("src", self._src.type), ("result", self.type))
