"""What a sum of multiples asks of its sources."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.OffloadedFMAGen import OffloadedFMAGen
from runtime.instructions import Problem
from runtime.relations import may_be_equal


class OffloadedFMA(OffloadedFMAGen):
    """As many scales as sources, which all have one shape."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if not self._srcs:
            yield Problem("there is nothing to add; at least one source is expected", "srcs")
            return
        if len(self._scales) != len(self._srcs):
            message = f"scales is {list(self._scales)}; it has one number for each of {len(self._srcs)} sources"
            yield Problem(message, "scales")
        first = self._srcs[0].type
        for at, src in enumerate(self._srcs):
            if not may_be_equal(src.type.shape, first.shape):
                slot = f"srcs[{at}]"
                yield Problem(f"{slot} is {src.type}, and srcs[0] {first}; all sources have one shape", slot)
