"""The names that values get in print.

Deliberately absent: a counter on the function. Names of unnamed values are made when something is printed, so building
and rewriting a program costs nothing for them, and the numbers in a dump are always consecutive.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from runtime.quoting import spelled_name

if TYPE_CHECKING:
    from runtime.affine import Axis
    from runtime.blocks import Block, Statement
    from runtime.functions import Function
    from runtime.values import Value


class Names:
    """The printed name of every value and axis of one function: its own where it has one, else the next number.

    Where two values that are visible in one place have the same name, the later one gets a suffix, so that printed text
    parses back; its own name is in `renamed`. What stands in different regions or loops may share a name, and so may
    the result of an instruction and what stands in its regions, where the result is not visible.
    """

    def __init__(self, function: Function | None = None) -> None:
        """Take the function whose values get their names at once, which is O(function); None: each when it is met."""
        self.renamed: dict[Value | Axis, str] = {}  # the own names of those that got a suffix
        self._of: dict[Value | Axis, str] = {}
        self._taken: dict[str, None] = {}  # in the order in which they were given
        self._suffixes: dict[str, int] = {}  # the last one tried for a name, so that equal names cost nothing
        self._next = 0
        self._marks: dict[Statement, int] = {}
        if function is not None:
            for tensor in function.tensors.values():
                self.of(tensor)
            self._number(function.body)

    def of(self, value: Value | Axis) -> str:
        """Return the name of `value` as it stands after the percent sign; the first call decides it."""
        name = self._of.get(value)
        if name is None:
            name = self._of[value] = self._fresh(value)
        return name

    def mark_of(self, inst: Statement) -> int:
        """Return the number by which others say that they come after `inst`; the first call decides it."""
        return self._marks.setdefault(inst, len(self._marks))

    def enter(self) -> int:
        """Start a block, or a loop with its axis; what this returns ends it."""
        return len(self._taken)

    def leave(self, entered: int) -> None:
        """End the block that `enter` started: what comes after may have the names that were given in it."""
        while len(self._taken) > entered:
            self._taken.popitem()

    def hide(self, values: Iterable[Value]) -> list[str]:
        """Start the regions of the instruction that gives `values`: they may have the same names. `show` ends that."""
        hidden = [name for value in values if (name := self._of[value]) in self._taken]  # numbers are not
        for name in hidden:
            del self._taken[name]
        return hidden

    def show(self, hidden: list[str]) -> None:
        """End the regions that `hide` started: the names of the results are taken again."""
        self._taken.update(dict.fromkeys(hidden))

    def _fresh(self, value: Value | Axis) -> str:
        wanted = value.name
        if wanted is None:
            name, self._next = str(self._next), self._next + 1
            return name
        name = spelled_name(wanted)
        while name in self._taken:
            suffix = self._suffixes[wanted] = self._suffixes.get(wanted, 0) + 1
            name = spelled_name(f"{wanted}_{suffix}")
            self.renamed[value] = wanted
        self._taken[name] = None
        return name

    def _number(self, block: Block) -> None:
        for argument in block.arguments:
            self.of(argument)
        for statement in block:
            for result in statement.results:
                self.of(result)
            if statement.dependents:
                self.mark_of(statement)
            if statement.blocks:
                hidden = self.hide(statement.results)
                self._number_blocks(statement)
                self.show(hidden)

    def _number_blocks(self, statement: Statement) -> None:
        for inner in statement.blocks:
            entered = self.enter()
            if statement.own_axis is not None:
                self.of(statement.own_axis)
            self._number(inner)
            self.leave(entered)
