"""What instructions ask of the shape of one operand beside that of another one, or beside an axis.

Deliberately absent: data types, and extents that two operands share; definitions state those themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

from runtime.instructions import Problem
from runtime.relations import may_be_equal
from runtime.types import Shape, Type
from runtime.values import Operand


def why_not_axis(axis: int, src: Type) -> str | None:
    """Return why `src` has no dimension `axis`, where a negative one counts from the end, or None."""
    if src.shape is None or -len(src.shape) <= axis < len(src.shape):
        return None
    return f"axis is {axis}, and src has {len(src.shape)} dimension{'s' * (len(src.shape) != 1)}"


def why_not_from_axis(name: str, given: Type, src: Type, axis: int) -> str | None:
    """Return why an operand does not have the extents that `src` has from `axis` on, or None."""
    if src.shape is None or given.shape is None or why_not_axis(axis, src):
        return None
    expected = src.shape[axis:]
    if may_be_equal(given.shape, expected):
        return None
    return f"{name} has the shape {shown(given.shape)}; expected {shown(expected)}, that of src from axis {axis} on"


def problems_from_axis(axis: int, src: Type, **factors: Operand | None) -> Iterator[Problem]:
    """Yield what is wrong with an axis of `src`, or with the factors that have the extents of `src` from it on."""
    if why := why_not_axis(axis, src):
        yield Problem(why, "axis")
    for name, factor in factors.items():
        if factor is not None and (why := why_not_from_axis(name, factor.type, src, axis)):
            yield Problem(why, name)


def why_not_onto(name: str, given: Type, src: Type) -> str | None:
    """Return why an operand cannot be broadcast to the shape of `src`, or None."""
    if src.shape is None or given.shape is None:
        return None
    fits = len(given.shape) <= len(src.shape) and all(
        extent == 1 or may_be_equal(extent, whole)
        for extent, whole in zip(reversed(given.shape), reversed(src.shape), strict=False)
    )
    return (
        None if fits else f"{name} of {shown(given.shape)} cannot be broadcast to {shown(src.shape)}, the shape of src"
    )


def why_not_filters(filters: Type, src: Type) -> str | None:
    """Return why a bank of filters does not fit a spectrum of n real and n imaginary parts, or None.

    Shapes: src [..., 2n], filters [M, n / 2 + 1].
    """
    if not src.shape or filters.shape is None or len(filters.shape) != 2:
        return None
    parts, bins = src.shape[-1], filters.shape[1]
    if parts == 0:
        return "src has no spectrum: its last dimension has no elements"
    if not isinstance(parts, int) or not isinstance(bins, int) or bins == parts // 4 + 1:
        return None
    return f"filters have weights for {bins} bins; the first half of a spectrum of {parts // 2} has {parts // 4 + 1}"


def why_not_stated(result: Type, first: int = 0) -> str | None:
    """Return why the extents of a result from dimension `first` on, which only its type says, are not all there."""
    if result.shape is not None and all(isinstance(extent, int) for extent in result.shape[first:]):
        return None
    which = "its extents" if not first else f"its extents from dimension {first} on"
    return f"the result is {result}; expected {which} to be stated, since nothing else says them"


def shown(shape: Shape) -> str:
    """Return a shape as types show it."""
    return f"[{','.join('?' if extent is None else str(extent) for extent in shape)}]"
