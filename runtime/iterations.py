"""Which iterations of loops meet affine conditions: whether there is one, how many there are, what values remain.

A box of iterations, one range for each axis, is narrowed by every condition and, where that does not decide, cut in
two. Each answer is exact; where it would take more than a few hundred boxes there is none (`Undecided`), and whoever
asks must then say nothing.

Deliberately absent: loops. An axis stands for itself here; whoever asks knows that its loop is around the statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import gcd, prod

from runtime.affine import Affine, Axis
from runtime.predicates import AffinePredicate

_MOST_BOXES = 300

_Box = dict[Axis, tuple[int, int]]  # first and last iteration, counted from 0


class Undecided(Exception):
    """The question would take too long to answer."""


def witness(conditions: Iterable[AffinePredicate]) -> Mapping[Axis, int] | None:
    """Return values of the axes for which all conditions hold, or None where there are none.

    Raises: Undecided.
    """
    search = _Search(conditions)
    found = next(search.boxes(), None)
    return None if found is None else {axis: axis.lower + axis.step * first for axis, (first, _) in found.items()}


def count(conditions: Iterable[AffinePredicate], axes: Iterable[Axis]) -> int:
    """Return in how many iterations of the loops over `axes` all conditions hold.

    Raises: Undecided.
    """
    search = _Search(conditions)
    free = prod(max(axis.trip_count, 0) for axis in axes if axis not in search.start)
    return free * sum(prod(last - first + 1 for first, last in box.values()) for box in search.boxes())


def bounds_where(expr: Affine, conditions: Iterable[AffinePredicate]) -> tuple[int, int] | None:
    """Return bounds of an expression over the iterations where conditions hold, or None where there are none.

    They hold for certain, but need not be taken: no iteration gives less or more.
    """
    search = _Search(conditions)
    box = search.narrowed(search.start)
    if box is None:
        return None
    low = high = expr.constant
    for axis, factor in expr.terms:
        first, last = box.get(axis, (0, max(axis.trip_count - 1, 0)))
        ends = (factor * (axis.lower + first * axis.step), factor * (axis.lower + last * axis.step))
        low, high = low + min(ends), high + max(ends)
    return low, high


@dataclass(frozen=True, slots=True)
class _Condition:
    """`constant + factor*iteration + ... >= 0`, or `== 0`; iterations are counted from 0."""

    constant: int
    terms: tuple[tuple[Axis, int], ...]
    is_equality: bool

    def bounds(self, box: _Box) -> tuple[int, int]:
        low = high = self.constant
        for axis, factor in self.terms:
            ends = (factor * box[axis][0], factor * box[axis][1])
            low, high = low + min(ends), high + max(ends)
        return low, high

    def holds(self, box: _Box) -> bool:
        """Whether it holds everywhere in a box."""
        low, high = self.bounds(box)
        return low >= 0 and (not self.is_equality or high <= 0)


class _Search:
    """The boxes in which all of some conditions hold."""

    def __init__(self, conditions: Iterable[AffinePredicate]) -> None:
        self.conditions = [_in_iterations(condition) for condition in conditions]
        axes = dict.fromkeys(axis for condition in self.conditions for axis, _ in condition.terms)
        self.start: _Box = {axis: (0, axis.trip_count - 1) for axis in axes}
        self._left = _MOST_BOXES

    def boxes(self) -> Iterator[_Box]:
        """Yield boxes that do not overlap, in all of which the conditions hold; together they are all there is."""
        waiting = [self.start]
        while waiting:
            self._left -= 1
            if self._left < 0:
                raise Undecided
            box = self.narrowed(waiting.pop())
            if box is None:
                continue
            undecided = next((condition for condition in self.conditions if not condition.holds(box)), None)
            if undecided is None:
                yield box
                continue
            widest = max((axis for axis, _ in undecided.terms), key=lambda axis: box[axis][1] - box[axis][0])
            first, last = box[widest]
            middle = (first + last) // 2
            waiting += [{**box, widest: (middle + 1, last)}, {**box, widest: (first, middle)}]

    def narrowed(self, box: _Box) -> _Box | None:
        """Return the part of a box outside of which no condition holds; None where that is nothing."""
        box = dict(box)
        if any(first > last for first, last in box.values()):
            return None
        for _ in range(4):  # more rounds narrow further, but boxes are cut in two anyway
            before = dict(box)
            for condition in self.conditions:
                if not _narrow(box, condition):
                    return None
            if box == before:
                break
        return box


def _in_iterations(condition: AffinePredicate) -> _Condition:
    constant = condition.expr.constant + sum(factor * axis.lower for axis, factor in condition.expr.terms)
    terms = ((axis, factor * axis.step) for axis, factor in condition.expr.terms)
    return _Condition(constant, tuple(term for term in terms if term[1]), condition.is_equality)


def _narrow(box: _Box, condition: _Condition) -> bool:
    """Narrow a box to where a condition may hold; return whether anything is left."""
    low, high = condition.bounds(box)
    if high < 0 or (condition.is_equality and low > 0):
        return False
    divisor = gcd(*(factor for _, factor in condition.terms)) if condition.is_equality else 0
    if divisor and condition.constant % divisor:
        return False
    for axis, factor in condition.terms:
        first, last = box[axis]
        ends = (factor * first, factor * last)
        most_of_others, least_of_others = high - max(ends), low - min(ends)
        # factor * iteration >= -most_of_others, and <= -least_of_others where the sum is 0
        if factor > 0:
            first = max(first, -(most_of_others // factor))
            last = min(last, -least_of_others // factor) if condition.is_equality else last
        else:
            last = min(last, most_of_others // -factor)
            first = max(first, -(-least_of_others // -factor)) if condition.is_equality else first
        if first > last:
            return False
        box[axis] = first, last
        ends = (factor * first, factor * last)
        high, low = most_of_others + max(ends), least_of_others + min(ends)
    return True
