"""What a product over any dimensions asks of its lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from generated.graph.DotGeneralGen import DotGeneralGen
from runtime.instructions import Problem
from runtime.relations import may_be_equal
from runtime.types import Shape


class DotGeneral(DotGeneralGen):
    """A product whose lists name dimensions that are there, each once, in pairs of equal extents."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        left, right = self.lhs.type.shape, self.rhs.type.shape
        wrong = [
            *_unnamed("lhs", left, self.lhs_batch, self.lhs_contracting),
            *_unnamed("rhs", right, self.rhs_batch, self.rhs_contracting),
        ]
        yield from wrong
        for kind, ours, theirs in (
            ("batch", self.lhs_batch, self.rhs_batch),
            ("contracting", self.lhs_contracting, self.rhs_contracting),
        ):
            if len(ours) != len(theirs):
                counts = f"lhs_{kind} has {len(ours)} and rhs_{kind} {len(theirs)}"
                yield Problem(f"dimensions are paired, and {counts}", f"rhs_{kind}")
            elif not wrong and left is not None and right is not None:
                yield from _unequal(kind, [left[axis] for axis in ours], [right[axis] for axis in theirs])


def _unnamed(name: str, shape: Shape | None, batch: Sequence[int], contracting: Sequence[int]) -> Iterator[Problem]:
    seen: set[int] = set()
    for kind, axes in (("batch", batch), ("contracting", contracting)):
        for axis in axes:
            field = f"{name}_{kind}"
            if shape is not None and axis >= len(shape):
                dimensions = f"{len(shape)} dimension{'s' * (len(shape) != 1)}"
                yield Problem(f"{field} has {axis}, and {name} has {dimensions}", field)
            elif axis in seen:
                yield Problem(f"dimension {axis} of {name} is named twice", field)
            seen.add(axis)


def _unequal(kind: str, ours: Sequence[object], theirs: Sequence[object]) -> Iterator[Problem]:
    for left, right in zip(ours, theirs, strict=True):
        if not may_be_equal(left, right):
            yield Problem(
                f"{kind} dimensions have one extent in lhs and rhs, and here {left} and {right}", f"lhs_{kind}"
            )
