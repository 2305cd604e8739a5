"""How names and strings are spelled in text, so that any of them parses back.

Deliberately absent: everything about values and IR; types, names and instructions all stand on this.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container

BARE = r"[A-Za-z_$][A-Za-z0-9_$.-]*"
"""The pattern of a name that needs no quotes."""

STRING = r'"(?:[^"\\\n]|\\[^\n])*+"'
"""The pattern of a quoted text; `unquoted` says whether its escapes are right."""

WORD = r"[A-Za-z_][A-Za-z0-9_]*+"
"""The pattern of a word: the name of a field, an attribute or a region that needs no quotes."""

WORD_ENDS = r"(?![A-Za-z0-9_.])"
"""What stands behind a keyword, so that it is not the start of a longer word or number."""

_LONGEST_SHOWN = 40  # characters of what somebody gave

_is_bare = re.compile(BARE).fullmatch
_is_word = re.compile(WORD).fullmatch


def quoted(text: str) -> str:
    """Return `text` in double quotes, with the escapes of JSON for whatever does not print."""
    return json.dumps(text, ensure_ascii=not text.isprintable())


def unquoted(literal: str) -> str:
    """Return the text that a quoted literal stands for.

    Raises: ValueError where it is no literal or has an unknown escape.
    """
    text = json.loads(literal)
    if not isinstance(text, str):
        raise ValueError(f"{literal} is no quoted text")
    return text


def spelled_name(name: str) -> str:
    """Return `name` as it stands after `%` or `@`: bare where it is made of letters, digits and `_ $ . -`, else quoted.

    A name of digits only is quoted too: bare, it would be the number of something that has no name.
    """
    return name if _is_bare(name) else quoted(name)


def word_or_quoted(text: str, but: Container[str] = ()) -> str:
    """Return a text bare where it is a word, else in quotes; `but`: words that mean something else without them."""
    return text if _is_word(text) and text not in but else quoted(text)


def described(given: object) -> str:
    """Return what somebody gave in place of something else, and of which class that is: `"bf16", a str`."""
    if given is None:
        return "None"
    text = " ".join((quoted(given) if isinstance(given, str) else repr(given)).split())
    name = type(given).__name__
    shown = text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."
    return f"{shown}, {'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
