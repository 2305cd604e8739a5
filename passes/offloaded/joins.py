"""What a concatenation of tensors is made of: the part that each source becomes, and the whole where they fit together.

    %y = offloaded_concat %a, %b dim 1           // f32[4,2] and f32[4,3] to f32[4,5]

%a is %y[0 | 5:4, 1:2], %b is %y[2 | 5:4, 1:3]. A load of %y within the part of one source is a load of that source; a
store to a source is a store to its part. Sources that are neighbouring parts of one tensor make a part of it. A source
that is a concatenation along the same dimension itself gives way to its own sources.

Deliberately absent: anything about time and users, as in `permutations.py`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import prod

from passes.offloaded.access_rules import MOVES
from passes.offloaded.reading import Change, owner_of
from passes.offloaded.views import Aim, View, digits_of
from runtime.access import NeuronAP, Pairs, whole_pairs
from runtime.affine import Affine
from runtime.instructions import Instruction, NeuronInst
from runtime.tensors import Tensor
from runtime.wrappers.OffloadedConcat import OffloadedConcat


class Slabs:
    """The parts of the destination of a concatenation, source by source."""

    def __init__(self, op: OffloadedConcat) -> None:
        assert op.dst is not None
        self.joined = op.dst.tensor
        self.dim = op.dim
        self.sources = [source.tensor for source in op.srcs if isinstance(source, NeuronAP)]
        self.extents = [source.known_shape[op.dim] for source in self.sources]
        self.starts = [0, *accumulate(self.extents)][:-1]

    @property
    def views(self) -> Iterator[View]:
        """Where the elements of each source go."""
        pairs = whole_pairs(self.joined.known_shape)
        step = pairs[self.dim][0]
        for start, extent in zip(self.starts, self.extents, strict=True):
            part = (*pairs[: self.dim], (step, extent), *pairs[self.dim + 1 :])
            yield View(self.joined, Affine(start * step), part)

    def image_of(self, access: NeuronAP) -> Change | str:
        """Return which elements of which source a load of the destination reaches."""
        shape, dim = self.joined.known_shape, self.dim
        inner = prod(shape[dim + 1 :])
        found = digits_of(access, (prod(shape[:dim]), shape[dim], inner))
        if found is None:
            return f"nobody can say which of its sources {owner_of(access)} reads"
        at = bisect_right(self.starts, found.low[1]) - 1
        start, extent = self.starts[at], self.extents[at]
        if found.high[1] >= start + extent:
            return f"{owner_of(access)} reads across its sources"
        dims = ((extent * inner, prod(shape[:dim])), (inner, extent), (1, inner))
        offset = found.offset([step for step, _ in dims]) + -start * inner
        return Change(access, Aim.at(self.sources[at], offset, found.pairs(dims, access)))


def sole_writer(tensor: Tensor) -> NeuronInst | None:
    """Return the one instruction that writes a tensor, if it writes all of it at once."""
    if tensor.n_stores != 1:
        return None
    (access,) = tensor.stores
    owner = access.owner
    return owner if isinstance(owner, NeuronInst) and owner.dst is access and access.is_whole else None


def parts_of_one(op: OffloadedConcat) -> tuple[list[Instruction], Aim] | str:
    """Return the copies that fill the sources of `op`, and what they take together; or why that is no one access.

    Where they are no copies at all there is nothing to say.
    """
    copies: list[Instruction] = []
    parts: list[NeuronAP] = []
    for source in op.srcs:
        assert isinstance(source, NeuronAP)
        copy = sole_writer(source.tensor)
        if not isinstance(copy, MOVES) or not isinstance(copy.src, NeuronAP):
            return ""
        part = copy.src
        if tuple(num for _, num in part.pairs) != source.tensor.known_shape or part.reinterpret is not None:
            return f"%{source.tensor.name} has other extents than the part that it is a copy of"
        if parts and part.tensor is not parts[0].tensor:
            return "its sources are copies of different tensors"
        copies.append(copy)
        parts.append(part)
    aim = _joined(parts, op.dim)
    return (copies, aim) if aim is not None else "its sources are copies of parts that do not follow each other"


def _joined(parts: Sequence[NeuronAP], dim: int) -> Aim | None:
    """Return the access to what several accesses reach together, one behind the other along a dimension."""
    first = parts[0]
    if len(parts) < 2:
        return None
    between = parts[1].offset + first.offset * -1
    extent = first.pairs[dim][1]
    if between.terms or between.constant <= 0 or between.constant % extent:
        return None
    step, total = between.constant // extent, 0
    for part in parts:
        begins = first.offset + total * step
        if part.offset != begins or not _fits(part.pairs, first.pairs, dim, step):
            return None
        total += part.pairs[dim][1]
    pairs = (*first.pairs[:dim], (step, total), *first.pairs[dim + 1 :])
    return Aim.at(first.tensor, first.offset, pairs)


def _fits(pairs: Pairs, first: Pairs, dim: int, step: int) -> bool:
    return all(
        own[1] == 1 or own[0] == (step if at == dim else other[0])
        for at, (own, other) in enumerate(zip(pairs, first, strict=True))
    )
