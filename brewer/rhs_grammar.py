"""`rhs_str`: the text of an instruction as literals, placeholders and optional groups.

    rhs_str := mnemonic part*
    part    := literal | "{" field "}" | "(?" (literal | "{" field "}")+ ")"

A group vanishes when its field is absent: `(? bias {bias})`. Braces are never literals: ` {` opens the trailing
dictionary. Parentheses are, outside of groups.
"""

from __future__ import annotations

import re

from brewer.frozen import frozen
from brewer.model import Text
from brewer.problems import Problems
from runtime.diagnostics import Place

_MNEMONIC = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*(?=\s|\(\?|\Z)")
_TUPLE = tuple.__new__
_LONGEST = 1_000  # characters; what is longer is no line that somebody reads
_TOKEN = re.compile(
    r"(?P<open>\(\?)|(?P<close>\))|\{(?P<field>[A-Za-z0-9_]+)\}|(?P<literal>\(|[^{}()]+)|(?P<bad>\{[^{}]*\}?|\})"
)


@frozen
class Literal:
    text: str
    place: Place


@frozen
class Placeholder:
    field: str
    place: Place


@frozen
class Group:
    parts: tuple[Literal | Placeholder, ...]
    place: Place

    @property
    def fields(self) -> tuple[Placeholder, ...]:
        return tuple(part for part in self.parts if isinstance(part, Placeholder))


@frozen
class Rhs:
    mnemonic: Text
    parts: tuple[Literal | Placeholder | Group, ...]

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        """All placeholders, those inside groups too, in order."""
        return tuple(
            inner
            for part in self.parts
            for inner in (part.parts if isinstance(part, Group) else (part,))
            if isinstance(inner, Placeholder)
        )


def parse_rhs(rhs_str: Text, problems: Problems) -> Rhs | None:
    """The parts of a printed form; None after reporting what is malformed."""
    text = rhs_str.value
    match = _MNEMONIC.match(text)
    if match is None:
        help = "it starts with the mnemonic: lower-case words joined by dots, then a space"
        problems.error("D042", rhs_str.place, f'"{text}" does not start with a mnemonic', help=help)
        return None
    if text != text.rstrip() or "\n" in text or "  " in text:
        problems.error("D042", rhs_str.place, "rhs_str ends with a space, or holds a line end or two spaces in a row")
        return None
    if len(text) > _LONGEST:
        problems.error("D042", rhs_str.place, f"rhs_str has {len(text)} characters; {_LONGEST} are the most")
        return None
    reader = _Reader(rhs_str, problems)
    parts = reader.read(match.end())
    return Rhs(Text(match.group(), reader.place(0, match.end())), parts) if reader.sound else None


class _Reader:
    """Reads the parts after the mnemonic; places are as exact as quoting and escapes in the file allow."""

    def __init__(self, text: Text, problems: Problems) -> None:
        self.text = text
        self.problems = problems
        self.sound = True
        column, length = text.place.column - 1, text.place.length
        line = (problems.line_at(text.place) or "")[column : column + length]
        self.start = line.find(text.value)

    def place(self, start: int, end: int) -> Place:
        whole = self.text.place
        if self.start < 0:
            return whole
        column = whole.column + self.start + start
        return _TUPLE(Place, (whole.file, whole.line, column, end - start))  # `Place(...)` takes twice as long

    def read(self, start: int) -> tuple[Literal | Placeholder | Group, ...]:
        parts: list[Literal | Placeholder | Group] = []
        group: list[Literal | Placeholder] | None = None
        opened = self.text.place
        for match in _TOKEN.finditer(self.text.value, start):
            here = self.place(match.start(), match.end())
            kind = match.lastgroup
            if kind == "close" and group is not None:
                parts.append(Group(tuple(group), opened))
                group = None
            elif kind == "open" and group is None:
                group, opened = [], here
            elif group is None:
                self.add(parts, match, here)
            elif kind == "open" or match.group() == "(":
                self.malformed(here, "a parenthesis inside an optional group", "the first `)` closes the group")
            else:
                self.add(group, match, here)
        if group is not None:
            self.malformed(opened, "the optional group is not closed", "(? text {field})")
        return tuple(parts)

    def add(
        self,
        parts: list[Literal | Placeholder | Group] | list[Literal | Placeholder],
        match: re.Match[str],
        here: Place,
    ) -> None:
        literal = match.group()
        if match.lastgroup == "field":
            parts.append(Placeholder(match["field"], here))
        elif match.lastgroup not in ("literal", "close"):
            help = "a placeholder is {field}, an optional group (? text {field}); braces are not literal text"
            self.malformed(here, f'"{match.group()}" is no placeholder', help)
        elif parts and isinstance(last := parts[-1], Literal):
            length = last.place.length + (here.length if self.start >= 0 else 0)
            place = Place(last.place.file, last.place.line, last.place.column, length)
            parts[-1] = Literal(last.text + literal, place)
        else:
            parts.append(Literal(literal, here))

    def malformed(self, place: Place, message: str, help: str) -> None:
        self.problems.error("D042", place, message, help=help)
        self.sound = False
