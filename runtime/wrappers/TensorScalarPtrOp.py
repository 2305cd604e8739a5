"""Which operations of `TensorScalarPtrOp` work on bits, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.TensorScalarPtrOpGen import TensorScalarPtrOpGen
from runtime.instructions import Problem

BITVEC = frozenset(
    {"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "logical_shift_left", "logical_shift_right"}
)


class TensorScalarPtrOp(TensorScalarPtrOpGen):
    """One or two operations of every element with a scalar, or with one scalar a partition.

    Source: AWS Neuron documentation, `nki.isa.tensor_scalar`: both operations work on bits, or both compute.
    """

    __slots__ = ()

    @property
    def canMutateDstTy(self) -> bool:
        """Also False for operations on bits, which never cast."""
        return super().canMutateDstTy and self._op0 not in BITVEC

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if self._op1 is not None and (self._op0 in BITVEC) != (self._op1 in BITVEC):
            yield Problem(f"op0 is {self._op0} and op1 is {self._op1}; both must work on bits, or both compute", "op1")
