"""Texts that black need not see: each of their lines has the shape of one that it left alone before, in the same place.

black takes 0.3 ms a line, and 0.2 s to load. What it does to a line follows from the kinds of its tokens, from whether
it fits, and from what stands around it. So a text is taken as settled where each of its lines fits, has the tokens of
a line that black has seen and left alone, and follows on a line after which black has seen such a line.

Deliberately absent: a verdict on anything that depends on more than that. A string with unusual quotes or escapes, a
list over several lines without a comma at its end, a docstring with a line too far left or right: black decides.
"""

import keyword
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import pairwise

LINE_LENGTH = 120

_KEPT = frozenset((*keyword.kwlist, *keyword.softkwlist))
_TOKEN = re.compile(
    r"""
      (?P<string> f?" (?: [^"\\] | \\[\\nrt] )* " (?!") | f?' [^'"\\]* " [^'\\]* ' (?!') )
    | (?P<word> [A-Za-z_][A-Za-z_0-9]* (?!["']) )
    | (?P<number> [0-9]+ (?:\.[0-9]+)? (?:e[+-]?[0-9]+)? (?![\w.]) )
    | (?P<comment> \#\ (?!type:|fmt:|yapf|isort) \S (?: .*\S )? $ )
    | (?P<other> ["'0-9\#\t\\;] | [^\x20-\x7e] )
    """,
    re.VERBOSE,
)
_STANDS_FOR = {"string": '""', "number": "0", "comment": "#"}
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_QUOTES = '"""'
_ENOUGH = 2  # items, counted from what the kind of list starts with


class Precedents:
    """What black has left alone so far, as units of lines (`_units`)."""

    def __init__(self, units: Iterable[str] = ()) -> None:
        self.units = set(units)

    def cover(self, text: str) -> bool:
        """Whether black would leave the text alone, as far as that can be told from what it has seen."""
        try:
            return self.units.issuperset(_units(text))
        except _Unclear:
            return False

    def add(self, text: str) -> None:
        """Remembers a text that black has left alone."""
        with suppress(_Unclear):
            self.units.update(list(_units(text)))


class _Unclear(Exception):
    """More than the shapes of lines decides what black does."""


def _units(text: str) -> Iterator[str]:
    """What black's verdict on a text follows from, piece by piece.

    A statement's lines: each in its shape, after the line before it. And between statements: what kinds they are, the
    blocks that they stand in, and the number of empty lines.
    """
    if not text.endswith("\n") or text.endswith("\n\n"):
        raise _Unclear
    blocks: list[tuple[int, str]] = []
    before, empty = "^", 0
    statements = _statements(text.split("\n")[:-1])
    for lines in statements:
        if not lines[0]:
            empty += 1
            continue
        indent = len(lines[0]) - len(lines[0].lstrip())
        while blocks and blocks[-1][0] >= indent:
            blocks.pop()
        if indent != 4 * len(blocks):
            raise _Unclear
        if lines[0].startswith(_QUOTES, indent):
            shapes = [_shape_of_docstring(lines, indent)]
        else:
            shapes = [_shape(line) for line in lines]
            _check_brackets(shapes)
        kind = _kind(shapes)
        place = f"{kind} in {' '.join(name for _, name in blocks)}"
        yield f"{before}/{empty}/{place}"
        yield shapes[0].lstrip()
        yield from (f"{one.lstrip()}/{_step(one, two)}/{two.lstrip()}" for one, two in pairwise(shapes))
        if kind.endswith(":"):
            blocks.append((indent, kind))
        before, empty = place, 0


def _statements(lines: list[str]) -> Iterator[list[str]]:
    """The lines of each statement; an empty line between statements counts as one."""
    statement: list[str] = []
    depth, in_docstring = 0, False
    for line in lines:
        statement.append(line)
        if in_docstring:
            in_docstring = _QUOTES not in line
        elif depth == 0 and line.lstrip().startswith(_QUOTES):
            in_docstring = line.count(_QUOTES) == 1
        else:
            shape = _shape(line)
            depth += sum(map(shape.count, _OPENING)) - sum(map(shape.count, _CLOSING))
        if depth == 0 and not in_docstring:
            yield statement
            statement = []
    if statement:
        raise _Unclear


