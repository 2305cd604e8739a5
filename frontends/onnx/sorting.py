"""Putting things into an order in which each comes after what it needs, without moving what stands right."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush


class CircleError(Exception):
    """There is no such order: `circle` needs itself, each of it the next one."""

    def __init__(self, circle: list[int]) -> None:
        super().__init__(circle)
        self.circle = circle


def stable_order(needs: Sequence[set[int]]) -> list[int]:
    """Return the positions in an order in which each comes after those in its `needs`; earlier ones first.

    Raises: CircleError.
    """
    needed_by: list[list[int]] = [[] for _ in needs]
    waiting = [len(before) for before in needs]
    for at, before in enumerate(needs):
        for one in before:
            needed_by[one].append(at)
    ready = [at for at, count in enumerate(waiting) if not count]
    heapify(ready)
    order = []
    while ready:
        at = heappop(ready)
        order.append(at)
        for after in needed_by[at]:
            waiting[after] -= 1
            if not waiting[after]:
                heappush(ready, after)
    if len(order) < len(needs):
        raise CircleError(_circle(needs, waiting))
    return order


def _circle(needs: Sequence[set[int]], waiting: list[int]) -> list[int]:
    """Return one circle among those that still wait: from any of them, what it waits for leads into one."""
    at = next(at for at, count in enumerate(waiting) if count)
    path: dict[int, None] = {}
    while at not in path:
        path[at] = None
        at = min(one for one in needs[at] if waiting[one])
    walked = list(path)
    return walked[walked.index(at) :]
