"""Types of reductions."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.types import Type


def reduce_type(src: Type, axes: Sequence[int], keepdims: bool) -> Type:
    """Return the type of a reduction along `axes`; an axis that does not exist changes nothing."""
    if src.shape is None:
        return src
    kept = ((1 if axis in axes else extent) for axis, extent in enumerate(src.shape) if keepdims or axis not in axes)
    return Type.tensor(src.dtype, tuple(kept))


def reduced_type(src: Type, reduce_dims: Sequence[int], keepdims: bool) -> Type:
    """Return the type of a reduction of a tile, by the names that its fields have on the vector engine."""
    return reduce_type(src, reduce_dims, keepdims)
