"""Result types of what moves several tensors at once."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.types import Dim, Type

__all__ = ["first_source_type", "offloaded_concat_type"]


def offloaded_concat_type(srcs: Sequence[Type], dim: int) -> Type:
    """Return the type of tensors joined along `dim`: that of the first one, with the sum of the extents there."""
    if not srcs:
        return Type.unknown()
    first = srcs[0]
    if first.shape is None or not 0 <= dim < len(first.shape):
        return Type.tensor(first.dtype, None)
    extents = [src.shape[dim] for src in srcs if src.shape is not None and dim < len(src.shape)]
    known = [extent for extent in extents if isinstance(extent, int)]
    total: Dim = sum(known) if len(known) == len(srcs) else None
    return Type.tensor(first.dtype, (*first.shape[:dim], total, *first.shape[dim + 1 :]))


def first_source_type(srcs: Sequence[Type]) -> Type:
    """Return the type of the first source, which all others have the shape of."""
    return srcs[0] if srcs else Type.unknown()
