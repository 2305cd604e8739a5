"""Quantizations along an axis: what they ask of the axis, and of one scale for each of its indices.

Deliberately absent: numbers, which `runtime/semantics/quantization.py` computes.
"""

from __future__ import annotations

from collections.abc import Iterator

from runtime.relations import may_be_equal
from runtime.types import Dim, Shape


def why_not_axis(shape: Shape | None, axis: int | None) -> str | None:
    """Return why a value of these extents has no such axis; None where it has, or where that is not known."""
    if shape is None or axis is None or axis < len(shape):
        return None
    return f"axis is {axis}, and src has {len(shape)} dimension{'s' * (len(shape) != 1)}"


def why_not_count(count: Dim, shape: Shape | None, axis: int | None) -> str | None:
    """Return why there is another number of scales than indices along the axis; None where there may be as many."""
    if axis is None:
        return None if may_be_equal(count, 1) else f"there are {count} scales; without an axis there is one"
    if shape is None or axis >= len(shape) or may_be_equal(count, shape[axis]):
        return None
    return f"there are {count} scales; expected {shape[axis]}, one for each index along axis {axis}"


def why_not_scales(count: Dim, shape: Shape | None, axis: int | None, field: str) -> Iterator[tuple[str, str]]:
    """Yield the field at fault, and what is wrong with the axis or with the number of scales."""
    for name, wrong in (("axis", why_not_axis(shape, axis)), (field, why_not_count(count, shape, axis))):
        if wrong is not None:
            yield name, wrong
