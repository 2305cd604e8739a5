"""Which elements of one tensor an access to another one reaches, where the other is filled from the first.

    %t = offloaded_slice %x[3 | 8:4, 1:2]        // f32[4,2] from f32[4,8]
    ... %t[1 | 2:4, 1:1] ...                     // is %x[4 | 8:4, 1:1]

A view says where the elements of a tensor, counted in row-major order, stand in another one: what a copy reads, what it
writes, or the part of a joined tensor that a source becomes. `through` gives the access to the other tensor that
reaches the same elements in the same order, with the same extents.

The argument. A row-major position is a number with one digit a dimension. The view sends digit d to `digit * step_d`.
Where the digits of the offset, of each multiple of an axis and of each pair's step add up without a carry in every
dimension, over all values of the axes and all places of the pairs, each of these parts may be sent by itself and the
images be added. Where a carry may happen there is no answer. Dimensions that follow each other without a gap are first
made one, so that an access to a copy of contiguous elements always has an image.

Deliberately absent: negative steps and axes with negative values, and pairs that would have to be split into two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from runtime.access import NeuronAP, Pairs, whole_pairs
from runtime.affine import Affine, Axis
from runtime.tensors import Tensor


@dataclass(frozen=True, slots=True)
class Aim:
    """What an access reaches: the tensor, the offset and the pairs of it."""

    tensor: Tensor
    offset: Affine
    pairs: Pairs

    @classmethod
    def at(cls, tensor: Tensor, offset: Affine, pairs: Pairs) -> Aim:
        """Return the aim; where it is the whole tensor in its own order, as the canonical one."""
        whole = whole_pairs(tensor.known_shape)
        starts = not offset.terms and offset.constant == 0 and len(pairs) == len(whole) and pairs != whole
        if starts and all(own == other or own[1] == other[1] == 1 for own, other in zip(pairs, whole, strict=True)):
            pairs = whole
        return cls(tensor, offset, pairs)

    @property
    def is_whole(self) -> bool:
        """Whether this is the whole tensor in its own order."""
        return (
            not self.offset.terms and self.offset.constant == 0 and self.pairs == whole_pairs(self.tensor.known_shape)
        )


@dataclass(frozen=True)
class View:
    """Where the elements of a tensor stand in another one, `tensor`: where `pairs` walk to, in order, from `offset`."""

    tensor: Tensor
    offset: Affine
    pairs: Pairs

    @classmethod
    def of(cls, access: NeuronAP) -> View:
        """Return the view that takes the elements of an access in order."""
        return cls(access.tensor, access.offset, access.pairs)

    def through(self, access: NeuronAP) -> Aim | None:
        """Return where the elements that `access` reaches stand; None where no access with its extents does that."""
        dims = self._dims
        found = digits_of(access, [num for _, num in dims])
        if found is None:
            return None
        return Aim.at(self.tensor, self.offset + found.offset([step for step, _ in dims]), found.pairs(dims, access))

    def is_all_of(self, tensor: Tensor) -> bool:
        """Whether this is the whole of `tensor`, each element at the place that it has in the other one."""
        return self.tensor.known_shape == tensor.known_shape and self.everything.is_whole

    @cached_property
    def everything(self) -> Aim:
        """All of it, in the extents that it has there."""
        return Aim.at(self.tensor, self.offset, self.pairs)

    @cached_property
    def _dims(self) -> Pairs:
        return coalesced(self.pairs)


@dataclass(frozen=True, slots=True)
class Digits:
    """An access to row-major positions, digit by digit: one number a dimension for each of its parts."""

    constant: tuple[int, ...]
    terms: tuple[tuple[Axis, tuple[int, ...]], ...]
    steps: tuple[tuple[int, ...], ...]
    low: tuple[int, ...]  # the least digit that is reached in each dimension
    high: tuple[int, ...]  # and the largest

    def offset(self, steps: Sequence[int]) -> Affine:
        """Return the image of where the access begins, if digit d goes to `digit * steps[d]`."""
        return Affine(_dot(self.constant, steps), tuple((axis, _dot(each, steps)) for axis, each in self.terms))

    def pairs(self, dims: Pairs, access: NeuronAP) -> Pairs:
        """Return the image of the pairs of the access."""
        steps = [step for step, _ in dims]
        images = [_dot(each, steps) for each in self.steps]
        return tuple((image if num > 1 else step, num) for image, (step, num) in zip(images, access.pairs, strict=True))


def digits_of(access: NeuronAP, extents: Sequence[int]) -> Digits | None:
    """Take an access to row-major positions apart by the digits of these extents; None where a digit may carry."""
    strides = [step for step, _ in whole_pairs(tuple(extents))]
    offset = access.offset
    if offset.constant < 0 or 0 in extents or any(step < 0 for step, _ in access.pairs):
        return None
    constant = _digits(offset.constant, strides)
    low, high = list(constant), list(constant)
    terms = []
    for axis, factor in offset.terms:
        ends = (axis.lower, axis.lower + max(axis.trip_count - 1, 0) * axis.step)
        if factor < 0 or min(ends) < 0:
            return None
        each = _digits(factor, strides)
        terms.append((axis, each))
        low = [one + digit * min(ends) for one, digit in zip(low, each, strict=True)]
        high = [one + digit * max(ends) for one, digit in zip(high, each, strict=True)]
    steps = []
    for step, num in access.pairs:
        each = _digits(step if num > 1 else 0, strides)
        steps.append(each)
        high = [one + digit * (num - 1) for one, digit in zip(high, each, strict=True)]
    if any(top >= extent for top, extent in zip(high[1:], extents[1:], strict=True)):
        return None
    return Digits(constant, tuple(terms), tuple(steps), tuple(low), tuple(high))


def coalesced(pairs: Iterable[tuple[int, int]]) -> Pairs:
    """Return pairs that walk the same elements in the same order, as few as can be; at least one."""
    kept = [pair for pair in pairs if pair[1] != 1]
    for at in reversed(range(len(kept) - 1)):
        (outer, count), (step, num) = kept[at], kept[at + 1]
        if outer == step * num:
            kept[at : at + 2] = [(step, count * num)]
    return tuple(kept) or ((1, 1),)


def is_contiguous(pairs: Pairs) -> bool:
    """Whether pairs walk elements one behind the other."""
    found = coalesced(pairs)
    return len(found) == 1 and found[0][0] == 1


def aim_access(access: NeuronAP, aim: Aim) -> None:
    """Let an access in a slot reach something else; its owner, its mode and its extents stay.

    In place, and not by `replaceUseOfWith`: that costs all operands of an instruction with any number of them.
    """
    owner = access.owner
    assert owner is not None and access.reinterpret is None
    assert tuple(num for _, num in aim.pairs) == tuple(num for _, num in access.pairs) or not access.indices
    access.removeUser(owner)
    access.tensor, access.offset, access.pairs = aim.tensor, aim.offset, aim.pairs
    access.addUser(owner)


def _digits(number: int, strides: Sequence[int]) -> tuple[int, ...]:
    digits = []
    for stride in strides:
        digit, number = divmod(number, stride)
        digits.append(digit)
    return tuple(digits)


def _dot(one: Sequence[int], other: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(one, other, strict=True))
