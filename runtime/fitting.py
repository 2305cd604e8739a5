"""Whether shapes fit together, as wrappers ask of them: what is not known violates nothing.

Deliberately absent: dtypes and ranks of single operands, which definitions say themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

from runtime.types import Dim, Shape


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 dimension", "3 dimensions"."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def shown(shape: Shape) -> str:
    """Return a shape as types show it, without the element type."""
    return f"[{','.join('?' if dim is None else str(dim) for dim in shape)}]"


def differ(one: Dim, other: Dim) -> bool:
    """Whether two extents are known, and are not equal."""
    return isinstance(one, int) and isinstance(other, int) and one != other


def is_larger(one: Dim, other: Dim) -> bool:
    """Whether two extents are known, and the first is larger."""
    return isinstance(one, int) and isinstance(other, int) and one > other


def why_not_shape(found: Shape | None, expected: Shape) -> str | None:
    """Return what a shape is and should be, where it cannot be that."""
    if found is None or len(found) == len(expected) and not any(map(differ, found, expected)):
        return None
    return f"{shown(found)}; expected {shown(expected)}"


def larger_extents(found: Shape, limit: Shape) -> Iterator[tuple[int, Dim, Dim]]:
    """Yield the dimensions, with both extents, in which one shape is larger than another of its rank."""
    for axis, (one, other) in enumerate(zip(found, limit, strict=True)):
        if is_larger(one, other):
            yield axis, one, other
