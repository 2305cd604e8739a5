"""What a conversion of a whole tensor asks of its two sides."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.OffloadedMemCastGen import OffloadedMemCastGen
from runtime.instructions import Problem


class OffloadedMemCast(OffloadedMemCastGen):
    """A conversion: as many elements on both sides, of two data types."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from self._as_many_elements(self._src.type)
