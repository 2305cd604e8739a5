"""The contents of constants and of tensors of front ends: exact bits, little-endian, in base64.

{"type": "f32[2]", "data": "AACAPwAAAEA="}                          all elements
{"type": "f32[64,512]", "splat": "AACAPw=="}                        one element, where all are equal
{"type": "f32[2]", "data": "AACAPwAAAEA=", "carried": "KgNCAXc="}   of a front end, with what that keeps beside them
{"type": "?[2]", "carried": "KgcIAhAIMgFh"}                         of a front end that alone can read the elements
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.bir.base64_text import PIECE, LongBytes, base64_text, bytes_of
from runtime.bir.problems import BirError, KeyItself, check_keys, decoded, take, wrong_kind
from runtime.bir.type_names import type_of_text
from runtime.constants import Constant
from runtime.dtypes import DType
from runtime.lazy_tensors import LazyTensor, StoredTensor
from runtime.types import Type

_KEYS = frozenset({"type", "data", "splat", "carried"})


def contents_json(held: Constant | LazyTensor, *, in_pieces: bool = False) -> dict[str, Any]:
    """Return the JSON of a constant or a tensor of a front end, which is fetched now.

    With `in_pieces`, long contents are `LongBytes`, not text.
    """
    if isinstance(held, Constant):
        return _elements_json(held, in_pieces)
    contents, carried = held.parts
    found = {"type": str(held.type)} if contents is None else _elements_json(contents, in_pieces)
    found["carried"] = _text(memoryview(carried), in_pieces)
    return found


def contents_of(found: object) -> Constant | StoredTensor:
    """Return the constant or the tensor that `contents_json` made this from.

    Raises: BirError.
    """
    if not isinstance(found, Mapping):
        raise wrong_kind(found, 'an object with "type" and "data" or "splat"')
    check_keys(found, _KEYS, "a constant")
    type = decoded(type_of_text, take(found, "type", str, "a type"), "type")
    if "carried" not in found:
        dtype, shape = _known(type)
        return _constant(found, dtype, shape)
    carried = decoded(bytes_of, found["carried"], "carried")
    shape = _known_shape(type)
    if type.dtype is not None:
        return StoredTensor(shape, _constant(found, type.dtype, shape), carried)
    if "data" in found or "splat" in found:
        raise BirError("B016", f"elements of {type} are known to the front end only", "type")
    return StoredTensor(shape, None, carried)


def constant_of(found: object) -> Constant:
    """Return a constant, which is no tensor of a front end.

    Raises: BirError.
    """
    held = contents_of(found)
    if not isinstance(held, Constant):
        raise BirError("B011", "a constant carries nothing", KeyItself("carried"))
    return held


def _elements_json(constant: Constant, in_pieces: bool) -> dict[str, Any]:
    key, bits = _bits(constant)
    data = bits.astype(f"<u{constant.dtype.itemsize}", copy=False)
    return {"type": str(constant.type), key: _text(data.view(np.uint8).data, in_pieces)}


def _bits(constant: Constant) -> tuple[str, NDArray[Any]]:
    """Return the elements as numbers, and whether they are all of them (`data`) or one that all are equal to."""
    array, kind = constant.array, f"u{constant.dtype.itemsize}"
    if array.size and not any(array.strides):  # made by broadcasting one element, maybe to more than memory holds
        first: Any = (slice(0, 1),) * array.ndim + (...,)
        return "splat", np.ascontiguousarray(array[first]).reshape(-1).view(kind)
    flat = np.ascontiguousarray(array).reshape(-1).view(kind)
    if flat.size and flat[0] == flat[-1] and (flat == flat[0]).all():
        return "splat", flat[:1]
    return "data", flat


def _text(data: memoryview, in_pieces: bool) -> Any:
    return LongBytes(data) if in_pieces and len(data) > PIECE else base64_text(data)


def _constant(found: Mapping[str, Any], dtype: DType, shape: tuple[int, ...]) -> Constant:
    if ("data" in found) == ("splat" in found):
        raise BirError("B016", 'a constant has either "data" or "splat"')
    key = "data" if "data" in found else "splat"
    elements = _elements(found[key], dtype, key)
    expected = 1 if key == "splat" else prod(shape)
    if elements.size != expected:
        raise BirError("B016", f"{elements.size} elements, where {expected} are expected", key)
    array = elements.reshape(shape) if key == "data" else np.broadcast_to(elements.reshape(()), shape)
    return Constant(array, dtype)


def _known(type: Type) -> tuple[DType, tuple[int, ...]]:
    if type.dtype is None:
        raise _unknown(type)
    return type.dtype, _known_shape(type)


def _known_shape(type: Type) -> tuple[int, ...]:
    known = tuple(dim for dim in type.shape or () if isinstance(dim, int))
    if type.shape is None or len(known) != len(type.shape) or prod(known) > 2**48:
        raise _unknown(type)
    return known


def _unknown(type: Type) -> BirError:
    return BirError("B016", f"a constant cannot be of type {type}: element type and extents must be known", "type")


def _elements(text: Any, dtype: DType, key: str) -> NDArray[Any]:
    """Return the elements, flat, once every one of them is a value of the dtype."""
    data = decoded(bytes_of, text, key)
    if len(data) % dtype.itemsize:
        raise BirError("B016", f"{len(data)} bytes are no whole number of elements of {dtype}", key)
    bits = np.frombuffer(data, f"<u{dtype.itemsize}").astype(f"u{dtype.itemsize}")
    # An element narrower than its byte has bytes that stand for nothing.
    if dtype.is_bool and (bits > 1).any():
        raise BirError("B016", "a bool is stored as 0 or 1", key)
    if dtype.bits < 8 and not np.array_equal(_of_bits(bits, dtype).astype("f4").astype(dtype.numpy).view("u1"), bits):
        raise BirError("B016", f"a byte is no element of {dtype}", key)
    return _of_bits(bits, dtype)


def _of_bits(bits: NDArray[Any], dtype: DType) -> NDArray[Any]:
    return bits.view(dtype.numpy)
