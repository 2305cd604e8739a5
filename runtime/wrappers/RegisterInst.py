"""What the instructions on registers ask of engines, numbers and accesses."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.RegisterInstGen import RegisterInstGen
from runtime.instructions import Problem
from runtime.types import Type


class RegisterInst(RegisterInstGen):
    """Stands between the brewed base and the instructions on registers.

    Source: AWS Neuron documentation, architecture guides: scalar registers are private to each sequencer.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        own = self.assigned_engine
        for operand in self.operands():
            other = operand.assigned_engine if isinstance(operand, RegisterInst) else None
            if own is not None and own.value in self.INFO.engines and other is not None and own is not other:
                message = f"a register of the {other.value} engine is none of the {own.value} engine"
                yield Problem(f"{message}; store it, and load it there")

    def _fits(self, value: int | None, name: str) -> Iterator[Problem]:
        """Say so where a number has more bits than the result."""
        dtype = self.type.dtype
        if value is not None and dtype is not None and not -(2 ** (dtype.bits - 1)) <= value < 2**dtype.bits:
            yield Problem(f"{name} is {value}, which does not fit into {dtype.bits} bits", name)

    def _one_element(self, type: Type, slot: str) -> Iterator[Problem]:
        """Say so where a register would be loaded from, or stored to, several elements."""
        if type.n_elements is not None and type.n_elements != 1:
            what = "the destination" if slot == "dst" else slot
            yield Problem(f"{what} has {type.n_elements} elements; a register holds one", slot)
