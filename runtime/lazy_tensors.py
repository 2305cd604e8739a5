"""Tensors whose contents are fetched when somebody asks: the weights of a model, in its file or beside it.

Deliberately absent: where they come from. A front end makes them; passes look at `dtype` and `shape` for nothing, and
at `array` when they must know values. `Constant` answers the same questions and holds its array.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.constants import Constant
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

    @property
    def parts(self) -> tuple[Constant | None, bytes]:
        """What a file of the IR must hold of this: the elements, fetched now, and what the front end keeps beside them.

        Where `dtype` is None there are no elements for the IR, and the bytes hold them.
        """
        raise NotImplementedError

    def __deepcopy__(self, memo: object) -> LazyTensor:
        return self

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.type}>"


class StoredTensor(LazyTensor):
    """A tensor of a front end that came back from a file of the IR, as `parts` gave it."""

    __slots__ = ("_carried", "_contents")

    def __init__(self, shape: tuple[int, ...], contents: Constant | None, carried: bytes) -> None:
        assert contents is None or contents.shape == shape, f"{contents!r} are no elements of shape {shape}"
        super().__init__(None if contents is None else contents.dtype, shape)
        self._contents = contents
        self._carried = carried

    @property
    def array(self) -> NDArray[Any]:
        """The elements.

        Raises: ValueError where only the front end can read them.
        """
        if self._contents is None:
            raise ValueError(f"the elements of {self!r} can be read only by the front end that it came from")
        return self._contents.array

    @property
    def raw(self) -> memoryview:
        codes: NDArray[Any] = np.ascontiguousarray(self.array).reshape(-1).view(np.uint8)
        if self.dtype is not None and self.dtype.bits < 8:
            codes = np.append(codes & np.uint8(15), np.zeros(codes.size % 2, np.uint8))
            codes = codes[0::2] | (codes[1::2] << np.uint8(4))
        return codes.data

    @property
    def parts(self) -> tuple[Constant | None, bytes]:
        return self._contents, self._carried
