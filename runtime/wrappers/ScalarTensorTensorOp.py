"""Which operations, scalars and tiles go together."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.ScalarTensorTensorOpGen import ScalarTensorTensorOpGen
from runtime.instructions import Problem
from runtime.targets import Target
from runtime.tile_rules import (
    why_both_in_psum,
    why_not_alu_on,
    why_not_of_two,
    why_not_one_a_partition,
    why_not_scalar_of,
)


class ScalarTensorTensorOp(ScalarTensorTensorOpGen):
    """An operation with scalars, then one with a tile; both compute.

    Source: AWS Neuron documentation, `nki.isa.scalar_tensor_tensor`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_not_scalar_of(0, self._op0, self._operand0, self._scalar0)
        yield from why_not_of_two("op1", self._op1)
        yield from why_not_one_a_partition("operand0", self._operand0, self._src.type)
        yield from why_both_in_psum("src", self._src, "operand1", self._operand1)

    def verify_on(self, target: Target) -> Iterator[Problem]:
        yield from why_not_alu_on(target, op0=self._op0, op1=self._op1)
