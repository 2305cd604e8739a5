"""What a register asks of the number that it holds first."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.RegisterAllocGen import RegisterAllocGen
from runtime.instructions import Problem


class RegisterAlloc(RegisterAllocGen):
    """A register that holds a number."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from self._fits(self._value, "value")
