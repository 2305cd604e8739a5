"""Python literals, calls and docstrings as black would write them.

A short list that fits on a line stays on it; a longer one, and every call that describes a field, gets one item a line
and a trailing comma. So black leaves the rendered text alone and need not run on it, and another fact is another line.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from brewer.frozen import frozen

LINE_LENGTH = 120
_INFINITIES = (float("inf"), float("-inf"))  # which have no literal
_MOST_ON_A_LINE = 4  # items of a list


@frozen
class Code:
    """Text that is Python already: a name, a call."""

    text: str


@frozen
class Call:
    """A call; where it is exploded, every argument stands on a line of its own."""

    function: str
    positional: tuple[object, ...]
    keywords: Mapping[str, object]
    exploded: bool = True


class _Piece(NamedTuple):
    """A value as Python text on one line, and what it takes to put it on several.

    A tuple, since a class has thirty of them: each is made in a third of the time.
    """

    flat: str
    is_exploded: bool = False  # one item a line although it may fit on one, or something in it is so
    items: Sequence[tuple[str, _Piece]] = ()  # what stands on lines of its own: the text before an item, and the item
    opening: str = "("
    closing: str = ")"


def quoted(text: str) -> str:
    """A string literal with the quotes that black prefers."""
    by_python = repr(text)
    return by_python if by_python[0] == '"' or '"' in text else f'"{by_python[1:-1]}"'


def flat(value: object) -> str:
    """A value as Python text on one line."""
    return _piece(value).flat


def literal(value: object, indent: int, before: int = 0, *, explode: bool = False) -> str:
    """A value as Python text that starts after `before` characters of a line indented by `indent` spaces.

    One character is left free at the end of the line, for the comma that follows. `explode` puts one item a line even
    where the whole would fit.
    """
    piece = _piece(value)
    is_single = len(piece.items) == 1 and isinstance(value, tuple)  # black keeps `(x,)` on its line
    return _laid_out(piece, indent, before, explode and not is_single)


def listed(items: Sequence[str], indent: int, before: int) -> str:
    """A list of Python texts, one a line where it does not fit behind `before` characters."""
    pieces = [("", _Piece(item)) for item in items]
    return _laid_out(_Piece(f"[{', '.join(items)}]", items=pieces, opening="[", closing="]"), indent, before)


def _laid_out(piece: _Piece, indent: int, before: int, explode: bool = False) -> str:
    fits = not piece.is_exploded and not explode and indent + before + len(piece.flat) < LINE_LENGTH
    if fits or not piece.items:
        return piece.flat
    margin = " " * (indent + 4)
    lines = [f"{margin}{key}{_laid_out(item, indent + 4, len(key))},\n" for key, item in piece.items]
    return f"{piece.opening}\n{''.join(lines)}{' ' * indent}{piece.closing}"


def _piece(value: object) -> _Piece:
    """Each part of a value is looked at once: a class's `INFO` has several hundred, some of them eight levels deep."""
    if isinstance(value, str):
        return _Piece(quoted(value))
    if isinstance(value, Call):
        items = [("", _piece(item)) for item in value.positional]
        items += [(f"{name}=", _piece(item)) for name, item in value.keywords.items()]
        return _list(f"{value.function}(", items, ")", value.exploded, most=len(items))
    if isinstance(value, tuple):
        return _list("(", [("", _piece(item)) for item in value], ",)" if len(value) == 1 else ")")
    if isinstance(value, (bool, int, float)) or value is None:
        return _Piece(f'float("{value}")' if value in _INFINITIES else repr(value))
    if isinstance(value, Code):
        return _Piece(value.text)
    if isinstance(value, frozenset):
        words = _list("{", [("", _piece(item)) for item in sorted(value)], "}")
        inner = [("", words)] if len(value) > _MOST_ON_A_LINE else []
        return _Piece(f"frozenset({words.flat})", words.is_exploded, inner, "frozenset(", ")")
    assert isinstance(value, Mapping), f"{value!r} has no form in Python text"
    return _list("{", [(f"{flat(key)}: ", _piece(item)) for key, item in value.items()], "}")


def _list(
    opening: str, items: list[tuple[str, _Piece]], closing: str, exploded: bool = False, most: int = _MOST_ON_A_LINE
) -> _Piece:
    inner = ", ".join([key + item.flat for key, item in items])
    is_exploded = exploded or len(items) > most or any([item.is_exploded for _, item in items])
    return _Piece(f"{opening}{inner}{closing}", is_exploded, items, opening, closing[-1])


def docstring(paragraphs: Iterable[str], indent: int, lines: Iterable[str] = ()) -> list[str]:
    """The lines of a docstring, quotes included, without the indent of the first one.

    A paragraph that starts with a space, or holds line ends, keeps its lines; others are filled. `lines` are filled
    already, and follow.
    """
    pad = " " * indent
    filled: list[str] = []
    for paragraph in paragraphs:
        if paragraph.startswith(" ") or "\n" in paragraph:
            filled += paragraph.split("\n")
        else:
            filled += _fill(paragraph, LINE_LENGTH - indent - 3 * (not filled))
    filled += lines
    if len(filled) == 1 and indent + len(filled[0]) + 6 > LINE_LENGTH:  # black puts the closing quotes on the only line
        filled = _fill(filled[0], LINE_LENGTH - indent - 6)
    text = "\n".join(filled)
    if '"' in text or "\\" in text:
        filled = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"').split("\n")
    first = filled[0]
    if len(filled) == 1 and indent + len(first) + 6 <= LINE_LENGTH:
        end = first.removesuffix('"') + '\\"' if first.endswith('"') else first
        return [f'"""{end}"""']
    return [f'"""{first}', *[(pad + line).rstrip() for line in filled[1:]], f'{pad}"""']


def wrapped(text: str, indent: int, hang: int) -> list[str]:
    """The lines of a paragraph that stands in a text indented by `indent`; lines after the first start with `hang`."""
    return _fill(text, LINE_LENGTH - indent, " " * hang) if text else []


def fits_as_it_is(paragraph: str) -> bool:
    """Whether filling changes nothing where there is room for the whole."""
    return paragraph.isprintable() and paragraph[-1:] != " "


def _fill(paragraph: str, width: int, hang: str = "") -> list[str]:
    """What `textwrap` gives; where single spaces stand between words, as always, in a tenth of the time."""
    if len(paragraph) <= width and fits_as_it_is(paragraph):
        return [paragraph]
    text = paragraph.strip(" ")
    margin = paragraph[: paragraph.index(text)]
    if not text.isprintable() or "  " in text or len(margin) + len(text.partition(" ")[0]) > width:
        return textwrap.wrap(paragraph, width, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False)
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = hang + word
        else:
            line = f"{line} {word}" if line else margin + word
    return [*lines, line]
