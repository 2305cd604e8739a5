"""The contents of constant tensors and constant instructions.

Deliberately absent: arithmetic. A constant is bits with a dtype and a shape; the interpreter computes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.dtypes import DType
from runtime.rounding import cast_array, natural_dtype
from runtime.types import Type


class Constant:
    """A dense array of one dtype; immutable, equal when dtype, shape and every bit are equal.

    Dtypes: the array's numpy dtype is `dtype.numpy`; sub-byte elements stand one a byte.
    """

    __slots__ = ("array", "dtype")

    array: NDArray[Any]
    dtype: DType

    def __init__(self, array: NDArray[Any], dtype: DType) -> None:
        if array.dtype != dtype.numpy:
            raise TypeError(f"a constant of {dtype} holds {dtype.numpy}, not {array.dtype}: cast it first")
        self.array = array.view()
        self.array.flags.writeable = False
        self.dtype = dtype

    @classmethod
    def of(cls, values: object, dtype: DType) -> Constant:
        """Return the constant that holds `values`, numbers or an array of them, each rounded once to `dtype`.

        Raises: TypeError where they are no numbers.
        """
        array = np.asarray(values)
        source = natural_dtype(array.dtype)
        if source is None:
            raise TypeError(f"a constant of {dtype} is made from numbers, not from {array.dtype}")
        return cls(cast_array(array, source, dtype), dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents in elements."""
        return self.array.shape

    @property
    def type(self) -> Type:
        """Tensor type of the contents."""
        return Type.tensor(self.dtype, self.shape)

    @property
    def is_splat(self) -> bool:
        """Whether all elements are the same bits (and there is at least one)."""
        if not self.array.size:
            return False
        if not any(self.array.strides):  # made by broadcasting one element, maybe to more than memory holds
            return True
        flat = np.ascontiguousarray(self.array).reshape(-1)
        bits = flat.view(np.uint8).reshape(flat.size, -1)
        return bool((bits == bits[0]).all())

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Constant)
            and self.dtype is other.dtype
            and self.shape == other.shape
            and self._stored.tobytes() == other._stored.tobytes()
        )

    def __hash__(self) -> int:
        return hash((self.dtype, self.shape, self._stored.tobytes()))

    @property
    def _stored(self) -> NDArray[Any]:
        """One element where all are equal, else all of them, so that equal contents have equal bytes here."""
        return self.array[(slice(0, 1),) * self.array.ndim] if self.is_splat else self.array

    def __repr__(self) -> str:
        return f"<Constant {self.type}>"
