"""Tensors of a model: read when somebody asks, written back as they were.

Deliberately absent: changing one. Whoever wants other contents makes a `Constant`.
"""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import SparseTensorProto, TensorProto, helper, numpy_helper

from frontends.onnx import external
from frontends.onnx.errors import BrokenModelError, ExportError
from frontends.onnx.stored_tensors import proto_of, rest_of, whole_of, whole_of_sparse
from frontends.onnx.type_protos import code_of
from runtime.constants import Constant
from runtime.lazy_tensors import LazyTensor, StoredTensor
from runtime.onnx_codes import DTYPE_OF_CODE

Array = NDArray[Any]
_EXTERNAL = TensorProto.EXTERNAL

BITS = {code: dtype.bits for code, dtype in DTYPE_OF_CODE.items()} | {14: 64, 15: 128, 18: 8, 20: 8, 25: 2, 26: 2}
"""Bits of an element by its number, packed; absent: text, and the 6-bit floats, which onnx itself packs and unpacks."""


class OnnxTensor(LazyTensor):
    """A tensor of a model, or beside it. It holds the model's own `TensorProto`, which nobody changes."""

    __slots__ = ("_folder", "_named", "_place", "proto")

    def __init__(self, proto: TensorProto, folder: Path | None, *, named: bool = True) -> None:
        """Take a tensor and the folder of its model; checks its extents and where its data is, and reads nothing.

        `named`: whether its name is its own, and not that of the value that it is the contents of.

        Raises: BrokenModelError or ExternalDataError.
        """
        shape = tuple(proto.dims[:])
        if shape and min(shape) < 0:
            raise BrokenModelError(f'tensor "{proto.name}" has the negative extent {min(shape)}')
        self.dtype = DTYPE_OF_CODE.get(proto.data_type)
        self.shape = shape
        self.proto = proto
        self._folder = folder
        self._named = named
        self._place = external.place_of(proto) if proto.data_location == _EXTERNAL else None

    @property
    def place(self) -> external.Place | None:
        """Where the data is, if it is not in the model."""
        return self._place

    @property
    def folder(self) -> Path | None:
        """The folder of the model."""
        return self._folder

    @property
    def raw(self) -> memoryview:
        proto = self.proto
        bits = BITS.get(proto.data_type)
        if bits is None:
            return memoryview(self.array.tobytes())
        n_bytes = (prod(self.shape) * bits + 7) // 8
        if self._place is not None:
            return external.read(self._place, self._folder, n_bytes, proto.name)
        data = proto.raw_data if proto.HasField("raw_data") else typed_bytes(proto)
        if len(data) != n_bytes:
            raise BrokenModelError(
                f'tensor "{proto.name}" of shape {list(self.shape)} holds {len(data)} bytes, not {n_bytes}'
            )
        return memoryview(data)

    @property
    def array(self) -> Array:
        proto, dtype = self.proto, self.dtype
        if dtype is not None and dtype.bits >= 8 and self._place is None and (data := proto.raw_data):
            try:  # in half the time of what is below; the bytes are read-only, and so is the array
                return np.frombuffer(data, dtype.numpy).reshape(self.shape)
            except ValueError:  # as below, which says why
                pass
        try:
            if self.dtype is not None and self.dtype.bits >= 8:
                return _read_only(np.frombuffer(self.raw, self.dtype.numpy).reshape(self.shape))
            if proto.data_type in BITS:  # the size is checked, so that onnx unpacks no more than there is
                proto = TensorProto(dims=self.shape, data_type=proto.data_type, raw_data=self.raw.tobytes())
            elif self._place is not None:
                raise BrokenModelError(f'tensor "{proto.name}" has elements that are never outside the model')
            return _read_only(numpy_helper.to_array(proto))
        except (ValueError, TypeError, KeyError, UnicodeDecodeError) as error:
            raise BrokenModelError(f'tensor "{self.proto.name}" cannot be read: {error}') from None

    @property
    def parts(self) -> tuple[Constant | None, bytes]:
        dtype = self.dtype
        if dtype is None:
            return None, whole_of(self.proto, self.raw_beside)
        array = self.array
        contents = Constant(np.asarray(array.view(np.uint8) != 0) if dtype.is_bool else array, dtype)
        if (dtype.bits < 8 or dtype.is_bool) and _packed(contents.array, dtype.bits) != self.raw:
            return contents, whole_of(self.proto, self.raw_beside)  # bits that stand for nothing
        return contents, rest_of(self.proto, named=self._named)

    @property
    def raw_beside(self) -> memoryview | None:
        """The bytes of the elements, fetched now, where they are not in the model; else None."""
        return None if self._place is None else self.raw


