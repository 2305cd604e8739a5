"""Patterns of names: `*` is any text, `?` any character, and every other character is itself.

So a name is a pattern of itself, `layers[0]` too. A policy and `--keep` mean the same by one.

Deliberately absent: `[...]` as in names of files, since models have names with brackets in them.
"""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache


@lru_cache(maxsize=256)
def pattern_of(text: str) -> re.Pattern[str]:
    """Return what `match` of a whole name is to be asked of."""
    return re.compile(translate(text.replace("[", "[[]")))


def fits(name: str, text: str) -> bool:
    """Whether a name fits the pattern that a text is."""
    return name == text or pattern_of(text).match(name) is not None
