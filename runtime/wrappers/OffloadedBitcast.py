"""What taking bits for elements of another data type asks of the two sides."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.OffloadedBitcastGen import OffloadedBitcastGen
from runtime.instructions import Problem


class OffloadedBitcast(OffloadedBitcastGen):
    """The same bits on both sides, of two data types of at least a byte."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        src, dtype = self._src.type, self.type.dtype
        if dtype is not None and dtype.bits < 8:
            yield Problem(f"the destination has elements of {dtype}, which are narrower than a byte", "dst")
            return
        if src.n_elements is None or self.type.n_elements is None or src.dtype is None or dtype is None:
            return
        found, expected = src.n_elements * src.dtype.bits, self.type.n_elements * dtype.bits
        if found != expected:
            yield Problem(f"src has {found} bits, and the destination {expected}", "src")
