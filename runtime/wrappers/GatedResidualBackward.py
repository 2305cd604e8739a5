"""What the gradients of a gated residual ask of the gate."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.GatedResidualBackwardGen import GatedResidualBackwardGen
from runtime.instructions import Problem
from runtime.operand_shapes import why_not_onto


class GatedResidualBackward(GatedResidualBackwardGen):
    """One whose gate can be broadcast to the residual stream."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if why := why_not_onto("gate", self.gate.type, self.src.type):
            yield Problem(why, "gate")
