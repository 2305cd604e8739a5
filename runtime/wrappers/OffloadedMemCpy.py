"""What a copy of a whole tensor asks of its two sides."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.OffloadedMemCpyGen import OffloadedMemCpyGen
from runtime.instructions import Problem


class OffloadedMemCpy(OffloadedMemCpyGen):
    """A copy, or a reshape: as many elements on both sides."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from self._as_many_elements(self._src.type)
