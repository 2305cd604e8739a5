"""What an expansion asks of its shape."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from generated.graph.ExpandGen import ExpandGen
from runtime.fitting import differ, shown
from runtime.instructions import Problem


class Expand(ExpandGen):
    """A shape that the operand can be broadcast with."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        shape, target = self.src.type.shape, self.target_shape
        if shape is None:
            return
        pairs = zip_longest(reversed(shape), reversed(target), fillvalue=1)
        if any(differ(one, other) and 1 not in (one, other) for one, other in pairs):
            yield Problem(f"{shown(shape)} and {shown(target)} have no broadcast", "target_shape")
