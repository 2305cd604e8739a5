"""Python literals, calls and docstrings as black would write them.

A short list that fits on a line stays on it; a longer one, and every call that describes a field, gets one item a line
and a trailing comma. So black leaves the rendered text alone and need not run on it, and another fact is another line.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

LINE_LENGTH = 120
_MOST_ON_A_LINE = 4  # items of a list


@dataclass(frozen=True, slots=True)
class Code:
    """Text that is Python already: a name, a call."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call; where it is exploded, every argument stands on a line of its own."""

    function: str
    positional: tuple[object, ...]
    keywords: Mapping[str, object]
    exploded: bool = True


@dataclass(frozen=True, slots=True)
class _Set:
    """The braces inside of `frozenset({...})`."""

    items: tuple[str, ...]


def quoted(text: str) -> str:
    """A string literal with the quotes that black prefers."""
    body = repr(text)[1:-1]
    if repr(text).startswith('"'):
        return repr(text)  # it holds a single quote and no double quote
    return f"'{body}'" if '"' in text else f'"{body}"'


def flat(value: object) -> str:
    """A value as Python text on one line."""
    if isinstance(value, Call):
        return f"{value.function}({', '.join(f'{name}{flat(item)}' for name, item in _items(value))})"
    if isinstance(value, Code):
        return value.text
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, frozenset):
        return f"frozenset({{{', '.join(quoted(item) for item in sorted(value))}}})"
    if isinstance(value, _Set):
        return f"{{{', '.join(quoted(item) for item in value.items)}}}"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{flat(key)}: {flat(item)}' for key, item in value.items())}}}"
    if isinstance(value, Sequence):
        return f"({', '.join(flat(item) for item in value)}{',' * (len(value) == 1)})"
    return repr(value)


def literal(value: object, indent: int, before: int = 0, *, explode: bool = False) -> str:
    """A value as Python text that starts after `before` characters of a line indented by `indent` spaces.

    One character is left free at the end of the line, for the comma that follows. `explode` puts one item a line even
    where the whole would fit.
    """
    whole = flat(value)
    items = _items(value)
    fits = indent + before + len(whole) < LINE_LENGTH and not _is_exploded(value)
    single = len(items) == 1 and isinstance(value, tuple)  # black keeps `(x,)` on its line
    if not items or (fits and (single or not explode)):
        return whole
    opening, closing = _brackets(value)
    inner = "".join(f"{' ' * (indent + 4)}{key}{literal(item, indent + 4, len(key))},\n" for key, item in items)
    return f"{opening}\n{inner}{' ' * indent}{closing}"


def docstring(paragraphs: Iterable[str], indent: int) -> list[str]:
    """The lines of a docstring, quotes included, without the indent of the first one.

    A paragraph that starts with a space, or holds line ends, keeps its lines; others are filled.
    """
    pad = " " * indent
    filled: list[str] = []
    for paragraph in paragraphs:
        lines = paragraph.split("\n")
        keep = paragraph.startswith(" ") or len(lines) > 1
        filled += lines if keep else _fill(paragraph, LINE_LENGTH - indent - 3 * (not filled))
    text = [line.replace("\\", "\\\\").replace('"""', '\\"\\"\\"') for line in filled]
    if len(text) == 1 and indent + len(text[0]) + 6 <= LINE_LENGTH:
        end = text[0].removesuffix('"') + '\\"' if text[0].endswith('"') else text[0]
        return [f'"""{end}"""']
    return [f'"""{text[0]}', *((pad + line).rstrip() for line in text[1:]), f'{pad}"""']


def wrapped(text: str, indent: int, hang: int) -> list[str]:
    """The lines of a paragraph that stands in a text indented by `indent`; lines after the first start with `hang`."""
    return textwrap.wrap(
        text,
        LINE_LENGTH - indent,
        subsequent_indent=" " * hang,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _fill(paragraph: str, width: int) -> list[str]:
    if not paragraph:
        return [""]
    return textwrap.wrap(paragraph, width, break_long_words=False, break_on_hyphens=False)


def _is_exploded(value: object) -> bool:
    """Whether the value gets one item a line although it may fit on one, or something in it does."""
    if isinstance(value, Call) and value.exploded:
        return True
    items = _items(value)
    long = len(items) > _MOST_ON_A_LINE and not isinstance(value, Call)
    return long or any(_is_exploded(item) for _, item in items)


def _items(value: object) -> list[tuple[str, object]]:
    """What stands on lines of its own: the text before an item, and the item."""
    if isinstance(value, (str, Code)):
        return []
    if isinstance(value, frozenset):
        return [("", _Set(tuple(sorted(value))))] if len(value) > _MOST_ON_A_LINE else []
    if isinstance(value, _Set):
        return [("", item) for item in value.items]
    if isinstance(value, Call):
        named = [(f"{name}=", item) for name, item in value.keywords.items()]
        return [*(("", item) for item in value.positional), *named]
    if isinstance(value, Mapping):
        return [(f"{flat(key)}: ", item) for key, item in value.items()]
    return [("", item) for item in value] if isinstance(value, Sequence) else []


def _brackets(value: object) -> tuple[str, str]:
    if isinstance(value, Call):
        return f"{value.function}(", ")"
    if isinstance(value, frozenset):
        return "frozenset(", ")"
    if isinstance(value, _Set):
        return "{", "}"
    return ("{", "}") if isinstance(value, Mapping) else ("(", ")")
