"""What the gradient of a layer normalisation asks of its axis and factors."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.LayerNormBackwardInputGen import LayerNormBackwardInputGen
from runtime.instructions import Problem
from runtime.operand_shapes import problems_from_axis


class LayerNormBackwardInput(LayerNormBackwardInputGen):
    """A gradient along dimensions that its operand has, with factors of their extents."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from problems_from_axis(self.axis, self.src.type, gamma=self.gamma)
