"""The types of scales that blocks of the last two dimensions share."""

from __future__ import annotations

from runtime.dtypes import f32
from runtime.types import Dim, Type


def block_scales_type(src: Type, rows: int, cols: int) -> Type:
    """Return the type of the scales of a value; the last blocks of a dimension may be smaller."""
    shape = src.shape
    if shape is None or len(shape) < 2:
        return Type.tensor(f32, None)
    return Type.tensor(f32, (*shape[:-2], _count(shape[-2], rows), _count(shape[-1], cols)))


def _count(extent: Dim, block: int) -> Dim:
    if isinstance(extent, int):
        return -(-extent // block)
    return extent if block == 1 else None
