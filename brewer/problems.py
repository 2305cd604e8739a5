"""Where readers and checks put the mistakes that they find, so that one run reports them all."""

from __future__ import annotations

from collections.abc import Iterable

from brewer.codes import CODES
from runtime.diagnostics import Diagnostic, DiagnosticsError, Note, Place, did_you_mean, in_file_order


class Problems:
    """The mistakes of one run, and the lines of the files that they stand in."""

    def __init__(self) -> None:
        self._found: list[Diagnostic] = []
        self._lines: dict[str, list[str]] = {}
        self._doubtful: set[Place] = set()
        self.complaints = 0  # said or not: whoever reads something knows by it whether all of that was sound

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
        line = self.line_at(place) if place else None
        self._found.append(Diagnostic(code, message, place, line, help, tuple(notes)))

    def unknown(self, code: str, place: Place, kind: str, name: str, known: Iterable[str], *, help: str = "") -> None:
        """No `kind` is called `name`; near names are proposed, or all of them where they are few."""
        known = sorted(set(known))
        listed = f"known: {', '.join(known)}" if 0 < len(known) <= 12 else ""
        hint = did_you_mean(name, known) or help or listed
        self.error(code, place, f'no {kind} is called "{name}"', help=hint)

    def line_at(self, place: Place) -> str | None:
        lines = self._lines.get(place.file, [])
        return lines[place.line - 1] if 0 < place.line <= len(lines) else None

    @property
    def found(self) -> tuple[Diagnostic, ...]:
        return in_file_order(self._found)

    def raise_if_any(self) -> None:
        """Raises: DiagnosticsError with all that was found, in file order."""
        if self._found:
            raise DiagnosticsError(self._found)
