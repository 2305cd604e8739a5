"""What the scalar engine asks of an activation beyond its operands."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.ActivationOpGen import ActivationOpGen
from runtime.instructions import Problem


class ActivationOp(ActivationOpGen):
    """An activation function on the scalar engine, `function(src * scale + bias)`.

    Shapes: `bias` has one element for each partition of `src`, [P, 1].
    Source: AWS Neuron documentation, `nki.isa.activation`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if self._bias is None or self._bias.type.shape is None or not self._src.type.shape:
            return
        expected = (self._src.shape[0], 1)
        if self._bias.shape != expected:
            found = ",".join(map(str, self._bias.shape))
            yield Problem(f"bias is [{found}]; one element for each partition of src is [{expected[0]},1]", "bias")
