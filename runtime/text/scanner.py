"""Reading a text from left to right: the position, what stands there, and how to say that it should be something else.

Deliberately absent: a list of tokens. Every reader matches one regular expression at the position, so a text costs one
match for each thing in it, and white space is skipped inside the same match.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NoReturn

from runtime.access import APIndex, Pairs
from runtime.diagnostics import Diagnostic, DiagnosticsError, Note
from runtime.quoting import BARE, STRING, spelled_name, unquoted
from runtime.text.source import SourceText
from runtime.types import Type

SPACE = r"[ \t\r]*+"
LINES = r"(?:[ \t\r\n]|//[^\n]*+)*+"
NAME = rf"(?:{BARE}+|[0-9]++|{STRING})"
"""What may stand after `%`, `@` and `^`: a name, the number of something without one, or any text in quotes."""
GOES_ON = rf"(?:{SPACE}(?=[\n/]){LINES}(?=%|none\b)(?!%{NAME}(?:{SPACE}{STRING})?{SPACE}:))?+"
"""Behind a comma of operands: line ends and comments in front of the next one, which is no result of a statement."""

_MOST_MISTAKES = 100  # a text with more is something else altogether
_SHOWN = 40  # characters of the found text in a message

_BLANK = frozenset(" \t\r")
_BLANK_OR_END = frozenset(" \t\r\n/")

_space = re.compile(SPACE)
_lines = re.compile(LINES)
_goes_on = re.compile(GOES_ON)
_name = re.compile(NAME)
_string = re.compile(STRING)
_letter = re.compile("[A-Za-z_]")
_word = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.]*+")
_number = re.compile(r"[-+]?[0-9]++(?![0-9A-Za-z_.])")
_shown_token = re.compile(rf"[%@]{NAME}|{STRING}|[-+]?[A-Za-z0-9_.]++|[^\s]")
_end_of_line = re.compile(rf"{SPACE}(?://[^\n]*+)?(?:\n|\Z)")


class Mistake(Exception):
    """The statement being read is wrong; caught where the reader knows how to go on behind it."""

    def __init__(self, diagnostic: Diagnostic | None) -> None:
        super().__init__(diagnostic)
        self.diagnostic = diagnostic  # None: a consequence of a mistake that is reported already


class Scanner:
    """A text, a position in it, and the mistakes found so far."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.text = source.text
        self.pos = 0
        self.mistakes: list[Diagnostic] = []
        self.types: dict[str, Type] = {}  # those read so far, by their text
        self.pairs: dict[str, tuple[Pairs, tuple[APIndex | None, ...]]] = {}  # of accesses, likewise
        self.stated_type: Type | None = None  # of the first result of the statement being read

    # Moving on.

    def skip_space(self) -> None:
        """Go to the next thing on this line."""
        if self.text[self.pos : self.pos + 1] in _BLANK:  # asked first: half the time where there is nothing to skip
            self.pos = _space.match(self.text, self.pos).end()  # type: ignore[union-attr]  # matches nothing at least

    def skip_lines(self) -> None:
        """Go to the next thing, over line ends and comments."""
        if self.text[self.pos : self.pos + 1] in _BLANK_OR_END:
            self.pos = _lines.match(self.text, self.pos).end()  # type: ignore[union-attr]  # as above

    def accept(self, literal: str) -> bool:
        """Go behind `literal` if it stands next on this line."""
        self.skip_space()
        found = self.text.startswith(literal, self.pos)
        if found:
            self.pos += len(literal)
        return found

    def expect(self, literal: str, help: str = "") -> None:
        """Go behind `literal`, which must stand next on this line."""
        if not self.accept(literal):
            self.fail_expecting(f'"{literal}"', help=help)

    def peek(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return the match of `pattern` at the next thing on this line, without going on."""
        self.skip_space()
        return pattern.match(self.text, self.pos)

    def take(self, pattern: re.Pattern[str]) -> str | None:
        """Return what `pattern` matches next on this line and go behind it, or None."""
        match = self.peek(pattern)
        if match is None:
            return None
        self.pos = match.end()
        return match.group()

    def skip_to_operand(self) -> None:
        """Go to the operand behind a comma, which may stand on the next line."""
        self.pos = _goes_on.match(self.text, self.pos).end()  # type: ignore[union-attr]  # matches nothing at least

    def accept_end_of_line(self) -> bool:
        """Go to the next line if nothing but a comment is left on this one."""
        match = _end_of_line.match(self.text, self.pos)
        if match is None:
            return False
        self.pos = match.end()
        return True

    def expect_end_of_line(self, help: str = "") -> None:
        """Go to the next line; nothing but a comment may be left on this one."""
        if not self.accept_end_of_line():
            self.fail_expecting("the end of the line", help=help)

    # Things that stand everywhere.

    def word(self, what: str) -> str:
        """Return a word; `what` says in a message which one is expected."""
        return self.take(_word) or self.fail_expecting(what)

    def name(self, sigil: str, what: str, code: str = "T001") -> str:
        """Return the name behind `sigil` as it is spelled where names need no more quotes than they must."""
        self.skip_space()
        match = _name.match(self.text, self.pos + 1) if self.text.startswith(sigil, self.pos) else None
        if match is None:
            help = f"names start with {sigil}" if self.peek(_letter) else ""
            self.fail_expecting(what, code=code, help=help)
        start, self.pos = self.pos + 1, match.end()
        found = match.group()
        return spelled_name(self.unquoted(found, start)) if found[0] == '"' else found

    def own_name(self) -> str | None:
        """Return the text that says what something is really called, if one stands behind its name."""
        self.skip_space()
        return self.string("a name") if self.text.startswith('"', self.pos) else None

    def string(self, what: str, code: str = "T001") -> str:
        """Return the text that a quoted text stands for."""
        found = self.take(_string)
        if found is None:
            if self.text.startswith('"', self.pos):
                self.fail("T002", "the quoted text does not end on its line", self.pos, self.pos + 1)
            self.fail_expecting(what, code=code)
        return self.unquoted(found, self.pos - len(found))

    def unquoted(self, literal: str, start: int) -> str:
        """Return the text that `literal`, which stands at `start`, is for."""
        try:
            return unquoted(literal)
        except ValueError:
            help = r"the escapes are those of JSON: \" \\ \/ \n \t \r \b \f and \u with four hexadecimal digits"
            self.fail("T004", "the quoted text has an unknown escape", start, start + len(literal), help=help)

    def integer(self, what: str) -> int:
        """Return a whole number; `what` says which one is expected."""
        found = self.take(_number)
        if found is None:
            self.fail_expecting(what, code="T024")
        return self.whole(found, self.pos - len(found))

    def whole(self, digits: str, start: int) -> int:
        """Return the number that `digits`, which stand at `start`, are for."""
        try:
            return int(digits)
        except ValueError:  # Python refuses numbers of thousands of digits
            self.fail("T032", f"a number of {len(digits)} digits", start, start + len(digits))

    def items(self, close: str, opened: int) -> Iterator[None]:
        """Yield where each of the things between a bracket, at `opened`, and `close` is to be read; then go behind it.

        There are commas between them. They may stand on lines of their own.
        """
        self.skip_lines()
        is_first = True
        while not self.accept(close):
            if not is_first and not self.accept(","):
                crosses_line = "\n" in self.text[opened : self.pos]
                notes = (self.note(f'"{self.text[opened]}" stands here', opened),) if crosses_line else ()
                self.fail_expecting(f'"," or "{close}"', notes=notes)
            self.skip_lines()
            if self.pos == len(self.text):
                self.fail("T002", f'the "{self.text[opened]}" is not closed', opened, opened + 1)
            is_first = False
            yield
            self.skip_lines()

    # Saying what is wrong.

    def fail_expecting(
        self, what: str, *, help: str = "", code: str = "T001", notes: tuple[Note, ...] = ()
    ) -> NoReturn:
        """Say that `what` is expected at the position, and what stands there instead."""
        self.skip_space()
        token = None if self.text.startswith("//", self.pos) else _shown_token.match(self.text, self.pos)
        if token is None:
            found, end = ("the end of the line" if self.pos < len(self.text) else "the end of the text"), self.pos
        else:
            found, end = shortened(token.group()), token.end()
            if found == '"':
                found = "a quote that is not closed"
            elif found[0] != '"':
                found = f'"{found}"'
        self.fail(code, f"expected {what}, found {found}", self.pos, end, help=help, notes=notes)

    def fail(
        self, code: str, message: str, start: int, end: int, *, help: str = "", notes: tuple[Note, ...] = ()
    ) -> NoReturn:
        """Raise a mistake about the characters from `start` to `end`."""
        raise Mistake(self.diagnostic(code, message, start, end, help, notes))

    def diagnostic(
        self, code: str, message: str, start: int, end: int, help: str = "", notes: tuple[Note, ...] = ()
    ) -> Diagnostic:
        """Return the diagnostic about the characters from `start` to `end`."""
        place = self.source.place(start, end)
        return Diagnostic(code, message, place, self.source.line(place.line), help, notes)

    def note(self, message: str, at: int) -> Note:
        """Return a note that points at `at`."""
        return Note(message, self.source.place(at, at))

    def report(self, mistake: Diagnostic | None) -> None:
        """Keep a mistake for the end of the run.

        Raises: DiagnosticsError where there are too many to go on.
        """
        if mistake is not None:
            self.mistakes.append(mistake)
        if len(self.mistakes) >= _MOST_MISTAKES:
            self.raise_mistakes()

    def raise_mistakes(self) -> None:
        """Raise DiagnosticsError if there were any mistakes."""
        if self.mistakes:
            raise DiagnosticsError(self.mistakes)


def shortened(text: str) -> str:
    """Return `text`, or its beginning where it is long, for a message."""
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
