"""Transpositions of transpositions, and broadcasts of broadcasts, as one.

    %t = offloaded_transpose %x permutation [1, 0]       // f32[4,6] to f32[6,4]
    %y = offloaded_transpose %t permutation [1, 0]       // %y = offloaded_mem_cpy %x

A transposition sends digits of the row-major position to other digits. Where the second one takes its source in another
shape than the first one gave, the two shapes are cut at all products of extents that either has, if those divide each
other: then each digit of either is a row of digits of the cut shape, both transpositions permute these, and one
permutation after the other is a permutation. What moves only dimensions of extent 1, or dimensions that stay side by
side, in order, is a copy.

A broadcast repeats its source along some dimensions. A second one that repeats all of that along further dimensions
repeats the first one's source along both.

Deliberately absent: anything about time and users; the pass asks `reading.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

from runtime.wrappers.OffloadedBroadcast import OffloadedBroadcast
from runtime.wrappers.OffloadedTranspose import OffloadedTranspose


@dataclass(frozen=True, slots=True)
class Permutation:
    """A shape, and which of its dimensions comes where: dimension `order[i]` becomes dimension `i`."""

    extents: tuple[int, ...]
    order: tuple[int, ...]

    @property
    def is_identity(self) -> bool:
        """Whether row-major order stays as it is."""
        moved = [dim for dim in self.order if self.extents[dim] != 1]
        return moved == sorted(moved)

    @property
    def permuted(self) -> tuple[int, ...]:
        """The shape afterwards."""
        return tuple(self.extents[dim] for dim in self.order)

    def then(self, second: Permutation) -> Permutation | None:
        """Return one permutation that does what this and the second one do; None where no common shape is known."""
        cut = common_extents(self.permuted, second.extents)
        if cut is None:
            return None
        first_parts, second_parts = _parts(self.permuted, cut), _parts(second.extents, cut)
        if first_parts is None or second_parts is None:
            return None
        # the pieces of the middle shape, in the order that they have in the shape before: which is the new one
        before = [piece for dim in range(len(self.order)) for piece in first_parts[self.order.index(dim)]]
        place = {piece: at for at, piece in enumerate(before)}
        after = [piece for dim in second.order for piece in second_parts[dim]]
        return Permutation(tuple(cut[piece] for piece in before), tuple(place[piece] for piece in after)).merged

    @property
    def merged(self) -> Permutation:
        """Return the same without dimensions of extent 1, and with those merged that stay side by side, in order."""
        order = [dim for dim in self.order if self.extents[dim] != 1]
        rank = {dim: at for at, dim in enumerate(sorted(order))}
        runs: list[list[int]] = []
        for dim in order:
            if runs and rank[runs[-1][-1]] + 1 == rank[dim]:
                runs[-1].append(dim)
            else:
                runs.append([dim])
        by_source = sorted(runs, key=lambda run: run[0])
        extents = tuple(prod(self.extents[dim] for dim in run) for run in by_source)
        return Permutation(extents or (1,), tuple(by_source.index(run) for run in runs) or (0,))


def permutation_of(op: OffloadedTranspose) -> Permutation | None:
    """Return what a transposition does; None where an extent is not known."""
    shape = op.src_shape if op.src_shape is not None else op.src.type.shape
    extents = _known(shape or ())
    return None if shape is None or extents is None or 0 in extents else Permutation(extents, tuple(op.permutation))


def broadcast_of_broadcast(first: OffloadedBroadcast, second: OffloadedBroadcast) -> list[int] | str:
    """Return along which dimensions `second` repeats the source of `first`, if it repeats all of what that gives."""
    between, outer = _known(first.type.shape or ()), _known(second.type.shape or ())
    if between is None or outer is None:
        return "an extent is not known"
    left = [dim for dim, extent in enumerate(outer) if extent != 1 and dim not in second.broadcast_dims]
    own = [dim for dim, extent in enumerate(between) if extent != 1]
    repeated = {dim for dim, source in zip(left, own, strict=True) if source in first.broadcast_dims}
    return sorted({*second.broadcast_dims, *repeated})


def repeats_nothing(op: OffloadedBroadcast) -> bool:
    """Whether all dimensions that a broadcast repeats along have one element."""
    shape = op.type.shape
    return shape is not None and all(shape[dim] == 1 for dim in op.broadcast_dims)


def common_extents(one: Sequence[int], other: Sequence[int]) -> tuple[int, ...] | None:
    """Return the coarsest shape that both shapes are mergers of, if there is one."""
    if prod(one) != prod(other):
        return None
    strides = sorted({*_strides(one), *_strides(other)}, reverse=True)
    if any(larger % smaller for larger, smaller in pairwise(strides)):
        return None
    return tuple(larger // smaller for larger, smaller in pairwise(strides))


def _parts(shape: Sequence[int], cut: Sequence[int]) -> list[list[int]] | None:
    """Return for each dimension of a shape which dimensions of the cut shape make it up."""
    parts: list[list[int]] = []
    at = 0
    for extent in shape:
        pieces, count = [], 1
        while count < extent:
            if at == len(cut):
                return None
            pieces.append(at)
            count *= cut[at]
            at += 1
        if count != extent:
            return None
        parts.append(pieces)
    return parts


def _strides(shape: Sequence[int]) -> Iterable[int]:
    """Return the products of the last so many extents, from none to all."""
    product = 1
    yield product
    for extent in reversed(shape):
        product *= extent
        yield product


def _known(shape: Sequence[object]) -> tuple[int, ...] | None:
    known = tuple(extent for extent in shape if isinstance(extent, int))
    return known if len(known) == len(shape) else None
