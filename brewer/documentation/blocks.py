"""What pages consist of, whatever form they are written in: paragraphs, tables and code, with links between pages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text; `target` is the page, or `page#section`, that it leads to."""

    text: str
    is_code: bool = False
    target: str = ""


Line = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    line: Line


@dataclass(frozen=True, slots=True)
class Table:
    heads: tuple[str, ...]
    rows: tuple[tuple[Line, ...], ...]

    @property
    def without_empty_columns(self) -> Table:
        kept = [at for at in range(len(self.heads)) if any(row[at] for row in self.rows)]
        rows = tuple(tuple(row[at] for at in kept) for row in self.rows)
        return Table(tuple(self.heads[at] for at in kept), rows)


@dataclass(frozen=True, slots=True)
class CodeBlock:
    text: str


Block = Paragraph | Table | CodeBlock


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Page:
    name: str  # neuron/ActivationOp: the name of its file, and what links say
    title: str
    summary: str
    words: tuple[str, ...]  # what it is found by, beside its title and summary
    sections: tuple[Section, ...]
    lead: tuple[Block, ...] = ()  # between the summary and the first section
    shows_sections_in_list: bool = False  # whether the list of pages has an entry for each section

    @property
    def intro(self) -> tuple[Block, ...]:
        """The summary, and what stands between it and the first section."""
        return (Paragraph(prose(self.summary)), *self.lead)


@dataclass(frozen=True, slots=True)
class Group:
    """Pages that belong together: those of a dialect."""

    name: str
    title: str
    pages: tuple[Page, ...]


def plain(text: object) -> Line:
    return (Span(str(text)),) if str(text) else ()


def code(text: object, target: str = "") -> Line:
    return (Span(str(text), True, target),) if str(text) else ()


def prose(text: str) -> Line:
    """Text of a definition, where `code` stands between backquotes."""
    parts = _CODE.split(" ".join(text.split()))
    return tuple(Span(part, at % 2 == 1) for at, part in enumerate(parts) if part)


def joined(lines: Iterable[Line], between: str = ", ") -> Line:
    spans: list[Span] = []
    for line in lines:
        spans += [Span(between)] * bool(spans and line)
        spans += line
    return tuple(spans)


def paragraphs(text: str) -> tuple[Paragraph, ...]:
    return tuple(Paragraph(prose(part)) for part in text.split("\n\n") if part.strip())
