"""Which dimensions of a tensor the vector engine can reduce."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.TensorReduceOpGen import TensorReduceOpGen
from runtime.arithmetic import BITVEC
from runtime.instructions import Problem
from runtime.tile_rules import why_not_on_bits


class TensorReduceOp(TensorReduceOpGen):
    """One operation over the last dimensions of a tensor.

    Source: AWS Neuron documentation, `nki.isa.tensor_reduce`: trailing free dimensions, never the partitions.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if self._op in BITVEC:
            yield from why_not_on_bits(self._op, ("src", self._src.type), ("result", self.type))
            if self._negate:
                yield Problem(f"op is {self._op}, which works on bits; nothing is negated", "negate")
        rank, dims = self._src.type.rank, tuple(self._reduce_dims)
        if rank is None:
            return
        if not dims or dims != tuple(range(rank - len(dims), rank)) or 0 in dims:
            yield Problem(
                f"reduce_dims is {list(dims)}; the last dimensions of {self._src.type} are reduced, in order, "
                "and never dimension 0, the partitions",
                "reduce_dims",
            )
        elif 0 in self._src.shape[rank - len(dims) :]:
            yield Problem(f"src is {self._src.type}, which has nothing to combine along {list(dims)}", "src")
