"""What the scalar engine asks of an activation whose results are summed up."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.ActivationAccumulationOpGen import ActivationAccumulationOpGen
from runtime.instructions import Problem
from runtime.targets import Target
from runtime.tile_rules import why_not_activation, why_not_activation_on, why_not_one_a_partition


class ActivationAccumulationOp(ActivationAccumulationOpGen):
    """An activation function on the scalar engine, and the sum of its results.

    Shapes: `bias` and `scale_vector` have one element for each partition of `src`, [P, 1].
    Source: AWS Neuron documentation, `nki.isa.activation`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_not_activation(self)
        yield from why_not_one_a_partition("reduce_res", self._reduce_res, self._src.type)

    def verify_on(self, target: Target) -> Iterator[Problem]:
        yield from why_not_activation_on(self, target)
