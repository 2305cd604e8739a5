"""The alternatives for the layout of an instruction, measured before one was chosen: `python -m bench.layouts`.

Deliberately absent: everything that does not differ between them. Each layout is the least class that has a type, a
name, a place in a block (parent, previous, next, order), a source place, room for what few instructions have, two
operands and a use-list; all build the same chain, in which every value has two users.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.measure import measure_cpu_time, measure_memory
from runtime.garbage import paused_gc

SIZE = 100_000
COMMON = ("type", "uses", "name", "parent", "prev", "next", "order", "loc", "extra")


class WithDict:
    """No slots: Python's ordinary instance dictionary, a list of operands, a list of users."""

    def __init__(self, type: str, lhs: Any, rhs: Any) -> None:
        self.type, self.name, self.loc, self.extra = type, None, None, None
        self.parent, self.prev, self.next, self.order = None, None, None, 0
        self.uses: list[Any] = []
        self.operands = [lhs, rhs]
        if lhs is not None:
            lhs.uses.append(self)
            rhs.uses.append(self)


class Slotted:
    """Slots; subclasses say how operands and users are kept."""

    __slots__ = COMMON

    def __init__(self, type: str, lhs: Any, rhs: Any) -> None:
        self.type = type
        self.uses = self.no_users()
        self.name = self.loc = self.extra = None
        self.parent = self.prev = self.next = None
        self.order = 0
        self.hold(lhs, rhs)
        if lhs is not None:
            lhs.add(self)
            rhs.add(self)

    def no_users(self) -> Any:
        return None

    def hold(self, lhs: Any, rhs: Any) -> None:
        raise NotImplementedError


class TwoSlots(Slotted):
    """A slot for each operand."""

    __slots__ = ("lhs", "rhs")

    def hold(self, lhs: Any, rhs: Any) -> None:
        self.lhs = lhs
        self.rhs = rhs


class UsersInList(TwoSlots):
    """Users in a list: small, but removing one of 100,000 is slow."""

    __slots__ = ()

    def no_users(self) -> Any:
        return []

    def add(self, user: Slotted) -> None:
        self.uses.append(user)


class UsersInDict(TwoSlots):
    """Users in a dictionary from the start: removal is O(1), a value with one user pays for a table."""

    __slots__ = ()

    def no_users(self) -> Any:
        return {}

    def add(self, user: Slotted) -> None:
        self.uses[user] = self.uses.get(user, 0) + 1


class InlineThenDict(TwoSlots):
    """One user inline, a dictionary from the second on."""

    __slots__ = ()

    def add(self, user: Slotted) -> None:
        if self.uses is None:
            self.uses = user
        elif isinstance(self.uses, dict):
            self.uses[user] = self.uses.get(user, 0) + 1
        else:
            self.uses = {self.uses: 1, user: 1}


class OperandTuple(Slotted):
    """Operands in one tuple, users as in InlineThenTuple: one class serves any number of operands."""

    __slots__ = ("operands",)

    def hold(self, lhs: Any, rhs: Any) -> None:
        self.operands = (lhs, rhs)

    def add(self, user: Slotted) -> None:
        uses = self.uses
        if uses is None:
            self.uses = user
        elif isinstance(uses, dict):
            uses[user] = uses.get(user, 0) + 1
        elif isinstance(uses, tuple):
            self.uses = (*uses, user) if len(uses) < 4 else dict.fromkeys((*uses, user), 1)
        else:
            self.uses = (uses, user)


class InlineThenTuple(TwoSlots):
    """One user inline, up to four in a tuple, a dictionary beyond: what `runtime.values.Value` does."""

    __slots__ = ()
    add = OperandTuple.add


LAYOUTS: tuple[Callable[..., Any], ...] = (
    WithDict,
    UsersInList,
    UsersInDict,
    InlineThenDict,
    OperandTuple,
    InlineThenTuple,
)


def build(layout: Callable[..., Any], size: int) -> Any:
    """Build a chain of `size` instructions, each using the two before it."""
    before, last = layout("f32", None, None), layout("f32", None, None)
    first = before
    for _ in range(size):
        made = layout("f32", before, last)
        last.next, made.prev = made, last
        before, last = last, made
    return first


def layout_table() -> list[str]:
    """Measure every layout, and return the lines of a table."""
    lines = ["| layout | bytes an instruction | CPU µs an instruction |", "|---|---:|---:|"]
    for layout in LAYOUTS:
        with paused_gc():
            measured = lambda _: build(layout, SIZE)  # noqa: B023, E731  # called at once
            seconds = measure_cpu_time(lambda: None, measured, lambda *_: None, 5)
        size = measure_memory(lambda: build(layout, SIZE))  # noqa: B023  # as above
        about = (layout.__doc__ or "").splitlines()[0]
        lines.append(f"| {layout.__name__}: {about} | {size / SIZE:.0f} | {seconds / SIZE * 1e6:.2f} |")
    return lines


if __name__ == "__main__":
    print("\n".join(layout_table()))
