"""What joining whole tensors asks of them."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.OffloadedConcatGen import OffloadedConcatGen
from runtime.instructions import Problem
from runtime.relations import may_be_equal


class OffloadedConcat(OffloadedConcatGen):
    """Whole tensors of one data type, whose shapes differ along the dimension only."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if not self._srcs:
            yield Problem("there is nothing to join; at least one source is expected", "srcs")
            return
        yield from self._whole(*((f"srcs[{at}]", src) for at, src in enumerate(self._srcs)), ("dst", self.dst))
        first, dim = self._srcs[0].type, self._dim
        if first.shape is None:
            return
        if dim >= len(first.shape):
            yield Problem(f"dim is {dim}, and srcs[0] has {len(first.shape)} dimensions", "dim")
            return
        for at, src in enumerate(self._srcs):
            if src.type.shape is None:
                continue
            fits = may_be_equal(_without(src.type.shape, dim), _without(first.shape, dim))
            if not fits or len(src.type.shape) != len(first.shape):
                slot = f"srcs[{at}]"
                yield Problem(f"{slot} is {src.type} and srcs[0] {first}; they may differ along {dim} only", slot)
            elif src.type.dtype is not None and not may_be_equal(src.type.dtype, first.dtype):
                slot = f"srcs[{at}]"
                yield Problem(f"{slot} has elements of {src.type.dtype}, and srcs[0] of {first.dtype}", slot)


def _without(shape: tuple[int | str | None, ...], dim: int) -> tuple[int | str | None, ...]:
    return (*shape[:dim], *shape[dim + 1 :])
