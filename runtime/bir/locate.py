"""Where in a JSON text the value at a path of keys stands.

Deliberately absent: a parser that keeps places. The text was parsed already; only after a mistake is it walked once
more, and values that no path leads into are skipped by the standard decoder.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from runtime.bir.problems import Key, KeyItself

Path = tuple[Key, ...]
Span = tuple[int, int]  # start and length in characters

_SPACE = re.compile(r"[ \t\r\n]*")
_decoder = json.JSONDecoder()


@dataclass
class _Wanted:
    """The paths that lead on from one value."""

    here: list[Path] = field(default_factory=list)
    below: dict[Key, _Wanted] = field(default_factory=dict)


def locate(text: str, paths: Iterable[Path]) -> dict[Path, Span]:
    """Return where the value, or key, at each path stands; where a path leads nowhere, its last value that exists."""
    root = _Wanted()
    for path in paths:
        node = root
        for key in path:
            node = node.below.setdefault(key, _Wanted())
        node.here.append(path)
    found: dict[Path, Span] = {}
    _walk(text, _skip(text, 0), root, found)
    return found


def _walk(text: str, at: int, wanted: _Wanted, found: dict[Path, Span]) -> int:
    """Note the spans of what is wanted in the value at `at`, and return where that value ends."""
    if not wanted.below or text[at] not in "{[":
        end = _decoder.raw_decode(text, at)[1]
        _note(wanted, (at, end - at), found)
        return end
    keyed = text[at] == "{"
    start, at, index = at, _skip(text, at + 1), 0
    met: set[Key] = set()
    while text[at] not in "}]":
        key: Key = index
        key_span = (at, 1)
        if keyed:
            key, end = _decoder.raw_decode(text, at)
            key_span = (at, end - at)
            at = _skip(text, _skip(text, end) + 1)
        met.add(key)
        node = wanted.below.get(key, _NOTHING)
        at = _skip(text, _walk(text, at, node, found))
        found.update((path, key_span) for path in node.here if isinstance(path[-1], KeyItself))
        if text[at] == ",":
            at = _skip(text, at + 1)
        index += 1
    for key, node in wanted.below.items():
        if key not in met:
            _note(node, (start, 1), found)
    for path in wanted.here:
        found[path] = (start, at + 1 - start)
    return at + 1


def _note(wanted: _Wanted, span: Span, found: dict[Path, Span]) -> None:
    for path in wanted.here:
        found[path] = span
    for node in wanted.below.values():
        _note(node, span, found)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()


_NOTHING = _Wanted()
