"""What a Fourier transform in fixed point asks of its rows."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.FftQGen import FftQGen
from runtime.instructions import Problem
from runtime.wrappers.Fft import why_not_complex


class FftQ(FftQGen):
    """A transform of rows of a power of two complex numbers."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        shape = self.src.type.shape
        yield from why_not_complex(shape)
        extent = shape[-1] if shape else None
        if isinstance(extent, int) and extent % 2 == 0 and (extent < 2 or (extent // 2) & (extent // 2 - 1)):
            yield Problem(f"a row of src has {extent // 2} complex numbers; expected a power of two", "src")
