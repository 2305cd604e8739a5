"""Tensors whose contents are fetched when somebody asks: the weights of a model, in its file or beside it.

Deliberately absent: where they come from. A front end makes them; passes look at `dtype` and `shape` for nothing, and
at `array` when they must know values. `Constant` answers the same questions and holds its array.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from runtime.dtypes import DType
from runtime.types import Type


class LazyTensor:
    """An immutable tensor that is read when it is needed; two are equal when they are the same object.

    Dtypes: `dtype` is None for elements that the IR has no type for (text, complex numbers); `array` has them anyway.
    """

    __slots__ = ("dtype", "shape")

    dtype: DType | None
    shape: tuple[int, ...]  # in elements

    def __init__(self, dtype: DType | None, shape: tuple[int, ...]) -> None:
        self.dtype = dtype
        self.shape = shape

    @property
    def type(self) -> Type:
        """Tensor type of the contents."""
        return Type.tensor(self.dtype, self.shape)

    @property
    def array(self) -> NDArray[Any]:
        """The elements, fetched now; sub-byte ones stand one a byte. Nobody may write to it."""
        raise NotImplementedError

    @property
    def raw(self) -> memoryview:
        """The bytes of the elements in row-major order, little-endian, sub-byte ones packed; fetched now."""
        raise NotImplementedError

    def __deepcopy__(self, memo: object) -> LazyTensor:
        return self

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.type}>"
