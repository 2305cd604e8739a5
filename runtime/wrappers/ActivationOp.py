"""What the scalar engine asks of an activation beyond its operands."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.ActivationOpGen import ActivationOpGen
from runtime.instructions import Problem
from runtime.targets import Target
from runtime.tile_rules import why_not_activation, why_not_activation_on


class ActivationOp(ActivationOpGen):
    """An activation function on the scalar engine, `function(src * scale + bias)`.

    Shapes: `bias` and `scale_vector` have one element for each partition of `src`, [P, 1].
    Source: AWS Neuron documentation, `nki.isa.activation`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_not_activation(self)

    def verify_on(self, target: Target) -> Iterator[Problem]:
        yield from why_not_activation_on(self, target)
