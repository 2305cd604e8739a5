"""Lists of what is allowed, where an empty list allows everything: element types, memories, ranks, engines, words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from runtime.diagnostics import listed

_WRITTEN_OUT = 6  # words; of longer lists only the difference is said


@dataclass(frozen=True, slots=True)
class Allowed:
    """How a list has changed."""

    narrowed: bool  # whether something is allowed no longer
    said: str


def change_of(before: Iterable[object], now: Iterable[object]) -> Allowed | None:
    """None where the same is allowed, in whatever order."""
    old, new = [str(word) for word in before], [str(word) for word in now]
    if set(old) == set(new):
        return None
    gone = [word for word in old if word not in set(new)]
    come = [word for word in new if word not in set(old)]
    narrowed = bool(new) and (not old or bool(gone))
    if not old or not new or len(old) + len(new) <= _WRITTEN_OUT:
        return Allowed(narrowed, f"{', '.join(old) or 'any'} -> {', '.join(new) or 'any'}")
    parts = [f"also {_cut(come, 'and')}"] * bool(come) + [f"no longer {_cut(gone, 'or')}"] * bool(gone)
    return Allowed(narrowed, ", ".join(parts))


def _cut(words: list[str], joint: str) -> str:
    more = len(words) - _WRITTEN_OUT
    return listed(words if more <= 1 else [*words[:_WRITTEN_OUT], f"{more} more"], joint)
