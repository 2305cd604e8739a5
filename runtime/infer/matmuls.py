"""Types of matrix products."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.dtypes import f32
from runtime.infer.elementwise import broadcast_shapes
from runtime.types import Type


def matmul_type(lhs: Type, rhs: Type) -> Type:
    """Return the type of `lhs @ rhs` under numpy's rules for `matmul`.

    Shapes: [..., M, K] and [..., K, N] give [..., M, N]; a vector on either side loses its dimension in the result.
    """
    left, right = lhs.shape, rhs.shape
    if left is None or right is None or not left or not right:
        return Type.tensor(lhs.dtype, None)
    rows, columns = left[-2:-1], (right[-1:] if len(right) > 1 else ())
    batch = broadcast_shapes(left[:-2], right[:-2])
    return Type.tensor(lhs.dtype, None if batch is None else (*batch, *rows, *columns))


def neuron_matmul_type(stationary: Type, moving: Type) -> Type:
    """Return the type of the tensor engine's product, which accumulates in f32.

    Shapes: stationary [K, M] and moving [K, N], K on the partitions, give [M, N]; so do [K, 2, M] and [K, 2, N].
    """
    left, right = stationary.shape, moving.shape
    known = left is not None and right is not None and len(left) == len(right) and len(left) in (2, 3)
    return Type.tensor(f32, (left[-1], right[-1]) if known and left and right else None)


def matmul_mx_type(stationary: Type, moving: Type) -> Type:
    """Return the type of the product of tiles with shared scales, which accumulates in f32.

    Shapes: [K, 4 M] and [K, 4 N] give [M, N].
    """
    left, right = stationary.shape, moving.shape
    if left is None or right is None or not len(left) == len(right) == 2:
        return Type.tensor(f32, None)
    rows, columns = (extent // 4 if isinstance(extent, int) else None for extent in (left[1], right[1]))
    return Type.tensor(f32, (rows, columns))


def dot_general_type(
    lhs: Type,
    rhs: Type,
    lhs_contracting: Sequence[int],
    rhs_contracting: Sequence[int],
    lhs_batch: Sequence[int],
    rhs_batch: Sequence[int],
) -> Type:
    """Return the type of a product over any dimensions.

    Shapes: the batch dimensions, those of `lhs` that are left, those of `rhs` that are left.
    """
    left, right = lhs.shape, rhs.shape
    if left is None or right is None or not all(axis < len(left) for axis in lhs_batch):
        return Type.tensor(lhs.dtype, None)
    batch = tuple(left[axis] for axis in lhs_batch)
    rows = (extent for axis, extent in enumerate(left) if axis not in (*lhs_batch, *lhs_contracting))
    columns = (extent for axis, extent in enumerate(right) if axis not in (*rhs_batch, *rhs_contracting))
    return Type.tensor(lhs.dtype, (*batch, *rows, *columns))
