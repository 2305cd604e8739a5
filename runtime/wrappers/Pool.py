"""What a pool asks of its lists."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.PoolGen import PoolGen
from runtime.instructions import Problem
from runtime.windows import why_not_windows


class Pool(PoolGen):
    """A pool whose lists have an entry for each spatial dimension."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        shape = self.src.type.shape
        if shape is not None and len(shape) > 2:
            for name, message in why_not_windows(len(shape) - 2, self.window, self.strides, self.padding):
                yield Problem(message, name)
