"""What a scatter adds to the indirect transfers: the indices point into what it writes."""

from __future__ import annotations

from generated.neuron.IndirectSaveGen import IndirectSaveGen
from runtime.values import Operand


class IndirectSave(IndirectSaveGen):
    """A scatter of rows to a tensor in DRAM; what it does not write keeps its bytes."""

    __slots__ = ()

    @property
    def addressed(self) -> Operand | None:
        return self.dst

    @property
    def addressed_name(self) -> str:
        return "dst"
