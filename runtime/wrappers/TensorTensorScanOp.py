"""Which operations and tiles a scan takes."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.TensorTensorScanOpGen import TensorTensorScanOpGen
from runtime.instructions import Problem
from runtime.targets import Target
from runtime.tile_rules import why_both_in_psum, why_not_alu_on, why_not_of_two, why_not_one_a_partition


class TensorTensorScanOp(TensorTensorScanOpGen):
    """A scan with two operations that compute.

    Source: AWS Neuron documentation, `nki.isa.tensor_tensor_scan`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_not_of_two("op0", self._op0)
        yield from why_not_of_two("op1", self._op1)
        yield from why_not_one_a_partition("initial", self._initial, self._data0.type)
        yield from why_both_in_psum("data0", self._data0, "data1", self._data1)

    def verify_on(self, target: Target) -> Iterator[Problem]:
        yield from why_not_alu_on(target, op0=self._op0, op1=self._op1)
