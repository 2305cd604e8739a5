"""Finding few units that are to be exact, so that an error stays within its bound: `cheapest(heavy, error)`.

    cheapest([False, True, True], lambda kept: 0.5 if 2 in kept else 3.0)      keeps {2}; the bound is 1

The error is that of a whole run, which takes long, so there are few of them: at most about 8 log n to find sets that
hold, and twice as many as there are units in the best one, up to a limit, to leave out what it does not need.

An error is large at the beginning of a program, where all that follows makes it larger, or at its end, where nothing
makes it smaller again; or it is the sum of many small ones, of which those of light units cost least to leave out. So
the sets that are tried are beginnings and ends of the program, with and without all the light units. What is left out
again are halves of the set, quarters, and so on.

Deliberately absent: the least of all sets, for which nobody could wait, and a model of how errors add up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_MOST_RUNS: Final = 150  # after which what was found is not made smaller any more
Kept = frozenset[int]


@dataclass(frozen=True)
class Cheapest:
    """What is to be exact, the error that is left, beside its bound, and how many runs that took."""

    kept: Kept
    error: float
    runs: int


class _Runs:
    """Measures sets, each once."""

    def __init__(self, error: Callable[[Kept], float]) -> None:
        self._error = error
        self.known: dict[Kept, float] = {}

    def holds(self, kept: Kept) -> bool:
        if kept not in self.known:
            self.known[kept] = self._error(kept)
        return self.known[kept] <= 1


def cheapest(heavy: Sequence[bool], error: Callable[[Kept], float], most_runs: int = _MOST_RUNS) -> Cheapest | None:
    """Return which of some units, in program order, are to be exact, so that the error is at most 1.

    `heavy` are those that cost most when they are exact. None: the error is larger where all are exact.
    """
    runs = _Runs(error)
    everything, none = frozenset(range(len(heavy))), Kept()
    if runs.holds(none):
        return Cheapest(none, runs.known[none], 1)
    if not runs.holds(everything):
        return None

    def cost(kept: Kept) -> tuple[int, int]:
        return sum(heavy[at] for at in kept), len(kept)

    best = min(_sets(heavy, runs), key=cost, default=everything)
    for group in ([at for at in sorted(best) if heavy[at]], [at for at in sorted(best) if not heavy[at]]):
        best = _without_needless(best, group, runs, most_runs)
    return Cheapest(best, runs.known[best], len(runs.known))


def _sets(heavy: Sequence[bool], runs: _Runs) -> Iterator[Kept]:
    """Yield sets that hold."""
    order = range(len(heavy))
    light = frozenset(at for at in order if not heavy[at])
    for base in (Kept(), light) if 0 < len(light) < len(heavy) else (Kept(),):
        if base and runs.holds(base):
            yield base
            continue
        rest = [at for at in order if at not in base]
        for way in (rest, rest[::-1]):
            yield _shortest_start(base, way, runs)


def _shortest_start(base: Kept, order: Sequence[int], runs: _Runs) -> Kept:
    """Return a set with the first of some units; with all of them it holds."""
    fails, holds = 0, 1
    while holds < len(order) and not runs.holds(base.union(order[:holds])):
        fails, holds = holds, holds * 2
    holds = min(holds, len(order))
    while holds - fails > 1:
        middle = (fails + holds) // 2
        if runs.holds(base.union(order[:middle])):
            holds = middle
        else:
            fails = middle
    return base.union(order[:holds])


def _without_needless(kept: Kept, group: Sequence[int], runs: _Runs, most_runs: int) -> Kept:
    """Return a set that holds without what it does not need of a group, if there are runs enough to find that."""
    size = (len(group) + 1) // 2
    left = [*group]
    while left and size:
        for start in range(0, len(left), size):
            if len(runs.known) >= most_runs:
                return kept
            smaller = kept.difference(left[start : start + size])
            if runs.holds(smaller):
                kept = smaller
        left = [at for at in left if at in kept]
        size = 0 if size == 1 else (size + 1) // 2
    return kept
