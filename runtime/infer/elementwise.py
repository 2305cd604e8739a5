"""Types of element-by-element operations, with the broadcasting of numpy."""

from __future__ import annotations

from itertools import zip_longest

from runtime.dtypes import DType
from runtime.types import Dim, Shape, Type


def broadcast_type(lhs: Type, rhs: Type) -> Type:
    """Return the type of an element-by-element operation with numpy broadcasting; the element type is that of `lhs`."""
    return Type.tensor(lhs.dtype, broadcast_shapes(lhs.shape, rhs.shape))


def compare_type(lhs: Type, rhs: Type, dtype: DType) -> Type:
    """Return the broadcast type with elements of `dtype`, usually bool."""
    return Type.tensor(dtype, broadcast_shapes(lhs.shape, rhs.shape))


def where_type(condition: Type, on_true: Type, on_false: Type) -> Type:
    """Return the type of a choice between two values, all three broadcast to one shape."""
    return Type.tensor(
        on_true.dtype, broadcast_shapes(condition.shape, broadcast_shapes(on_true.shape, on_false.shape))
    )


def swiglu_type(src: Type, cast_to: DType | None) -> Type:
    """Return the type of one half of the last dimension of `src`, perhaps of another element type."""
    dtype = src.dtype if cast_to is None else cast_to
    if not src.shape:
        return Type.tensor(dtype, None)
    last = src.shape[-1]
    return Type.tensor(dtype, (*src.shape[:-1], last // 2 if isinstance(last, int) else None))


def complex_norm_sq_type(src: Type) -> Type:
    """Return the type of the magnitudes of complex numbers, whose parts lie along the last dimension of `src`."""
    return Type.tensor(src.dtype, src.shape[:-1] if src.shape else None)


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
