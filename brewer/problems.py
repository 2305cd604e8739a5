"""Where readers and checks put the mistakes that they find, so that one run reports them all."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from brewer.codes import CODES
from brewer.model import Text
from runtime.diagnostics import (
    Diagnostic,
    DiagnosticsError,
    Note,
    Place,
    did_you_mean,
    did_you_mean_dtype,
    in_file_order,
)

SHOWN_OF_A_FILE = 100
"""Mistakes; whoever has more corrects some and looks again."""
_MOST_COMPARED = 2_000  # names; each takes some 20 microseconds
_SHOWN_OF_A_TEXT = 600  # characters; a name in it may be as long as its file
_SHOWN_OF_A_NAME = 160
_LONG_NAME = re.compile(rf'"([^"]{{{_SHOWN_OF_A_NAME // 2}}})[^"]{{{_SHOWN_OF_A_NAME // 2},}}"')


class Problems:
    """The mistakes of one run, and the lines of the files that they stand in."""

    def __init__(self) -> None:
        self._found: dict[Diagnostic, None] = {}  # each once, although a base's mistakes are met in every definition
        self._judged: tuple[str, frozenset[str]] | None = None  # a definition, and the files of those it stands on
        self._first: dict[tuple[str, Place | None, str], Diagnostic] = (
            {}
        )  # by what is said but for the definition's name
        self._heirs: dict[tuple[str, Place | None, str], set[str]] = {}  # definitions that have it from a base
        self._lines: dict[str, list[str]] = {}
        self._doubtful: set[Place] = set()
        self._count: Counter[str] = Counter()  # of mistakes, by file
        self._overflowing: set[str] = set()  # files with more mistakes than are shown
        self.complaints = 0  # said or not: whoever reads something knows by it whether all of that was sound

    def judge(self, definition: Text | None, bases: Iterable[Text] = ()) -> None:
        """What follows is about this definition: mistakes at the lines of its bases are said once, and counted."""
        files = frozenset(base.place.file for base in bases)
        self._judged = (definition.value, files) if definition else None

    def add_source(self, file: str, text: str) -> None:
        """Remembers the text of a file, for the source line of a diagnostic."""
        self._lines[file] = text.split("\n")

    def doubt(self, place: Place) -> None:
        """The value at this place was refused: whatever else is wrong with it follows from that, and is not said."""
        self._doubtful.add(place)

    def error(
        self, code: str, place: Place | None, message: str, *, help: str = "", notes: Iterable[Note] = ()
    ) -> None:
        assert code in CODES, f"{code} is not in the table of codes"
        self.complaints += 1
        if place in self._doubtful:
            return
        file = place.file if place else ""
        line = self.line_at(place) if place else None
        found = Diagnostic(code, _shown(message), place, line, _shortened(help), tuple(notes))
        if self._was_said(found):
            return
        if self._count[file] >= SHOWN_OF_A_FILE:
            self._overflowing.add(file)
            return
        self._count[file] += 1
        self._found[found] = None

    def _was_said(self, found: Diagnostic) -> bool:
        """Whether another definition has this mistake from the same line; what the base itself has is said of it."""
        name, bases = self._judged or ("", frozenset())
        key = (found.code, found.place, found.message.replace(f'"{name}"', '""'))
        is_inherited = found.place is not None and found.place.file in bases
        if is_inherited:
            self._heirs.setdefault(key, set()).add(name)
        earlier = self._first.setdefault(key, found)
        if earlier is found:
            return False
        if not is_inherited and earlier in self._found:
            del self._found[earlier]
            self._first[key] = found
            self._found[found] = None
        return True

    def unknown(self, code: str, place: Place, kind: str, name: str, known: Iterable[str], *, help: str = "") -> None:
        """No `kind` is called `name`; near names are proposed, or all of them where they are few."""
        known = sorted(set(known)) if not self.is_full(place) else ()
        listed = f"known: {', '.join(known)}" if 0 < len(known) <= 12 else ""
        hint = did_you_mean_dtype(name, known) if code == "D005" and known else self.hint(place, name, known)
        self.error(code, place, f'no {kind} is called "{name}"', help=hint or help or listed)

    def hint(self, place: Place, name: str, known: Collection[str], title: str = "") -> str:
        """`did you mean "f16" or "f32"?`, else all known names behind the title, if there is one."""
        if self.is_full(place):
            return ""  # it will not be shown
        near = did_you_mean(name, known) if len(known) <= _MOST_COMPARED else ""
        return near or (f"{title}: {', '.join(known) or 'none'}" if title else "")

    def is_full(self, place: Place) -> bool:
        """Whether no further mistake of the place's file is shown."""
        return self._count[place.file] >= SHOWN_OF_A_FILE

    def lines_of(self, file: str) -> list[str]:
        """The lines of a file whose text is known."""
        return self._lines[file]

    def line_at(self, place: Place) -> str | None:
        lines = self._lines.get(place.file, [])
        return lines[place.line - 1] if 0 < place.line <= len(lines) else None

    @property
    def found(self) -> tuple[Diagnostic, ...]:
        found = list(in_file_order(self._with_heirs()))
        for file in self._overflowing:
            last = max(at for at, each in enumerate(found) if file == (each.place.file if each.place else ""))
            note = Note("further mistakes are not shown")
            found[last] = replace(found[last], notes=(*found[last].notes, note))
        return tuple(found)

    def _with_heirs(self) -> Iterator[Diagnostic]:
        """The mistakes, with the number of definitions that have one from a base."""
        counted = {self._first[key]: len(heirs) for key, heirs in self._heirs.items()}
        for each in self._found:
            count = counted.get(each)
            said = f"{count} definitions inherit it" if count != 1 else "1 definition inherits it"
            yield replace(each, notes=(*each.notes, Note(said))) if count else each

    def raise_if_any(self) -> None:
        """Raises: DiagnosticsError with all that was found, in file order."""
        if self._found:
            raise DiagnosticsError(self.found)


def _shown(message: str) -> str:
    """A message on one line, in which nobody is misled by what cannot be seen, or buried under a text of a file."""
    if not message.isprintable():
        message = "".join(c if c.isprintable() else _escaped(c) for c in message)
    return _shortened(message if len(message) <= _SHOWN_OF_A_NAME else _LONG_NAME.sub(r'"\1 ..."', message))


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN_OF_A_TEXT else f"{text[:_SHOWN_OF_A_TEXT]} ..."
