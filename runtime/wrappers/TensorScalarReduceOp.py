"""Which operations, scalars and initial values go together."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.TensorScalarReduceOpGen import TensorScalarReduceOpGen
from runtime.instructions import Problem
from runtime.targets import Target
from runtime.tile_rules import (
    why_not_alu_on,
    why_not_one_a_partition,
    why_not_read_out,
    why_not_scalar_of,
    why_not_start,
)


class TensorScalarReduceOp(TensorScalarReduceOpGen):
    """An operation with scalars, and a reduction of its results.

    Source: AWS Neuron documentation, `nki.isa.tensor_scalar_reduce`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_not_scalar_of(0, self._op0, self._operand0, self._scalar0)
        yield from why_not_one_a_partition("operand0", self._operand0, self._src.type)
        yield from why_not_start(self, self._src.type)
        yield from why_not_read_out(self._reduce_cmd, self._reduce_res, self._src.type)

    def verify_on(self, target: Target) -> Iterator[Problem]:
        yield from why_not_alu_on(target, op0=self._op0)
