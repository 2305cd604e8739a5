"""What a reduction asks of its axes."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.ReduceGen import ReduceGen
from runtime.instructions import Problem
from runtime.relations import extent


class Reduce(ReduceGen):
    """A reduction along axes that its operand has, each named once."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        rank = None if self.src.type.shape is None else len(self.src.type.shape)
        for index, axis in enumerate(self.axes):
            if rank is not None and axis >= rank:
                yield Problem(f"axes has {axis}, and src has {rank} dimension{'s' * (rank != 1)}", "axes")
            elif axis in self.axes[:index]:
                yield Problem(f"axes has {axis} twice", "axes")
        reduced = [extent(self.src.type.shape, axis) for axis in self.axes]
        if self.op in ("max", "min", "mean") and 0 in reduced:
            yield Problem(f"there is no {self.op} of no elements: src is {self.src.type}", "src")
