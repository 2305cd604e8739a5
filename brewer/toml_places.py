"""Where a key of a table stands in a TOML file. The standard library reads TOML, but says no places.

Deliberately absent: reading values. The text is searched for what the library has found; where a file is written in an
unusual way, such as an inline table, the place is that of its table, or the first line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from runtime.diagnostics import Place

_ANY_TABLE = re.compile(r"\s*\[")


@dataclass(frozen=True)
class TomlTable:
    """One table of a file, such as `("tool", "brewer")`."""

    file: str
    text: str
    path: Sequence[str]

    @cached_property
    def place(self) -> Place:
        """Its head; else the line that names it, or the first one."""
        inline = re.compile(rf"\s*{_quoted(self.path[-1])}\s*[.=]")
        named = (number for number, line in enumerate(self._lines, 1) if inline.match(line))
        number = self._head or next(named, 0)
        return _stretch(self.file, number, self._lines[number - 1]) if number else Place(self.file, 1, 1)

    def place_of(self, key: str) -> Place:
        """A key of the table."""
        if self._head:
            inside = takewhile(lambda line: not _ANY_TABLE.match(line), self._lines[self._head :])
            numbered, before = enumerate(inside, self._head + 1), ""
        else:
            numbered, before = enumerate(self._lines, 1), rf"(?:{_dotted(self.path)}|{_quoted(self.path[-1])})\s*\.\s*"
        pattern = re.compile(rf"\s*{before}(?P<key>{_quoted(key)})\s*[.=]")
        for number, line in numbered:
            if match := pattern.match(line):
                return Place(self.file, number, match.start("key") + 1, len(match["key"]))
        return self.place

    def place_of_value(self, key: str, value: str) -> Place:
        """A text that is the value of the key, or stands in its list."""
        key_place = self.place_of(key)
        texts = (f'"{value}"', f"'{value}'")
        for number, line in enumerate(self._lines[key_place.line - 1 :], key_place.line):
            start = key_place.column + key_place.length if number == key_place.line else 0
            at = max(line.find(text, start) for text in texts)
            if at >= 0:
                return Place(self.file, number, at + 1, len(value) + 2)
        return key_place

    @cached_property
    def _head(self) -> int:
        """The line `[tool.brewer]`; 0 where the table is written in another way."""
        head = re.compile(rf"\s*\[\s*{_dotted(self.path)}\s*\]")
        return next((number for number, line in enumerate(self._lines, 1) if head.match(line)), 0)

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")


def _stretch(file: str, number: int, line: str) -> Place:
    indent = len(line) - len(line.lstrip())
    return Place(file, number, indent + 1, len(line.strip()))


def _dotted(path: Sequence[str]) -> str:
    return r"\s*\.\s*".join(map(_quoted, path))


def _quoted(key: str) -> str:
    return rf"[\"']?{re.escape(key)}[\"']?"
