"""The relations that brewed constraints state, decided as far as both sides are known.

Deliberately absent: complaints. A relation that cannot be decided, because an extent, a rank or a dtype is not known,
may hold; only one that certainly fails is a problem of the program.
"""

from __future__ import annotations


def may_be_equal(left: object, right: object) -> bool:
    """Whether two dtypes, ranks, extents, shapes or attribute values may be the same."""
    if left is None or right is None or left == right:
        return True
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(may_be_equal(a, b) for a, b in zip(left, right, strict=True))
    return isinstance(left, str) != isinstance(right, str)  # a symbolic extent may be any number


def may_differ(left: object, right: object) -> bool:
    """Whether two values may be different: they are not both known and the same."""
    return left is None or right is None or left != right


def may_be_less(left: object, right: object) -> bool:
    """Whether `left < right` may hold."""
    return _unknown(left, right) or left < right  # type: ignore[operator]  # both are numbers


def may_be_at_most(left: object, right: object) -> bool:
    """Whether `left <= right` may hold."""
    return _unknown(left, right) or left <= right  # type: ignore[operator]  # both are numbers


def may_be_at_least(left: object, right: object) -> bool:
    """Whether `left >= right` may hold."""
    return may_be_at_most(right, left)


def may_be_multiple_of(left: object, right: object) -> bool:
    """Whether `left` may be a multiple of `right`."""
    return _unknown(left, right) or (right != 0 and left % right == 0)  # type: ignore[operator]  # both are numbers


def present(**fields: object) -> tuple[str, ...]:
    """Return the names of those optional fields that are not None."""
    return tuple(name for name, value in fields.items() if value is not None)


def names_of(found: tuple[str, ...]) -> str:
    """Return names as a message says them."""
    return ", ".join(found) or "none"


def extent(shape: tuple[int | str | None, ...] | None, index: int) -> int | str | None:
    """Return one extent of a shape; None where it is not known or the rank is too small, which another rule says."""
    return shape[index] if shape is not None and -len(shape) <= index < len(shape) else None


def _unknown(left: object, right: object) -> bool:
    return not isinstance(left, (int, float)) or not isinstance(right, (int, float))
