"""The names of one function while its text is read: what each one stands for, where it is visible, what was not found.

A value is visible from its definition to the end of its block, an axis in the body of its loop, a tensor from its
declaration to the end of the function. A name that is visible cannot be given again.

A name whose definition has a mistake is *spoiled*: it is known, nothing can be built from it, and whatever uses it is
not reported again.
"""

from __future__ import annotations

import re

from runtime.affine import Axis
from runtime.diagnostics import Diagnostic, did_you_mean
from runtime.instructions import Instruction
from runtime.quoting import BARE, unquoted
from runtime.tensors import Tensor
from runtime.text.scanner import Mistake, Scanner
from runtime.values import Value

_bare = re.compile(BARE)

_NEAR = 100  # names that are looked at for a misspelling, the latest of each table
_MOST_UNKNOWN = 100  # a function with more is something else altogether


class Spoiled:
    """Stands for a value, tensor or axis whose definition has a mistake."""


SPOILED = Spoiled()
Named = Value | Axis | Spoiled


class Scope:
    """The names that are visible at the position of the scanner. Names are kept as they are spelled, without `%`."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.values: dict[str, Value] = {}  # SSA values, in a table of their own since nearly every name is one
        self.others: dict[str, Tensor | Axis | Spoiled] = {}
        self.sites: dict[str, int] = {}  # where each name was given last, be it visible or not
        self.opened: list[str] = []  # names that the end of an open block will hide, in the order in which they came
        self.marks: dict[int, Instruction | None] = {}  # of instructions that others come after; None: has a mistake
        self._unknown: list[tuple[str, int, int, str, str]] = []  # name, start and end of its use, message, help
        self._reported: set[tuple[str, bool]] = set()  # names with whether they are known elsewhere

    def define(self, name: str, value: Named, at: int) -> None:
        """Make `name`, given at `at`, stand for `value`, until its block ends or, for a tensor, to the end."""
        if name in self.values or name in self.others:
            note = self.scanner.note("the first one is here", self.sites[name])
            self.scanner.fail("T012", f"%{name} is defined twice", at, at + len(name) + 1, notes=(note,))
        if isinstance(value, Value) and not isinstance(value, Tensor):
            self.values[name] = value
        else:
            self.others[name] = value
        self.sites[name] = at
        if not isinstance(value, Tensor):
            self.opened.append(name)

    def spoil(self, name: str, at: int) -> None:
        """Remember that the definition of `name` at `at` has a mistake."""
        if name not in self.values and name not in self.others:
            self.define(name, SPOILED, at)

    def assume(self, name: str, tensor: Tensor, at: int) -> None:
        """Let `name`, whose declaration at `at` has a mistake, stand for what seems to be meant."""
        if name not in self.values and name not in self.others:
            self.define(name, tensor, at)

    def leave(self, mark: int) -> None:
        """Hide what was defined since `opened` had the length `mark`."""
        for name in self.opened[mark:]:
            if self.values.pop(name, None) is None:
                del self.others[name]
        del self.opened[mark:]

    def find(self, name: str, start: int, end: int, missing: str = "", help: str = "") -> Value | Axis:
        """Return what `name` stands for; its use stands between `start` and `end`.

        `missing` and `help` are said where nothing has this name, and no other that is near.
        """
        found = self.values.get(name) or self.others.get(name)
        if found is None:
            near = did_you_mean(f"%{name}", self._candidates(name))
            message = missing or f"nothing is called %{name} here"
            self._unknown.append((name, start, end, message, near or help))
            if len(self._unknown) == _MOST_UNKNOWN:
                self.report_unknown()
        if found is None or isinstance(found, Spoiled):
            raise Mistake(None)
        return found

    def did_you_mean_a_name(self) -> str:
        """Return `did you mean %r?` where a word stands next that is a name but for its `%`, else nothing."""
        word = self.scanner.peek(_bare)
        is_name = word is not None and (word.group() in self.values or word.group() in self.others)
        return f"did you mean %{word.group()}?" if word is not None and is_name else ""

    def report_unknown(self) -> None:
        """Report the names that were not visible where they are used, now that all names of the function are known."""
        unknown, self._unknown = self._unknown, []
        for name, start, end, message, help in unknown:
            site = self.sites.get(name)
            is_late = site is not None and site > start
            if site is None or is_late:  # one definition is missing, or stands too low, however often it is used
                if (name, is_late) in self._reported:
                    continue
                self._reported.add((name, is_late))
            self.scanner.report(self._not_visible(name, start, end, message, help))

    def _not_visible(self, name: str, start: int, end: int, message: str, help: str) -> Diagnostic:
        site = self.sites.get(name)
        if site is None:
            return self.scanner.diagnostic("T010", message, start, end, help)
        notes = (self.scanner.note(f"%{name} is defined here", site),)
        if site > start:
            message, help = f"%{name} is used before its definition", "move the definition up: values come before uses"
        else:
            message = f"%{name} is not visible here: its block has ended, or this is a part of its own definition"
            help = "hand the value out of the block with `yield`, or define it outside"
        return self.scanner.diagnostic("T011", message, start, end, help, notes)

    def _candidates(self, name: str) -> list[str]:
        """The names of which `name` may be a misspelling; of the many in a big program, the nearest in text."""
        if name.isdecimal() or len(name) == 1:
            return []
        slack = max(2, len(name) // 3)
        near = [*self.opened[-_NEAR:], *list(self.others)[-_NEAR:]]
        return [f"%{known}" for known in near if not known.isdecimal() and abs(len(known) - len(name)) <= slack]


def plain_name(spelled: str) -> str | None:
    """Return the name that is spelled like this, or None for the number of something that has none."""
    if spelled[0] == '"':
        return unquoted(spelled)
    return None if spelled.isdecimal() else spelled


def any_name(spelled: str) -> str:
    """Return the name that is spelled like this, of something that always has one, be it a number."""
    name = plain_name(spelled)
    return spelled if name is None else name
