"""What a matrix of windows asks of its lists."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.Im2ColGen import Im2ColGen
from runtime.instructions import Problem
from runtime.windows import why_not_windows


class Im2Col(Im2ColGen):
    """A matrix of windows whose lists have an entry for each spatial dimension."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        wrong = why_not_windows(2, self.window, self.strides, self.padding, dilations=self.dilations)
        for name, message in wrong:
            yield Problem(message, name)
