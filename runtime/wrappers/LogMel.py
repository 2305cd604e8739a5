"""What a bank of filters asks of its spectrum."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.LogMelGen import LogMelGen
from runtime.instructions import Problem
from runtime.operand_shapes import why_not_filters


class LogMel(LogMelGen):
    """A bank of filters with a weight for each bin of the first half of the spectrum."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if why := why_not_filters(self.filters.type, self.src.type):
            yield Problem(why, "filters")
