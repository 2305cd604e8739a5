"""What a concatenation asks of its parts."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.ConcatGen import ConcatGen
from runtime.fitting import counted, differ
from runtime.instructions import Problem
from runtime.types import Dim


class Concat(ConcatGen):
    """Parts of one data type and one shape, but for the extent along the axis."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if not self.parts:
            yield Problem("there are no parts; at least one is expected", "parts")
            return
        first = self.parts[0].type
        for index, part in enumerate(self.parts):
            slot, type = f"parts[{index}]", part.type
            if type.dtype is not first.dtype and None not in (type.dtype, first.dtype):
                yield Problem(f"{slot} has elements of {type.dtype}, and parts[0] of {first.dtype}", slot)
            if type.shape is not None and self.axis >= len(type.shape):
                yield Problem(f"{slot} has {counted(len(type.shape), 'dimension')}, and no axis {self.axis}", slot)
            elif type.shape is not None and first.shape is not None:
                yield from self._why_not_beside(slot, type.shape, first.shape)

    def _why_not_beside(self, slot: str, found: tuple[Dim, ...], first: tuple[Dim, ...]) -> Iterator[Problem]:
        if len(found) != len(first):
            yield Problem(f"{slot} has {counted(len(found), 'dimension')}, and parts[0] {len(first)}", slot)
            return
        for axis, (one, other) in enumerate(zip(found, first, strict=True)):
            if axis != self.axis and differ(one, other):
                yield Problem(f"{slot} has the extent {one} along axis {axis}, and parts[0] {other}", slot)
