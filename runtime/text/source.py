"""A text with the name of its file: lines, and places for people.

Deliberately absent: a place for every token. While a text is read, a place is an offset; lines are counted when
somebody asks, so a text without mistakes never pays for them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from runtime.diagnostics import Place


class SourceText:
    """A text with the name of its file."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def place(self, start: int, end: int) -> Place:
        """Return the place of the characters from `start` to `end`, as far as they stand on one line."""
        line = bisect_right(self._starts, start)
        first = self._starts[line - 1]
        length = min(end, first + len(self.line(line))) - start
        return Place(self.file, line, start - first + 1, max(0, length))

    def line(self, number: int) -> str:
        """Return a line, counted from 1, without its end."""
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r")
