"""What taking a part of a tensor asks of the two sides."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.OffloadedSliceGen import OffloadedSliceGen
from runtime.instructions import Problem


class OffloadedSlice(OffloadedSliceGen):
    """A part of a tensor, copied to a whole one."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from self._whole(("dst", self.dst))
