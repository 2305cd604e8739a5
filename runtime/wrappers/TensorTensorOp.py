"""Which operations of two tiles there are, on which elements, memories and engines."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.TensorTensorOpGen import TensorTensorOpGen
from runtime.access import NeuronAP
from runtime.arithmetic import ALU_OF_ONE, BITVEC
from runtime.engines import NeuronEngine
from runtime.instructions import Problem
from runtime.targets import Target
from runtime.tile_rules import why_both_in_psum, why_not_alu_on, why_not_on_bits


class TensorTensorOp(TensorTensorOpGen):
    """One operation of the elements of two tiles.

    Source: AWS Neuron documentation, `nki.isa.tensor_tensor`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_both_in_psum("lhs", self._lhs, "rhs", self._rhs)
        if self._op in ALU_OF_ONE or self._op == "bitwise_not":
            yield Problem(f"op is {self._op}, which takes one operand; there are two", "op")
        elif self._op in BITVEC:
            sides = (("lhs", self._lhs.type), ("rhs", self._rhs.type), ("result", self.type))
            yield from why_not_on_bits(self._op, *sides)
        elif self._op == "pow":
            yield from self._why_not_power()

    def _why_not_power(self) -> Iterator[Problem]:
        if self.assigned_engine is NeuronEngine.VECTOR:
            yield Problem("op is pow, which the gpsimd engine alone has", "engine")
        for name, operand in (("lhs", self._lhs), ("rhs", self._rhs), ("dst", self.dst)):
            if isinstance(operand, NeuronAP) and operand.tensor.memory == "psum":
                yield Problem("op is pow, which the gpsimd engine alone has; it does not reach psum", name)

    def verify_on(self, target: Target) -> Iterator[Problem]:
        yield from why_not_alu_on(target, op=self._op)
