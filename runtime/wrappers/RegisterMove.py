"""What a move to a register asks of what it moves."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.RegisterMoveGen import RegisterMoveGen
from runtime.instructions import Problem


class RegisterMove(RegisterMoveGen):
    """A move of a register of 32 bits, or of a number that fits.

    Source: third-party study of the compiler's encoders: a pair of registers takes a number only.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from self._fits(self._imm, "imm")
        dtype = self.type.dtype
        if self._src is not None and dtype is not None and dtype.bits != 32:
            yield Problem(
                f"src goes to a register of {dtype.bits} bits; a number may, a register of 32 bits not", "src"
            )
