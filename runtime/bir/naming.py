"""How a BIR file refers to values and axes: by their own name where they have one that nobody took, else by a number.

Deliberately absent: invented names. A reference of digits only (`%7`) stands for a value without a name, or for one
whose own name is written beside it, so a name reads back as it was, None included.
"""

from __future__ import annotations

from typing import Protocol

NONE = "none"
"""What stands in the arguments for an optional operand that is absent."""


class Named(Protocol):
    """A value or an axis."""

    @property
    def name(self) -> str | None: ...


class References:
    """The references of the values, or of the axes, of one function."""

    def __init__(self) -> None:
        self._of: dict[Named, str] = {}
        self._taken: set[str] = set()
        self._next = 0

    def of(self, named: Named) -> str:
        """Return the reference, percent sign included; the first call decides it."""
        reference = self._of.get(named)
        if reference is None:
            reference = self._of[named] = self._fresh(named.name)
        return reference

    def own_name(self, named: Named) -> tuple[str, ...]:
        """Return the own name where the reference does not say it, else nothing."""
        name = named.name
        return () if name is None or (self.of(named) == f"%{name}" and not is_number(name)) else (name,)

    def _fresh(self, wanted: str | None) -> str:
        if not wanted or is_number(wanted) or wanted in self._taken:
            number, self._next = self._next, self._next + 1
            return f"%{number}"
        self._taken.add(wanted)
        return f"%{wanted}"


def is_number(name: str) -> bool:
    """Whether a name consists of digits only, and so is none."""
    return name.isascii() and name.isdigit()


def name_of(reference: str) -> str | None:
    """Return the name that a reference without an own name beside it says."""
    name = reference[1:]
    return None if is_number(name) else name
