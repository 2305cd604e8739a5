"""The contents of tensors while a program runs, and which of them have been written.

Deliberately absent: addresses. Two tensors never overlap, wherever an allocator may put them.

Every element starts poisoned: reading it before something has written it is an error. An access that reinterprets its
tensor sees the same bits under another dtype. Elements of fewer than 8 bits stand one a byte in numpy; where they are
reinterpreted as elements of another width, two of them make a byte, the first one in the low half.
"""

from __future__ import annotations

from math import gcd, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.access import Pairs, whole_pairs
from runtime.dtypes import DType, f32
from runtime.interpreter.errors import MemoryAccessError
from runtime.tensors import Tensor

Array = NDArray[Any]
Positions = NDArray[np.int64]


class TensorMemory:
    """The contents of one tensor.

    Units: positions, offsets and steps count elements of the access's dtype, row-major.
    """

    def __init__(self, tensor: Tensor, contents: Array | None = None, *, wide: bool = False) -> None:
        """Make the memory of a tensor, poisoned, or with the contents given; `wide` keeps its floats in f32."""
        self.tensor = tensor
        self.wide = wide
        size = prod(tensor.known_shape)
        try:
            self._data = np.zeros(size, f32.numpy if wide else tensor.dtype.numpy)
        except (MemoryError, ValueError) as error:
            raise MemoryAccessError(f"%{tensor.name}: {tensor.type} needs more memory than there is") from error
        if contents is not None:
            self._data[:] = contents.reshape(-1)
        # What is written is remembered for units of so many bits: an element, or the part that some access has of it.
        bits = [tensor.dtype.bits, *(access.dtype.bits for access in tensor.accesses)]
        self._unit = gcd(*bits)
        self._complete = contents is not None  # everything has been written: nothing to check any more
        self._written = np.full(size * (tensor.dtype.bits // self._unit), self._complete)

    @property
    def array(self) -> Array:
        """The whole contents in the tensor's shape, for the caller to keep; each element must have been written."""
        return self.read(0, whole_pairs(self.tensor.known_shape), self.tensor.dtype)

    def read(self, start: int, pairs: Pairs, dtype: DType) -> Array:
        """Return a copy of the elements that `pairs` walk from `start`, in the shape of their extents."""
        self._check_bounds(start, pairs, dtype)
        if not self._complete:
            self._check_written(_strided(self._marks(dtype), start, pairs), start, pairs, dtype)
        return _strided(self._elements(dtype), start, pairs).copy()

    def read_at(self, positions: Positions, dtype: DType) -> Array:
        """Return the elements at these positions, in the shape of `positions`."""
        self._check_positions(positions, dtype)
        if not self._complete:
            written = self._marks(dtype)[positions].all(axis=-1)
            if not written.all():
                raise self._uninitialised(int(positions[~written].flat[0]), dtype)
        return self._elements(dtype)[positions]

    def write(self, start: int, pairs: Pairs, dtype: DType, values: Array) -> None:
        """Put `values`, which have the extents of `pairs`, into the elements that these walk from `start`."""
        self._check_bounds(start, pairs, dtype)
        if not _is_injective(pairs):
            self.write_at(positions_of(start, pairs), dtype, values)
            return
        elements = self._elements_for(values, dtype)
        _strided(elements, start, pairs)[...] = values
        self._store(elements, dtype)
        _strided(self._marks(dtype), start, pairs)[...] = True

    def write_at(self, positions: Positions, dtype: DType, values: Array) -> None:
        """Put `values` into the elements at `positions`; where one stands twice, the later value wins."""
        self._check_positions(positions, dtype)
        # `unique` finds the first of equal positions, so it gets them in reverse. numpy promises no order for a
        # repeated index.
        unique, first = np.unique(positions.reshape(-1)[::-1], return_index=True)
        elements = self._elements_for(values, dtype)
        elements[unique] = values.reshape(-1)[::-1][first]
        self._store(elements, dtype)
        self._marks(dtype)[unique] = True

    def _elements(self, dtype: DType) -> Array:
        """Return the contents as a flat array of `dtype`: the memory itself, or a copy where it must be repacked."""
        own = self.tensor.dtype
        if dtype is own or (dtype.numpy == own.numpy and not self.wide):
            return self._data
        if self.wide:
            raise MemoryAccessError(
                f"%{self.tensor.name} is kept in f32 instead of {own}, so it has no bits as {dtype}"
            )
        if own.bits >= 8 and dtype.bits >= 8:
            return self._data[: self._size(dtype) * dtype.itemsize // own.itemsize].view(dtype.numpy)
        return _unpacked(_packed(self._data, own), dtype)[: self._size(dtype)]

    def _elements_for(self, values: Array, dtype: DType) -> Array:
        assert self.wide or values.dtype == dtype.numpy, f"{values.dtype} for {dtype}: numpy would convert silently"
        return self._elements(dtype)

    def _store(self, elements: Array, dtype: DType) -> None:
        """Take over what `_elements` returned, after a change, where that was a copy."""
        own = self.tensor.dtype
        if elements.size and not np.may_share_memory(elements, self._data):
            changed = _unpacked(_packed(elements, dtype), own)[: self._data.size]
            self._data[: changed.size] = changed

    def _marks(self, dtype: DType) -> NDArray[np.bool_]:
        """Return, for each element of `dtype`, which of its parts have been written.

        Shapes: [elements, parts of one element].
        """
        parts = dtype.bits // self._unit
        return self._written[: self._size(dtype) * parts].reshape(-1, parts)

    def _size(self, dtype: DType) -> int:
        return self._data.size * self.tensor.dtype.bits // dtype.bits

    def _check_bounds(self, start: int, pairs: Pairs, dtype: DType) -> None:
        if not prod(num for _, num in pairs):
            return
        reach = [step * (num - 1) for step, num in pairs]
        for position in (start + sum(r for r in reach if r < 0), start + sum(r for r in reach if r > 0)):
            self._check_position(position, dtype)

    def _check_positions(self, positions: Positions, dtype: DType) -> None:
        if positions.size:
            self._check_position(int(positions.min()), dtype)
            self._check_position(int(positions.max()), dtype)

    def _check_position(self, position: int, dtype: DType) -> None:
        if not 0 <= position < self._size(dtype):
            as_dtype = "" if dtype is self.tensor.dtype else f" of {dtype}"
            raise MemoryAccessError(
                f"the access reaches element {position}{as_dtype} of %{self.tensor.name}: {self.tensor.type}, "
                f"which has elements 0 to {self._size(dtype) - 1}{as_dtype}"
            )

    def _check_written(self, marks: NDArray[np.bool_], start: int, pairs: Pairs, dtype: DType) -> None:
        written = marks.all(axis=-1)
        if not written.all():
            place = np.unravel_index(int(np.argmin(written)), written.shape)
            raise self._uninitialised(
                start + sum(step * int(at) for (step, _), at in zip(pairs, place, strict=True)), dtype
            )
        if pairs == whole_pairs(self.tensor.known_shape) and dtype is self.tensor.dtype:
            self._complete = True

    def _uninitialised(self, position: int, dtype: DType) -> MemoryAccessError:
        tensor = self.tensor
        if dtype.bits == tensor.dtype.bits:
            index = ", ".join(str(int(at)) for at in np.unravel_index(position, tensor.known_shape))
            element = f"element [{index}]"
        else:
            element = f"element {position} of {dtype}"
        return MemoryAccessError(f"reads {element} of %{tensor.name}: {tensor.type}, which nothing has written")


class Memory:
    """The tensors of one function. Each gets its memory when it is first used."""

    def __init__(self, contents: dict[Tensor, Array], wide: frozenset[Tensor]) -> None:
        """Take what input tensors hold, and which tensors keep the floats that are written in f32."""
        self._contents = contents
        self._wide = wide
        self._tensors: dict[Tensor, TensorMemory] = {}

    def of(self, tensor: Tensor) -> TensorMemory:
        """Return the memory of a tensor."""
        found = self._tensors.get(tensor)
        if found is None:
            contents = self._contents.get(tensor) if tensor.init is None else tensor.init.array
            found = self._tensors[tensor] = TensorMemory(tensor, contents, wide=tensor in self._wide)
        return found


def positions_of(start: int, pairs: Pairs) -> Positions:
    """Return the positions that `pairs` walk from `start`, in the shape of their extents."""
    positions = np.full(tuple(num for _, num in pairs), start, np.int64)
    for dim, (step, num) in enumerate(pairs):
        positions += (step * np.arange(num)).reshape(-1, *[1] * (len(pairs) - dim - 1))
    return positions


def _strided(flat: Array, start: int, pairs: Pairs) -> Array:
    """Return a view of the rows of `flat` that `pairs` walk from `start`; the caller has checked the bounds.

    Shapes: the extents of `pairs`, then the trailing dimensions of `flat`.
    """
    extents = tuple(num for _, num in pairs)
    if not prod(extents):
        return np.empty((*extents, *flat.shape[1:]), flat.dtype)
    row = flat.strides[0]
    strides = (*(step * row for step, _ in pairs), *flat.strides[1:])
    # Words of the same width, since numpy does not stride over each dtype of ml_dtypes: f8e5m2 says it is "<f1".
    words = flat.view(f"u{flat.itemsize}")
    return np.lib.stride_tricks.as_strided(words[start:], (*extents, *flat.shape[1:]), strides).view(flat.dtype)


def _is_injective(pairs: Pairs) -> bool:
    """Whether no two places have the same position; False also where that is not plain to see."""
    reach = 0
    for step, num in sorted((abs(step), num) for step, num in pairs if num > 1):
        if step <= reach:
            return False
        reach += step * (num - 1)
    return True


def _packed(elements: Array, dtype: DType) -> NDArray[np.uint8]:
    """Return the bytes of elements, two of 4 bits in one."""
    if dtype.bits >= 8:
        return elements.view(np.uint8)
    codes = elements.view(np.uint8) & np.uint8(15)
    codes = np.append(codes, np.zeros(codes.size % 2, np.uint8))
    return codes[0::2] | (codes[1::2] << np.uint8(4))


def _unpacked(packed: NDArray[np.uint8], dtype: DType) -> Array:
    """Return the elements of these bytes."""
    if dtype.bits >= 8:
        return packed[: packed.size // dtype.itemsize * dtype.itemsize].view(dtype.numpy)
    codes = np.stack([packed & np.uint8(15), packed >> np.uint8(4)], axis=-1).reshape(-1)
    return codes.view(dtype.numpy)
