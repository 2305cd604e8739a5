"""Which elements can be combined bit by bit."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.TensorPartitionReduceOpGen import TensorPartitionReduceOpGen
from runtime.arithmetic import BITVEC
from runtime.instructions import Problem


class TensorPartitionReduceOp(TensorPartitionReduceOpGen):
    """One operation over partitions; on bits where they are integers.

    Source: AWS Neuron documentation, `nki.isa.tensor_partition_reduce`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        for name, dtype in (("src", self._src.type.dtype), ("result", self.type.dtype)):
            if self._op in BITVEC and dtype is not None and not dtype.is_int:
                yield Problem(f"op is {self._op} and {name} has elements of {dtype}; expected integers", "op")
