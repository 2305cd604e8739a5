"""Patterns of names: `*` is any text, `?` any character, and every other character is itself.

So a name is a pattern of itself, `layers[0]` too. A policy and `--keep` mean the same by one.

    table = PatternTable([("conv_1", "a"), ("relu*", "b"), (None, "c")])
    list(table.of(["relu_7"])) == ["b", "c"]

A table finds names that stand in it as they are without trying each pattern: a policy may name thousands of nodes.

Deliberately absent: `[...]` as in names of files, since models have names with brackets in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import translate
from functools import lru_cache
from typing import Final, Generic, TypeVar

_T = TypeVar("_T")
_WILD: Final = re.compile("[*?]")


@lru_cache(maxsize=256)
def _pattern_of(text: str) -> re.Pattern[str]:
    return re.compile(translate(text.replace("[", "[[]")))


def fits(name: str, text: str) -> bool:
    """Whether a name fits the pattern that a text is."""
    return name == text or (is_wild(text) and _pattern_of(text).match(name) is not None)


def is_wild(text: str) -> bool:
    """Whether a pattern may fit other names than itself."""
    return _WILD.search(text) is not None


class PatternTable(Generic[_T]):
    """Things that have patterns, found by names; what has None for a pattern fits all names, and no name."""

    def __init__(self, pairs: Iterable[tuple[str | None, _T]]) -> None:
        self._things: list[_T] = []
        self._named: dict[str, list[int]] = {}
        self._wild: list[tuple[int, re.Pattern[str] | None]] = []
        for at, (text, thing) in enumerate(pairs):
            self._things.append(thing)
            if text is not None:
                self._named.setdefault(text, []).append(at)
            if text is None or is_wild(text):
                self._wild.append((at, None if text is None else _pattern_of(text)))

    def of(self, names: Iterable[str]) -> Iterator[_T]:
        """Yield the things whose patterns any of some names fits, in the order in which they were given."""
        names = tuple(names)
        found = {at for name in names for at in self._named.get(name, ())}
        for at, pattern in self._wild:
            if pattern is None or any(pattern.match(name) for name in names):
                found.add(at)
        for at in sorted(found):
            yield self._things[at]