def _shape(line: str) -> str:
    """The line with its words, texts and numbers taken out; the spaces and what Python itself reads stay."""
    if len(line) > LINE_LENGTH:
        raise _Unclear
    return _TOKEN.sub(_stand_in, line)


def _stand_in(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind == "word":
        word = match.group()
        return word if word in _KEPT else "n"
    if kind == "other" or kind is None:
        raise _Unclear
    return _STANDS_FOR[kind]


def _shape_of_docstring(lines: list[str], indent: int) -> str:
    """Two shapes, one of a line and one of several, for what black does not touch."""
    first, *others = lines
    text = first[indent + 3 :]
    if others and not (others[-1].strip() == _QUOTES and others[-1].startswith(" " * indent)):
        raise _Unclear
    inner = others[:-1] if others else []
    if others and not inner:  # black puts the quotes behind the one line, where they fit
        raise _Unclear
    if not others:
        text = text.removesuffix(_QUOTES)
        if len(first) > LINE_LENGTH or not first.endswith(_QUOTES):
            raise _Unclear
    whole = [text, *inner]
    if any(line != line.rstrip() or "\t" in line or _QUOTES in line or "\\" in line for line in whole):
        raise _Unclear
    if not text or text[0] in ' "' or whole[-1][-1:] in ("", '"'):
        raise _Unclear
    margins = [len(line) - len(line.lstrip()) for line in inner if line]
    if others and (min(margins, default=indent) != indent or len(others[-1]) != indent + 3):
        raise _Unclear
    return f"{' ' * indent}{_QUOTES}{'+' * bool(others)}"


def _check_brackets(shapes: list[str]) -> None:
    """Lists over several lines stay as they are where a comma follows their last item; others, black may join.

    Behind a single item in parentheses or in a subscript, a comma makes a tuple and says nothing about lines.
    """
    items: list[int] = []  # of each list that is open, so far
    for shape in shapes:
        line = shape.lstrip()
        closes, opens = _unmatched(line)
        if closes and (not items or items.pop() < _ENOUGH):
            raise _Unclear
        if opens:
            items.append(_counted_before(line))
        elif items and line.endswith(","):
            items[-1] += _ENOUGH if closes else 1  # around a list over several lines there is no joining either
        elif items and closes and items[-1] in (0, 1):  # the only item, which is such a list itself
            items[-1] = _ENOUGH
        elif items:
            raise _Unclear


def _unmatched(line: str) -> tuple[bool, bool]:
    """Whether the line starts by closing a list, and whether it ends by opening one."""
    depth, lowest = 0, 0
    for character in line:
        if character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
            lowest = min(lowest, depth)
    opens = depth - lowest
    if not line or lowest < -1 or opens > 1:
        raise _Unclear
    if (lowest == -1) != (line[0] in _CLOSING) or (opens == 1) != (line[-1] in _OPENING):
        raise _Unclear
    return lowest == -1, opens == 1


def _counted_before(line: str) -> int:
    """What a list that is opened at the end of the line has for a start: 1 where a single item is enough."""
    before = line[-2:-1]
    is_behind_name = before.isalnum() or before in _CLOSING
    return int(is_behind_name if line[-1] == "(" else not is_behind_name if line[-1] == "[" else True)


def _kind(shapes: list[str]) -> str:
    """What the number of empty lines around a statement depends on: its first token and its end."""
    first, last = shapes[0].lstrip(), shapes[-1]
    word = re.match(r'\w+|""|.', first)
    assert word is not None, "a statement has a first token"
    if first.startswith(_QUOTES):
        return _QUOTES
    return word.group() + (":" if last.endswith(":") else "..." if last.endswith("...") else "")


def _step(one: str, two: str) -> int:
    return len(two) - len(two.lstrip()) - len(one) + len(one.lstrip())
