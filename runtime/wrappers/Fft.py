"""What a Fourier transform asks of its rows."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.FftGen import FftGen
from runtime.instructions import Problem
from runtime.types import Shape


class Fft(FftGen):
    """A transform of rows with as many real as imaginary parts."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_not_complex(self.src.type.shape)


def why_not_complex(shape: Shape | None) -> Iterator[Problem]:
    """Yield what is wrong with rows of real parts in front of imaginary ones."""
    extent = shape[-1] if shape else None
    if isinstance(extent, int) and extent % 2:
        yield Problem(f"the last dimension of src has {extent} elements; expected real and imaginary parts", "src")
