"""How names and strings are spelled in text, so that any of them parses back.

Deliberately absent: everything about values and IR; types, names and instructions all stand on this.
"""

from __future__ import annotations

import json
import re

BARE = r"[A-Za-z_$][A-Za-z0-9_$.-]*"
"""The pattern of a name that needs no quotes."""

STRING = r'"(?:[^"\\\n]|\\[^\n])*+"'
"""The pattern of a quoted text; `unquoted` says whether its escapes are right."""

_LONGEST_SHOWN = 40  # characters of what somebody gave

_is_bare = re.compile(BARE).fullmatch


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


def described(given: object) -> str:
    """Return what somebody gave in place of something else, and of which class that is: `"bf16", a str`."""
    if given is None:
        return "None"
    text = " ".join((quoted(given) if isinstance(given, str) else repr(given)).split())
    name = type(given).__name__
    shown = text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."
    return f"{shown}, {'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
