"""Python literals, calls and docstrings as black would write them.

A short list that fits on a line stays on it; a longer one, and every call that describes a field, gets one item a line
and a trailing comma. So black leaves the rendered text alone and need not run on it, and another fact is another line.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
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


class _Lines(NamedTuple):
    """A list of values that can be put on several lines. What always stands on one line is a `str`.

    A tuple, since a class has ten of them: each is made in a third of the time.
    """

    is_exploded: bool  # one item a line although it may fit on one, or something in it is so
    items: Sequence[tuple[str, _Piece]]  # what stands on lines of its own: the text before an item, and the item
    opening: str
    closing: str  # on one line; the last character of it on several
    flat: str  # on one line; empty where it is exploded, so that nothing is joined in vain


_Piece = str | _Lines


def prepared(value: Call) -> object:
    """The call as part of a value that `literal` takes, looked at already: for what stands in many values."""
    return _piece(value)


def quoted(text: str) -> str:
    """A string literal with the quotes that black prefers."""
    by_python = repr(text)
    return by_python if by_python[0] == '"' or '"' in text else f'"{by_python[1:-1]}"'


def flat(value: object) -> str:
    """A value as Python text on one line."""
    return _flat(_piece(value))


def _flat(piece: _Piece) -> str:
    if isinstance(piece, str):
        return piece
    return piece.flat or f"{piece.opening}{', '.join([key + _flat(item) for key, item in piece.items])}{piece.closing}"


def literal(value: object, indent: int, before: int = 0, *, explode: bool = False) -> str:
    """A value as Python text that starts after `before` characters of a line indented by `indent` spaces.

    One character is left free at the end of the line, for the comma that follows. `explode` puts one item a line even
    where the whole would fit.
    """
    piece = _piece(value)
    if isinstance(piece, str):
        return piece
    is_single = len(piece.items) == 1 and isinstance(value, tuple)  # black keeps `(x,)` on its line
    return _laid_out(piece, indent, before, explode and not is_single)


def listed(items: Sequence[str], indent: int, before: int) -> str:
    """A list of Python texts, one a line where it does not fit behind `before` characters."""
    piece = _Lines(False, [("", item) for item in items], "[", "]", f"[{', '.join(items)}]")
    return _laid_out(piece, indent, before)


def _laid_out(piece: _Lines, indent: int, before: int, explode: bool = False) -> str:
    if not piece.items or not (piece.is_exploded or explode or indent + before + len(piece.flat) >= LINE_LENGTH):
        return _flat(piece)
    margin = " " * (indent + 4)
    lines = [
        f"{margin}{key}{item if isinstance(item, str) else _laid_out(item, indent + 4, len(key))},\n"
        for key, item in piece.items
    ]
    return f"{piece.opening}\n{''.join(lines)}{' ' * indent}{piece.closing[-1]}"


def _piece(value: object) -> _Piece:
    """Each part of a value is looked at once: a class's `INFO` has several hundred, some of them eight levels deep."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, _Lines):
        return value
    if isinstance(value, Call):
        items = [("", _piece(item)) for item in value.positional]
        items += [(f"{name}=", _piece(item)) for name, item in value.keywords.items()]
        return _list(f"{value.function}(", items, ")", value.exploded, most=len(items))
    if isinstance(value, tuple):
        return _list("(", [("", _piece(item)) for item in value], ",)" if len(value) == 1 else ")")
    if isinstance(value, Code):
        return value.text
    if isinstance(value, (bool, int, float)) or value is None:
        return f'float("{value}")' if value in _INFINITIES else repr(value).replace("e+", "e")
    if isinstance(value, frozenset):
        words = _list("{", [("", _piece(item)) for item in sorted(value)], "}")
        if len(value) > _MOST_ON_A_LINE:
            return _Lines(True, [("", words)], "frozenset(", ")", "")
        return f"frozenset({_flat(words)})"
    assert isinstance(value, Mapping), f"{value!r} has no form in Python text"
    return _list("{", [(f"{flat(key)}: ", _piece(item)) for key, item in value.items()], "}")


def _list(
    opening: str, items: list[tuple[str, _Piece]], closing: str, exploded: bool = False, most: int = _MOST_ON_A_LINE
) -> _Lines:
    inner: list[str] = []
    is_exploded = exploded or len(items) > most
    for key, item in items if not is_exploded else ():
        if isinstance(item, str):
            inner.append(key + item)
        elif item.is_exploded:
            is_exploded = True
            break
        else:
            inner.append(key + item.flat)
    return _Lines(is_exploded, items, opening, closing, "" if is_exploded else f"{opening}{', '.join(inner)}{closing}")


def docstring(paragraphs: Sequence[str], indent: int, lines: Sequence[str] = ()) -> list[str]:
    """The lines of a docstring, quotes included, without the indent of the first one.

    A paragraph that starts with a space, or holds line ends, keeps its lines; others are filled. `lines` are filled
    already, and follow.
    """
    if not lines and len(paragraphs) == 1 and _fits_between_quotes(paragraphs[0], indent):
        return [f'"""{paragraphs[0]}"""']  # as nearly all of a field
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


def _fits_between_quotes(text: str, indent: int) -> bool:
    """Whether it is a docstring of one line as it stands."""
    is_plain = text.isprintable() and '"' not in text and "\\" not in text
    return is_plain and indent + len(text) + 6 <= LINE_LENGTH and text[:1] not in ("", " ") and text[-1] != " "


def wrapped(text: str, indent: int, hang: int) -> list[str]:
    """The lines of a paragraph that stands in a text indented by `indent`; lines after the first start with `hang`."""
    return _fill(text, LINE_LENGTH - indent, " " * hang) if text else []


def fits_as_it_is(paragraph: str) -> bool:
    """Whether filling changes nothing where there is room for the whole."""
    return _has_plain_spaces(paragraph) and paragraph[-1:] != " "


def _has_plain_spaces(text: str) -> bool:
    """Whether no other white space is in it; one that does not break counts as a letter."""
    return text.isprintable() or text.replace("\N{NO-BREAK SPACE}", "").isprintable()


def _fill(paragraph: str, width: int, hang: str = "") -> list[str]:
    """What `textwrap` gives; where single spaces stand between words, as always, in a fortieth of the time."""
    if len(paragraph) <= width and fits_as_it_is(paragraph):
        return [paragraph]
    text = paragraph.strip(" ")
    start = paragraph[: paragraph.index(text)]
    if not _has_plain_spaces(text) or "  " in text or len(start) + len(text.partition(" ")[0]) > width:
        return textwrap.wrap(paragraph, width, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False)
    lines: list[str] = []
    at, room = 0, width - len(start)
    while len(text) - at > room:
        end = text.rfind(" ", at, at + room + 1)
        end = end if end >= 0 else text.find(" ", at)  # a word that is too long has a line of its own
        if end < 0:
            break
        lines.append(start + text[at:end])
        at, start, room = end + 1, hang, width - len(hang)
    return [*lines, start + text[at:]]
