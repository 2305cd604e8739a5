"""The mistakes of one BIR file: collected by path while reading, shown by line and column at the end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NoReturn, TextIO

from runtime.bir.json_stream import no_constant
from runtime.bir.locate import locate
from runtime.bir.problems import BirError, Key, Undecidable
from runtime.diagnostics import Diagnostic, DiagnosticsError, Place

MOST: Final = 100
"""After so many mistakes reading stops: the file is something else than its reader takes it for."""

_LONGEST_LINE = 400  # characters; a longer line is not shown


class Mistakes:
    """What is wrong with one file."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._text = ""
        self._found: list[BirError] = []

    def read(self, source: Path | TextIO) -> str:
        """Return the text of a file.

        Raises: DiagnosticsError where it cannot be read.
        """
        try:
            return source.read_text(encoding="utf-8") if isinstance(source, Path) else source.read()
        except OSError as error:
            self._stop("B001", f"cannot read {self._file}: {error.strerror or error}")
        except UnicodeDecodeError as error:
            self._stop(
                "B001", f"{self._file} is not UTF-8 text: byte {error.start} is 0x{error.object[error.start]:02x}"
            )

    def parse(self, text: str) -> Any:
        """Return the JSON value of a text.

        Raises: DiagnosticsError where it is none.
        """
        self._text = text
        try:
            with self.not_too_deep():
                return json.loads(text, parse_constant=no_constant)
        except json.JSONDecodeError as error:
            ends = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
            code, what = ("B003", "the text ends too early") if ends else ("B002", "this is not JSON")
            self._stop(code, f"{what}: {error.msg[:1].lower()}{error.msg[1:]}", self._place((error.pos, 1)))
        except ValueError as error:  # NaN and its kind; a number with more digits than Python converts
            self._stop("B002", f"this is not JSON: {error}")

    @contextmanager
    def not_too_deep(self) -> Iterator[None]:
        """Turn the end of the stack, which only a hostile file reaches, into a mistake of the file.

        Raises: DiagnosticsError.
        """
        try:
            yield
        except RecursionError:
            self._stop("B004", "objects and lists are nested too deeply")

    @contextmanager
    def at(self, *path: Key, otherwise: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Collect a mistake that rises out of the body, which reads the part at `path`, and do `otherwise`."""
        try:
            yield
        except BirError as error:
            self.add(error.inside(*path))
            otherwise()
        except Undecidable:
            otherwise()

    def add(self, error: BirError) -> None:
        """Collect one mistake whose path starts at the top of the file.

        Raises: DiagnosticsError when there are too many.
        """
        self._found.append(error)
        if len(self._found) >= MOST:
            self.raise_if_any()

    def raise_if_any(self) -> None:
        """Raises: DiagnosticsError with all that was found, in file order."""
        if not self._found:
            return
        spans = locate(self._text, (error.path for error in self._found))
        raise DiagnosticsError(
            self._diagnostic(
                error.code, f"{error.message} (at {shown_path(error.path)})", spans[error.path], error.help
            )
            for error in self._found
        )

    def _diagnostic(self, code: str, message: str, span: tuple[int, int], help: str = "") -> Diagnostic:
        place = self._place(span)
        start = span[0] - (place.column - 1)
        end = self._text.find("\n", start)
        line = self._text[start : len(self._text) if end < 0 else end]
        return Diagnostic(code, message, place, line if len(line) <= _LONGEST_LINE else None, help)

    def _place(self, span: tuple[int, int]) -> Place:
        start, length = span
        before = self._text.rfind("\n", 0, start)
        return Place(self._file, self._text.count("\n", 0, start) + 1, start - before, length)

    def _stop(self, code: str, message: str, place: Place | None = None) -> NoReturn:
        line = self._text.splitlines()[place.line - 1 : place.line] if place else []
        shown = line[0] if line and len(line[0]) <= _LONGEST_LINE else None
        raise DiagnosticsError([Diagnostic(code, message, place or Place(self._file, 1, 1), shown)]) from None


class FirstMistake(Mistakes):
    """Does not collect: a mistake rises to whoever reads in a way that cannot say where it stands."""

    @contextmanager
    def at(self, *path: Key, otherwise: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Let a mistake rise."""
        yield

    def add(self, error: BirError) -> None:
        """Let a mistake rise.

        Raises: BirError.
        """
        raise error


def shown_path(path: tuple[Key, ...]) -> str:
    """Return a path of keys as JSON path: `$.functions[0].body[3]`."""
    return "$" + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
