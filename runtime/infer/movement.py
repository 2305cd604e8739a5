"""Types of what is moved: slices, shapes, permutations, and elements that indices choose."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from runtime.dtypes import DType
from runtime.infer.elementwise import broadcast_shapes
from runtime.types import Dim, Shape, Type


def gather_type(src: Type, indices: Type, axis: int) -> Type:
    """Return the type of slices along `axis`.

    Shapes: the extent along `axis` gives way to the shape of `indices`.
    """
    if src.shape is None or indices.shape is None or axis >= len(src.shape):
        return Type.tensor(src.dtype, None)
    return Type.tensor(src.dtype, (*src.shape[:axis], *indices.shape, *src.shape[axis + 1 :]))


def narrow_type(src: Type, axis: int, length: int) -> Type:
    """Return the type of `length` neighbouring slices along `axis`."""
    if src.shape is None or axis >= len(src.shape):
        return Type.tensor(src.dtype, None)
    return Type.tensor(src.dtype, (*src.shape[:axis], length, *src.shape[axis + 1 :]))


def reshape_type(src: Type, new_shape: Shape) -> Type:
    """Return the type of the same elements in `new_shape`, in which one unknown extent follows from the others."""
    known = [dim for dim in new_shape if isinstance(dim, int)]
    if new_shape.count(None) != 1 or len(known) != len(new_shape) - 1 or src.n_elements is None:
        return Type.tensor(src.dtype, new_shape)
    others = prod(known)
    left = src.n_elements // others if others and src.n_elements % others == 0 else None
    return Type.tensor(src.dtype, tuple(left if dim is None else dim for dim in new_shape))


def transpose_type(src: Type, permutation: Sequence[int]) -> Type:
    """Return the type of the same elements with reordered dimensions."""
    if src.shape is None or sorted(permutation) != list(range(len(src.shape))):
        return Type.tensor(src.dtype, None)
    return Type.tensor(src.dtype, tuple(src.shape[axis] for axis in permutation))


def concat_type(parts: Sequence[Type], axis: int) -> Type:
    """Return the type of values behind each other along `axis`; what one of them does not know, another one may."""
    dtype = parts[0].dtype if parts else None
    shapes = [part.shape for part in parts if part.shape is not None]
    if not shapes or len({len(shape) for shape in shapes}) != 1 or axis >= len(shapes[0]):
        return Type.tensor(dtype, None)
    dims = [_said(extents) for extents in zip(*shapes, strict=True)]
    along = [shape[axis] for shape in shapes]
    known = [extent for extent in along if isinstance(extent, int)]
    dims[axis] = sum(known) if len(known) == len(parts) else along[0] if len(parts) == 1 else None
    return Type.tensor(dtype, tuple(dims))


def _said(extents: Sequence[Dim]) -> Dim:
    """Return the extent that several values share: a number, else a name that all have."""
    numbers = [extent for extent in extents if isinstance(extent, int)]
    if numbers:
        return numbers[0]
    return extents[0] if len(set(extents)) == 1 else None


def expand_type(src: Type, target_shape: Shape) -> Type:
    """Return the type with the broadcast of two shapes."""
    return Type.tensor(src.dtype, broadcast_shapes(src.shape, target_shape))


def top_k_type(src: Type, k: int, axis: int, dtype: DType | None) -> Type:
    """Return the type of `k` values for each row along `axis`, with elements of `dtype`."""
    return Type.tensor(dtype, narrow_type(src, axis, k).shape)


def scatter_add_type(updates: Type, rows: int) -> Type:
    """Return the type of `rows` rows like those of `updates`."""
    if not updates.shape:
        return Type.tensor(updates.dtype, None)
    return Type.tensor(updates.dtype, (rows, *updates.shape[1:]))


def gather_nd_type(src: Type, indices: Type, batch_dims: int) -> Type:
    """Return the type of slices at the places that the last dimension of `indices` gives."""
    taken = indices.shape[-1] if indices.shape else None
    if src.shape is None or indices.shape is None or not isinstance(taken, int):
        return Type.tensor(src.dtype, None)
    if (
        not 0 <= batch_dims <= min(len(src.shape), len(indices.shape) - 1)
        or not 0 <= taken <= len(src.shape) - batch_dims
    ):
        return Type.tensor(src.dtype, None)
    return Type.tensor(src.dtype, (*indices.shape[:-1], *src.shape[batch_dims + taken :]))


def dynamic_slice_type(src: Type, sizes: Sequence[int]) -> Type:
    """Return the type of a window with these extents."""
    return Type.tensor(src.dtype, tuple(sizes))
