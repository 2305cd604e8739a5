"""What is wrong, where, and what may have been meant: one form for mistakes in definitions, IR text and IR.

Deliberately absent: reading files, terminals and colour. A diagnostic is data; whoever found the mistake knows the
source line. This module imports the standard library only, so that every part of the project may use it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

Severity = Literal["error", "warning"]

_MOST_WITH_ONE_START = 4  # a start that more names have than that is no hint

_WIDEST = 240  # characters of a source line that are shown
_LONG_WORD = re.compile(r"(\S{400})\S{400,}(\S{40})")


class Place(NamedTuple):
    """A stretch of one line of a file. A tuple, since reading a definition makes sixty: in a third of the time.

    Units: line and column count characters from 1; length is in characters, 0 means "unknown, one caret".
    A program that was built and not parsed has no file: `file` then says where in words (`@main %h`), and `line` is 0.
    """

    file: str
    line: int
    column: int
    length: int = 0

    def __str__(self) -> str:
        return f"{shown_path(self.file)}:{self.line}:{self.column}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Note:
    """A second place that the reader must see: the other definition of a name, the base that a field came from."""

    message: str
    place: Place | None = None

    def render(self) -> str:
        return f"note: {self.place}: {self.message}" if self.place else f"note: {self.message}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One mistake. `code` is stable across releases; everything else is text for people."""

    code: str
    message: str
    place: Place | None = None
    source_line: str | None = None  # the text of the place's line; carets are drawn under it
    help: str = ""
    notes: tuple[Note, ...] = ()
    severity: Severity = "error"

    def render(self) -> str:
        """The lines that a person reads: headline, source line, carets, help, notes."""
        headline = f"{self.severity}[{self.code}]: {_without_long_words(self.message)}"
        lines = [f"{self.place}: {headline}" if self.place else headline]
        if self.place and self.source_line is not None and self.source_line.strip():
            part, place = _part_around(self.place, self.source_line.rstrip())
            shown = "".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in part)
            lines += [shown, _carets(place, part)]
        if self.help:
            lines.append(f"help: {_without_long_words(self.help)}")
        return "\n".join(lines + [note.render() for note in self.notes])

    def __str__(self) -> str:
        return self.render()


class DiagnosticsError(Exception):
    """Carries every diagnostic of a run to whoever called; its text is the rendered report."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = in_file_order(diagnostics)
        super().__init__(render_all(self.diagnostics))


def in_file_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sorted by file, line and column, each said once; those that have no line come last, in the order given."""
    once = tuple(dict.fromkeys(diagnostics))
    placed = [(found.place, found.code, found.message, found) for found in once if found.place and found.place.line]
    return (
        *(found for *_, found in sorted(placed, key=lambda entry: entry[:3])),
        *(found for found in once if not (found.place and found.place.line)),
    )


def render_all(diagnostics: Iterable[Diagnostic]) -> str:
    """All diagnostics as one text, an empty line between two of them."""
    return "\n\n".join(diagnostic.render() for diagnostic in diagnostics)


def near_names(name: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """The candidates that `name` is most likely a misspelling of, all ties, sorted; else those that begin with it."""
    candidates = frozenset(candidates)
    limit = min(max(1, len(name) // 3), len(name) - 1)  # a word of which nothing is left is not a misspelling
    near = sorted(candidate for candidate in candidates if abs(len(candidate) - len(name)) <= limit)
    distances = {candidate: _edit_distance(name.lower(), candidate.lower()) for candidate in near}
    best = min(distances.values(), default=limit + 1)
    if best <= limit:
        return tuple(candidate for candidate, distance in distances.items() if distance == best)
    longer = sorted(candidate for candidate in candidates if candidate.lower().startswith(name.lower()))
    return tuple(longer) if len(name) > 2 and len(longer) <= _MOST_WITH_ONE_START else ()


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """`did you mean "bf16" or "f16"?`, or an empty text if no candidate is near."""
    near = near_names(name, candidates)
    return f"did you mean {either(near)}?" if near else ""


_WHOLE_DTYPES = {"half": "f16", "single": "f32", "double": "f64", "boolean": "bool", "byte": "u8"}


def did_you_mean_dtype(name: str, candidates: Iterable[str]) -> str:
    """As `did_you_mean`, for a data type, also by the words of other systems: `bfloat16`, `fp8_e4m3`, `half`."""
    candidates = tuple(candidates)
    short = name.lower().rpartition(".")[2].replace("_", "")
    for theirs, ours in (("float", "f"), ("fp", "f"), ("uint", "u"), ("int", "i")):
        short = short.replace(theirs, ours)
    short = _WHOLE_DTYPES.get(short, short)
    if short in candidates:
        return f'did you mean "{short}"?'
    if short in ("f4", "f8"):  # a width, of which there are several
        return f"did you mean {either(each for each in candidates if each.startswith(short))}?"
    return did_you_mean(name, candidates) or did_you_mean(short, candidates)


def either(names: Iterable[str], joint: str = "or") -> str:
    """The names in quotes, read aloud: `"a", "b" or "c"`."""
    return listed((f'"{name}"' for name in names), joint)


def listed(words: Iterable[str], joint: str = "or") -> str:
    """The words read aloud: `a, b or c`."""
    words = list(words)
    return f" {joint} ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def shown_path(file: str) -> str:
    """The path as it is printed: relative to the current directory where it lies below it, with forward slashes."""
    if not os.path.isabs(file):
        return file
    here = os.getcwd()
    below = os.path.relpath(file, here) if os.path.splitdrive(file)[0] == os.path.splitdrive(here)[0] else os.pardir
    outside = below == os.pardir or below.startswith(os.pardir + os.sep)
    return (file if outside else below).replace(os.sep, "/")


def _without_long_words(text: str) -> str:
    """The text with the middle of each word left out that may have a million characters."""
    return _LONG_WORD.sub(r"\1...\2", text)


def _part_around(place: Place, source_line: str) -> tuple[str, Place]:
    """What is shown of a line, and the place in it; a line that holds a constant may have a million characters."""
    if len(source_line) <= _WIDEST:
        return source_line, place
    start = max(0, place.column - 1 - _WIDEST // 2)
    before, after = "... " * (start > 0), " ..." * (start + _WIDEST < len(source_line))
    part = f"{before}{source_line[start : start + _WIDEST]}{after}"
    return part, Place(place.file, place.line, place.column - start + len(before), place.length)


def _carets(place: Place, source_line: str) -> str:
    before = source_line[: place.column - 1].ljust(place.column - 1)
    indent = "".join(character if character == "\t" else " " for character in before)
    room = max(1, len(source_line) - place.column + 1)
    return indent + "^" * min(max(1, place.length), room)


def _edit_distance(left: str, right: str) -> int:
    """Insertions, deletions, replacements and swaps of neighbours that turn one word into the other."""
    before: list[int] = []
    previous = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        row = [i]
        for j, b in enumerate(right, 1):
            cost = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and b == left[i - 2]:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, previous = previous, row
    return previous[-1]
