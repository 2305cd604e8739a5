"""What an operation on registers asks of the number beside them."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.RegisterAluGen import RegisterAluGen
from runtime.instructions import Problem


class RegisterAlu(RegisterAluGen):
    """An operation of two registers, or of one and a number that fits beside it."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from self._fits(self._imm, "imm")
