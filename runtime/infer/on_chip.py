"""Result types of the instructions that leave so many numbers for each partition, or move elements on the chip."""

from __future__ import annotations

from runtime.dtypes import DType, f32, i32, u32
from runtime.types import Dim, Type


def bn_stats_type(src: Type) -> Type:
    """Return f32 with six numbers for each partition."""
    return _rows(src, f32, 6)


def bn_aggr_type(src: Type) -> Type:
    """Return f32 with two numbers for each partition."""
    return _rows(src, f32, 2)


def max8_type(src: Type) -> Type:
    """Return the elements of `src`, eight for each partition."""
    return _rows(src, src.dtype, 8)


def find_index8_type(src: Type) -> Type:
    """Return u32 with eight numbers for each partition."""
    return _rows(src, u32, 8)


def partition_reduced_type(src: Type) -> Type:
    """Return the type of one partition of `src`."""
    return Type.tensor(src.dtype, None if not src.shape else (1, *src.shape[1:]))


def n_gathered_type(src: Type, indices: Type) -> Type:
    """Return the elements of `src` in the shape of `indices`."""
    return Type.tensor(src.dtype, indices.shape)


def local_gathered_type(src: Type, index: Type, num_elem_per_idx: int, num_valid_indices: int | None) -> Type:
    """Return the type of what the indices of every 16 partitions gather.

    Shapes: [P, indices of 16 partitions] for one element an index, else [P, indices, elements].
    """
    each = index.shape[1:] if index.shape else ()
    valid: Dim = num_valid_indices
    if valid is None and index.shape and all(isinstance(extent, int) for extent in each):
        valid = 16
        for extent in each:
            valid *= extent  # type: ignore[operator]  # all are known
    if not src.shape:
        return Type.tensor(src.dtype, None)
    return Type.tensor(src.dtype, (src.shape[0], valid, *((num_elem_per_idx,) if num_elem_per_idx > 1 else ())))


def nonzero_type(src: Type) -> Type:
    """Return i32 with one element more than `src` in each partition."""
    if src.shape is None or len(src.shape) != 2:
        return Type.tensor(i32, None)
    count = src.shape[1]
    return Type.tensor(i32, (src.shape[0], count + 1 if isinstance(count, int) else None))


def sequence_bounds_type(segment_ids: Type) -> Type:
    """Return two numbers for each element.

    Shapes: [1, N] gives [1, 2, N].
    """
    known = segment_ids.shape is not None and len(segment_ids.shape) == 2
    return Type.tensor(segment_ids.dtype, (1, 2, segment_ids.shape[1]) if known and segment_ids.shape else None)


def _rows(src: Type, dtype: DType | None, count: int) -> Type:
    return Type.tensor(dtype, (src.shape[0], count) if src.shape else None)
