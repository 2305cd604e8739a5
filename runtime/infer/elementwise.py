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
