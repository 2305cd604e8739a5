"""Quantizations along an axis: what they ask of the axis, and of one scale for each of its indices.

Deliberately absent: numbers, which `runtime/semantics/quantization.py` computes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runtime.instructions import Problem
from runtime.relations import may_be_equal
from runtime.types import Dim, Shape, Type


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


def problems_with_scales(count: Dim, src: Type, axis: int | None, field: str) -> Iterator[Problem]:
    """Yield what is wrong with the axis, or with the number of scales, which `field` has."""
    for name, wrong in (("axis", why_not_axis(src.shape, axis)), (field, why_not_count(count, src.shape, axis))):
        if wrong is not None:
            yield Problem(wrong, name)


def problems_with_lists(
    scales: Sequence[float], zero_points: Sequence[int], src: Type, axis: int | None
) -> Iterator[Problem]:
    """Yield what is wrong with scales and zero points that attributes list."""
    yield from problems_with_scales(len(scales), src, axis, "scales")
    if len(zero_points) != len(scales):
        counts = f"scales has {len(scales)}, and zero_points {len(zero_points)}"
        yield Problem(f"there is a zero point for each scale: {counts}", "zero_points")


def problems_with_operand(scale: Type, src: Type, axis: int | None) -> Iterator[Problem]:
    """Yield what is wrong with scales that are the operand `scale`."""
    count = scale.shape[0] if scale.shape is not None and len(scale.shape) == 1 else None
    yield from problems_with_scales(count, src, axis, "scale")
