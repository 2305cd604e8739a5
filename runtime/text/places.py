"""Where the parts of a parsed program stand in their text.

Deliberately absent: the places of fields. A statement has an offset; where in it a field stands is found out when
somebody asks, which costs a program without mistakes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from runtime.blocks import Statement
from runtime.diagnostics import Place
from runtime.functions import Function, Module
from runtime.instructions import Instruction
from runtime.text.source import SourceText
from runtime.text.spans import Span, end_of_first_line, span_of_type, spans_of
from runtime.values import BlockArgument, Result, Value

Placed = Statement | Value | Function


class Places:
    """Where each statement, argument, tensor and function of a program stands in the text that it was parsed from.

    It says where things stood when they were parsed: whoever changes a program forgets its places.
    """

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.offsets: dict[Placed, int] = {}

    def of(self, thing: Placed, part: str | None = None) -> Place | None:
        """Return the place of `thing`, or of a part of it as `place_of` says; None where it is not from this text."""
        if isinstance(thing, Result):
            thing = thing.owner
        start = self.offsets.get(thing)
        return None if start is None else place_of(self.source, start, thing, part)

    def source_line(self, place: Place) -> str:
        """Return the line of text at `place`, to be shown above carets."""
        return self.source.line(place.line)


@dataclass(frozen=True)
class ParsedModule:
    """A program, and where its parts stand in the text that it was parsed from."""

    module: Module
    places: Places


def place_of(source: SourceText, start: int, thing: object, part: str | None = None) -> Place:
    """Return the place of a part of what stands at `start`: of an operand, attribute, `dst`, `result`, `end of then`.

    Without a part, or where the text does not show it, the place is that of the first line, less braces and comments.
    """
    span = _span_of(source.text, start, thing, part)
    return source.place(*(span or (start, end_of_first_line(source.text, start))))


def _span_of(text: str, start: int, thing: object, part: str | None) -> Span | None:
    if isinstance(thing, Instruction):
        return None if part is None else spans_of(text, start, thing).get(part)
    of_type = span_of_type(text, start) if isinstance(thing, Value) else None
    if part is None and of_type is not None and isinstance(thing, BlockArgument):
        return start, of_type[1]  # there may be more arguments on the line
    return None if part is None else of_type
