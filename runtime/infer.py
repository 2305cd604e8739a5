"""How result types follow from operand types: the functions that a definition's `results: {infer: ...}` names.

Deliberately absent: complaints. Where operands do not fit, the answer is what is known of the result (an unknown shape,
at worst), and the verifier says what does not fit. A constructor must not fail on a program that is only half built.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from runtime.constants import Constant
from runtime.dtypes import DType, f32
from runtime.types import Dim, Shape, Type
from runtime.windows import Windows, why_not_windows


def broadcast_type(lhs: Type, rhs: Type) -> Type:
    """Return the type of an element-by-element operation with numpy broadcasting; the element type is that of `lhs`."""
    return Type.tensor(lhs.dtype, broadcast_shapes(lhs.shape, rhs.shape))


def compare_type(lhs: Type, rhs: Type, dtype: DType) -> Type:
    """Return the broadcast type with elements of `dtype`, usually bool."""
    return Type.tensor(dtype, broadcast_shapes(lhs.shape, rhs.shape))


def broadcast_shapes(lhs: Shape | None, rhs: Shape | None) -> Shape | None:
    """Return the numpy broadcast of two shapes, or None where it is not known or does not exist."""
    if lhs is None or rhs is None:
        return None
    dims: list[Dim] = []
    for left, right in zip_longest(reversed(lhs), reversed(rhs), fillvalue=1):
        if left == 1 or left == right:
            dims.append(right)
        elif right == 1:
            dims.append(left)
        elif isinstance(left, int) and isinstance(right, int):
            return None
        else:  # one of them is not known: a known extent above 1 wins
            dims.append(left if isinstance(left, int) else right if isinstance(right, int) else None)
    return tuple(reversed(dims))


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

    Shapes: stationary [K, M] and moving [K, N], K on the partitions, give [M, N].
    """
    left, right = stationary.shape, moving.shape
    known = left is not None and right is not None and len(left) == 2 and len(right) == 2
    return Type.tensor(f32, (left[1], right[1]) if known and left and right else None)


def gathered_type(src: Type, generic_dim: int, generic_addrs: Type | None) -> Type:
    """Return the type of a copy from a run-time address.

    Shapes: one index, or none, gives the window `src`; n indices give `src` with extent n along `generic_dim`.
    """
    count = 1 if generic_addrs is None else generic_addrs.n_elements
    if src.shape is None or count == 1 or generic_dim >= len(src.shape):
        return src
    return Type.tensor(src.dtype, (*src.shape[:generic_dim], count, *src.shape[generic_dim + 1 :]))


def constant_type(value: Constant) -> Type:
    """Return the type of a constant."""
    return value.type


def conv_type(
    src: Type,
    weights: Type,
    strides: Sequence[int] | None,
    padding: Sequence[int] | None,
    dilations: Sequence[int] | None,
) -> Type:
    """Return the type of a convolution.

    Shapes: [N, C, ...] and [O, C / groups, ...] give [N, O, ...] with the number of windows along each dimension.
    """
    if src.shape is None or weights.shape is None or not 2 < len(src.shape) == len(weights.shape):
        return Type.tensor(src.dtype, None)
    window = weights.shape[2:]
    known = tuple(extent for extent in window if isinstance(extent, int))
    spatial = _windowed(src.shape[2:], known, strides, padding, dilations)
    return Type.tensor(src.dtype, (src.shape[0], weights.shape[0], *spatial))


def pool_type(src: Type, window: Sequence[int], strides: Sequence[int] | None, padding: Sequence[int] | None) -> Type:
    """Return the type of a pool.

    Shapes: [N, C, ...] keeps N and C, and has the number of windows along each further dimension.
    """
    if src.shape is None or len(src.shape) < 3:
        return Type.tensor(src.dtype, None)
    return Type.tensor(src.dtype, (*src.shape[:2], *_windowed(src.shape[2:], window, strides, padding)))


def _windowed(
    spatial: Shape,
    window: Sequence[int],
    strides: Sequence[int] | None,
    padding: Sequence[int] | None,
    dilations: Sequence[int] | None = None,
) -> Shape:
    rank = len(spatial)
    lists = why_not_windows(rank, window, strides, padding, dilations=dilations)
    if next(lists, None) is not None or min((*window, *(strides or ()), *(dilations or ())), default=1) < 1:
        return (None,) * rank  # the verifier says why
    return Windows.along(window, strides, padding, dilations).extents(spatial)


def reduce_type(src: Type, axes: Sequence[int], keep_dims: bool) -> Type:
    """Return the type of a reduction along `axes`; an axis that does not exist changes nothing."""
    if src.shape is None:
        return src
    kept = ((1 if axis in axes else extent) for axis, extent in enumerate(src.shape) if keep_dims or axis not in axes)
    return Type.tensor(src.dtype, tuple(kept))


def reduced_type(src: Type, reduce_dims: Sequence[int], keepdims: bool) -> Type:
    """Return the type of a reduction of a tile, by the names that its fields have on the vector engine."""
    return reduce_type(src, reduce_dims, keepdims)
