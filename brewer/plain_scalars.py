"""What a word or number without quotes means, and which ones are refused because YAML readers disagree.

YAML 1.1 reads `on` as true, `010` as 8 and `1:30` as 90; YAML 1.2 reads texts and 10. A definition may hold only what
every reader takes for the same value.
"""

from __future__ import annotations

import math
import re
from functools import cache

from brewer.frozen import frozen

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)\Z")
_FLOAT = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+(e[+-][0-9]+)?\Z")
INFINITIES = {".inf": math.inf, "-.inf": -math.inf}
"""How a definition writes them, one form each."""
INFINITIES_SOMEWHERE = frozenset(("inf", "infinity", ".inf"))
"""What stands behind a sign where an infinity is meant, in lower case."""
_NUMBER_SOMEWHERE = r"""(?ix)[-+]?(?:
        0b[01_]+ | 0o?[0-7_]+ | 0x[0-9a-f_]+                  # other bases
      | [0-9][0-9_]*(?: :[0-5]?[0-9])+ (?:\.[0-9_]*)?         # base 60
      | (?: [0-9][0-9_]* (?:\.[0-9_]*)? | \.[0-9_]+ ) (?:e[-+]?[0-9]+)?
      | \.inf )\Z | \.nan\Z"""  # compiled where it is needed: 1 ms
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t].*)?\Z")
_BOOLEAN_SOMEWHERE = frozenset({"yes", "no", "on", "off", "true", "false"})
_NULL = frozenset({"", "~", "null"})
_WORDS_WITH_A_MEANING = _BOOLEAN_SOMEWHERE | _NULL
_STARTS_OF_NUMBERS = frozenset("+-.0123456789")
_LEAST, _MOST = -(2**63), 2**64 - 1  # what every reader has an integer for
_SHOWN = 40  # characters of a number


@frozen
class Ambiguous:
    """Why a plain scalar is refused."""

    problem: str
    help: str


@cache  # two thirds of the words in a definition are keys: 0.1 instead of 0.8 microseconds each
def plain_value(text: str) -> bool | int | float | str | Ambiguous:
    """The value that every YAML reader gives to the unquoted text, or why there is none."""
    if text[:1].isalpha() and text.lower() not in _WORDS_WITH_A_MEANING:
        return text  # as nearly all are
    if text in ("true", "false"):
        return text == "true"
    if _INTEGER.match(text) and text != "-0":
        return _whole(text)
    if text in INFINITIES:
        return INFINITIES[text]
    if _FLOAT.match(text):
        value = float(text)
        return value if math.isfinite(value) else _too_large(text, "it is infinite in 64 bits")
    return _why_not_text(text) or text


def _whole(text: str) -> int | Ambiguous:
    value = int(text) if len(text) <= _SHOWN else _MOST + 1  # Python refuses to read thousands of digits
    return value if _LEAST <= value <= _MOST else _too_large(text, "it has more than 64 bits")


def _too_large(text: str, reason: str) -> Ambiguous:
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return Ambiguous(f"{shown} is not the same number for every YAML reader", f"{reason}; write a smaller one")


def _why_not_text(text: str) -> Ambiguous | None:
    quoted = f'write "{text}" in quotes if the text is meant'
    lower = text.lower()
    if lower in _BOOLEAN_SOMEWHERE:
        meant = "true" if lower in ("yes", "on", "true") else "false"
        return Ambiguous(f"{text} is a boolean for some YAML readers and a text for others", f"{quoted}, else {meant}")
    if lower in _NULL:
        return Ambiguous(f"{text} is YAML's null", f"{quoted}, else leave the key out")
    if text in ("<<", "="):
        return Ambiguous(f"{text} is a merge or default key for some YAML readers", quoted)
    if text[0] not in _STARTS_OF_NUMBERS:
        return None
    if lower.lstrip("+-") == ".inf" or lower == ".nan":
        help = f"write {'-' * text.startswith('-')}.inf" if lower != ".nan" else "no value of a definition is a NaN"
        return Ambiguous(f"{text} is not the same number for every YAML reader", f"{help}; {quoted}")
    if re.match(_NUMBER_SOMEWHERE, text):
        meant = "a number is written in plain decimals, such as 10, 0.5 or 1.0e-6"
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        quoted = f'write "{shown}" in quotes if the text is meant'
        return Ambiguous(f"{shown} is not the same number for every YAML reader", f"{meant}; {quoted}")
    if _DATE.match(text):
        return Ambiguous(f"{text} is a date for some YAML readers and a text for others", quoted)
    return None