class SparseOnnxTensor(LazyTensor):
    """A sparse tensor of a model. `array` is dense."""

    __slots__ = ("_indices", "_values", "proto")

    def __init__(self, proto: SparseTensorProto, folder: Path | None) -> None:
        shape = tuple(proto.dims)
        if shape and min(shape) < 0:
            raise BrokenModelError(f'sparse tensor "{proto.values.name}" has the negative extent {min(shape)}')
        self._values = OnnxTensor(proto.values, folder)
        self._indices = OnnxTensor(proto.indices, folder)
        super().__init__(self._values.dtype, shape)
        self.proto = proto

    @property
    def array(self) -> Array:
        values, indices = self._values.array, self._indices.array
        try:
            dense = np.zeros(self.shape, values.dtype)
            if indices.ndim == 2:
                dense[tuple(indices.T)] = values
            else:
                dense.reshape(-1)[indices] = values
        except (ValueError, IndexError, MemoryError) as error:
            raise BrokenModelError(f'sparse tensor "{self.proto.values.name}" cannot be read: {error}') from None
        return _read_only(dense)

    @property
    def raw(self) -> memoryview:
        return memoryview(self.array.tobytes())

    @property
    def parts(self) -> tuple[Constant | None, bytes]:
        contents = None if self.dtype is None else Constant(self.array, self.dtype)
        return contents, whole_of_sparse(self.proto, self._values.raw_beside, self._indices.raw_beside)


def tensor_of(value: StoredTensor) -> OnnxTensor | SparseOnnxTensor:
    """Return the tensor of a model that came back through a file of the IR.

    Raises: ExportError or BrokenModelError where what it carries is none.
    """
    proto = proto_of(value)
    return SparseOnnxTensor(proto, None) if isinstance(proto, SparseTensorProto) else OnnxTensor(proto, None)


def write_tensor(proto: TensorProto, value: LazyTensor | Constant, name: str | None = None) -> None:
    """Fill an empty `TensorProto` with a tensor; `name`: what it is called, None for as it was.

    Raises: ExportError where ONNX has no such element type.
    """
    if isinstance(value, StoredTensor):
        value = tensor_of(value)
    if isinstance(value, OnnxTensor):
        proto.CopyFrom(value.proto)
    elif isinstance(value, Constant):
        try:
            proto.data_type = code_of(value.dtype)
        except ValueError as error:
            raise ExportError(f'tensor "{name}": {error}') from None
        proto.dims.extend(value.shape)
        proto.raw_data = _packed(value.array, value.dtype.bits)
    else:
        raise ExportError(f'tensor "{name}": {value!r} is neither a constant nor from an ONNX model')
    if name is not None and proto.name != name:
        proto.name = name


def typed_bytes(proto: TensorProto) -> bytes:
    """Return what `raw_data` would hold for the elements of the typed field that goes with the element type.

    Raises: BrokenModelError where an element type has no such form.
    """
    code = proto.data_type
    bits = BITS.get(code)
    if bits is None:
        raise BrokenModelError(f'tensor "{proto.name}" has the unknown element type {code}')
    field = helper.tensor_dtype_to_field(code)
    dtype = _FIELD_DTYPES.get(field) or f"<u{max(bits, 8) // 8}"  # one number an element, or a byte of packed ones
    return np.asarray(getattr(proto, field), _WIDE.get(field)).astype(dtype).tobytes()


_WIDE = {"int32_data": np.int64, "uint64_data": np.uint64}
_FIELD_DTYPES = {"float_data": "<f4", "double_data": "<f8", "int64_data": "<i8"}


def _packed(array: Array, bits: int) -> bytes:
    if bits >= 8:
        return np.ascontiguousarray(array).tobytes()
    codes = np.ascontiguousarray(array).reshape(-1).view(np.uint8) & np.uint8(15)
    codes = np.append(codes, np.zeros(codes.size % 2, np.uint8))
    packed: bytes = (codes[0::2] | (codes[1::2] << np.uint8(4))).tobytes()
    return packed


def _read_only(array: Array) -> Array:
    if array.flags.writeable:  # what is made of bytes is not
        array = array.view()
        array.flags.writeable = False
    return array
