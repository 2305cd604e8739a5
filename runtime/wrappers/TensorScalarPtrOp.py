"""Which operations of `TensorScalarPtrOp` go together, with which scalars, and on which engine."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.TensorScalarPtrOpGen import TensorScalarPtrOpGen
from runtime.arithmetic import ALU_OF_ONE, BITVEC
from runtime.dtypes import f32
from runtime.engines import NeuronEngine
from runtime.instructions import Problem
from runtime.relations import extent
from runtime.targets import Target, trn2
from runtime.tile_rules import OF_WHOLE_WORDS, why_not_alu_on, why_not_on_bits

_ON_SCALAR_OF_TRN2 = (("mult", "add"), ("mult", None), ("add", None))


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
        on_bits = self._op0 in BITVEC
        if self._op1 is not None and on_bits != (self._op1 in BITVEC):
            yield Problem(f"op0 is {self._op0} and op1 is {self._op1}; both must work on bits, or both compute", "op1")
            return
        yield from self._why_not_scalars()
        engine = self.assigned_engine
        if on_bits:
            op = next((op for op in (self._op0, self._op1) if op in OF_WHOLE_WORDS), self._op0)
            yield from why_not_on_bits(op, ("src", self._src.type), ("result", self.type))
            if engine in (NeuronEngine.SCALAR, NeuronEngine.GPSIMD):
                yield Problem(f"op0 is {self._op0}, which works on bits; the vector engine does that", "engine")
        elif engine is NeuronEngine.GPSIMD and (self._op0, self._op1) != ("rsqrt", None):
            yield Problem(f"op0 is {self._op0}; the gpsimd engine has rsqrt only", "engine")
        elif engine is NeuronEngine.VECTOR and "rsqrt" in (self._op0, self._op1):
            yield Problem("the vector engine has no rsqrt; the gpsimd engine has it", "engine")

    def verify_on(self, target: Target) -> Iterator[Problem]:
        yield from why_not_alu_on(target, op0=self._op0, op1=self._op1)
        on_scalar = self.assigned_engine is NeuronEngine.SCALAR and target.arch_level == trn2.arch_level
        if on_scalar and (self._op0, self._op1) not in _ON_SCALAR_OF_TRN2:
            done = self._op0 if self._op1 is None else f"{self._op0} and {self._op1}"
            yield Problem(f"the scalar engine of {target} has mult and add, mult, and add; not {done}", "op0")

    def _why_not_scalars(self) -> Iterator[Problem]:
        for number, op, operand, constant in (
            (0, self._op0, self._operand0, self._scalar0),
            (1, self._op1, self._operand1, self._scalar1),
        ):
            name, present = f"operand{number}", operand is not None or constant is not None
            if op is None:
                if present:
                    yield Problem(f"there is no op{number} for a scalar", name if operand is not None else "scalar1")
            elif op in ALU_OF_ONE or op == "bitwise_not":
                if operand is not None or constant:
                    yield Problem(f"op{number} is {op}, which takes no scalar", f"op{number}")
            elif not present:
                yield Problem(f"op{number} is {op}, and there is no scalar for it", f"op{number}")
            elif operand is not None:
                yield from self._why_not_operand(number, op, name)

    def _why_not_operand(self, number: int, op: str, name: str) -> Iterator[Problem]:
        operand = self._operand1 if number else self._operand0
        dtype = None if operand is None else operand.type.dtype
        is_tile = number == 1 and self._is_scalar_tensor_tensor
        if operand is None or dtype is None or is_tile:
            return
        count = operand.type.n_elements
        partitions = 1 if self._src.type.shape == () else extent(self._src.type.shape, 0)
        if count is not None and count != 1 and isinstance(partitions, int) and count != partitions:
            expected = f"one, or one for each of {partitions} partitions of src"
            yield Problem(f"{name} is {operand.type}; expected {expected}", name)
        if op in BITVEC and not dtype.is_int:
            yield Problem(f"{name} has elements of {dtype}; {op} works on the bits of integers", name)
        elif op not in BITVEC and dtype is not f32:
            yield Problem(f"{name} has elements of {dtype}; an operation that computes takes f32 scalars", name)
