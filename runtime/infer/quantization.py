"""Quantizations: the scales that they give."""

from __future__ import annotations

from runtime.scale_layouts import scale_dtype, scale_shape
from runtime.types import Type


def next_state_type(src: Type, axis: int | None) -> Type:
    """Return the type of the scales of a quantization for training: one, or one for each index along `axis`."""
    if axis is None:
        return Type.tensor(src.dtype, (1,))
    known = src.shape is not None and axis < len(src.shape)
    return Type.tensor(src.dtype, (src.shape[axis] if known and src.shape else None,))


def scaled_quant_scale_type(src: Type, scale_layout: str, block: int | None) -> Type:
    """Return the type of the scales of a layout."""
    return Type.tensor(scale_dtype(scale_layout), scale_shape(src.shape, scale_layout, block))
