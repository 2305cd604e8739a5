"""Rendering once more to learn which template line wrote what: each piece of text gets a mark in front of it.

A Jinja extension sees the tokens of every template. Before each line of literal text, and before each expression, it
puts a call that notes template, line, and the item of the innermost loop (or the argument of the macro): a view of a
field, of a rule. The marks survive includes, macros and filters, and are taken out at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import jinja2
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream

from brewer.rendering import Renderer

_MARK = re.compile("\0([0-9]+)\0")
_MARKER = "mark_origin"  # the name of the function in templates
_OPENING = ("for", "if", "macro", "call", "filter", "block", "with", "autoescape")


@dataclass(frozen=True, slots=True, order=True)
class TemplateLine:
    template: str  # constructor.j2
    line: int


@dataclass(frozen=True, slots=True)
class TracedLine:
    """One line of a rendered file."""

    text: str
    sources: tuple[TemplateLine, ...]  # that wrote it, from left to right, each once
    item: Any = None  # of the innermost loop that wrote it: a view, or None


@dataclass(slots=True)
class _Marks:
    """What the marks of one run stand for."""

    found: list[tuple[TemplateLine, Any]] = field(default_factory=list)

    def __call__(self, template: str, line: int, item: Any) -> str:
        self.found.append((TemplateLine(template, line), item))
        return f"\0{len(self.found) - 1}\0"


@dataclass(frozen=True)
class TracedRenderer(Renderer):
    """Renders what `Renderer` renders, with marks; `lines_of` takes them out."""

    marks: _Marks = field(default_factory=_Marks)

    @cached_property
    def environment(self) -> jinja2.Environment:
        environment = super().environment
        environment.add_extension(_MarkingExtension)
        environment.globals[_MARKER] = self.marks
        return environment

    @property
    def fast(self) -> jinja2.Environment:
        """There is no faster form with marks."""
        return self.environment

    def _plain(self, text: str) -> str:
        return without_marks(text)

    def lines_of(self, text: str) -> tuple[TracedLine, ...]:
        """The lines of a rendered text, without its marks."""
        return tuple(_lines(text, self.marks))


def without_marks(text: str) -> str:
    return _MARK.sub("", text)


def _lines(text: str, marks: _Marks) -> Iterator[TracedLine]:
    current: int | None = None  # the mark that the text after it belongs to, over ends of lines
    for line in text.split("\n"):
        first, *rest = _MARK.split(line)  # text, mark, text, mark, text
        pieces = [(current, first), *((int(mark), piece) for mark, piece in zip(rest[::2], rest[1::2], strict=True))]
        current = pieces[-1][0]
        found = [(marks.found[mark], piece) for mark, piece in pieces if mark is not None and piece]
        wrote = {
            source for (source, _), piece in found if piece.strip()
        }  # a filter may have indented what others wrote
        items = [item for (_, item), piece in found if item is not None and piece.strip()]
        sources = tuple(dict.fromkeys(source for (source, _), _ in found if source in wrote))
        yield TracedLine("".join(piece for _, piece in pieces), sources, (items or [None])[-1])


class _MarkingExtension(Extension):
    """Puts the marks between the tokens of a template."""

    def filter_stream(self, stream: TokenStream) -> Iterable[Token]:
        return _marked(stream, str(stream.name))


def _marked(stream: Iterable[Token], template: str) -> Iterator[Token]:
    scopes: list[str | None] = []  # of each open block, the variable that it binds
    block: list[Token] = []
    for token in stream:
        if token.type == "block_begin" or block:
            block.append(token)
            if token.type == "block_end":
                _enter_or_leave(block, scopes)
                yield from block
                block = []
        elif token.type == "data":
            yield from _marked_data(token, template, _innermost(scopes))
        else:
            if token.type == "variable_begin":
                yield from _mark(template, token.lineno, _innermost(scopes))
            yield token


def _marked_data(token: Token, template: str, variable: str | None) -> Iterator[Token]:
    """A mark before each line that is not empty."""
    for offset, line in enumerate(token.value.splitlines(keepends=True)):
        if line != "\n":
            yield from _mark(template, token.lineno + offset, variable)
        yield Token(token.lineno + offset, "data", line)


def _mark(template: str, line: int, variable: str | None) -> Iterator[Token]:
    """The tokens of `{{ mark_origin("constructor.j2", 23, field) }}`."""
    parts = (
        *(("variable_begin", "{{"), ("name", _MARKER), ("lparen", "("), ("string", template), ("comma", ",")),
        *(("integer", line), ("comma", ","), ("name", variable or "none"), ("rparen", ")"), ("variable_end", "}}")),
    )
    return (Token(line, type, value) for type, value in parts)  # type: ignore[arg-type]  # an integer is one


def _enter_or_leave(block: list[Token], scopes: list[str | None]) -> None:
    words = [token.value for token in block[1:-1]] or [""]  # an empty block is for Jinja to complain of
    if words[0] in _OPENING or (words[0] == "set" and "=" not in words):
        scopes.append(_bound_by(words))
    elif words[0] == "else" and scopes:
        scopes[-1] = None  # of a loop that had nothing to go over
    elif str(words[0]).startswith("end") and scopes:
        scopes.pop()


def _bound_by(words: list[str]) -> str | None:
    """The loop variable, or the only argument of a macro that can be one: its first."""
    if words[0] == "for" and words[2:3] == ["in"]:
        return words[1]
    return words[3] if words[0] == "macro" and len(words) > 4 else None


def _innermost(scopes: list[str | None]) -> str | None:
    return next((variable for variable in reversed(scopes) if variable), None)
