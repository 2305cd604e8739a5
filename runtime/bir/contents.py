"""The contents of constants in BIR: exact bits, little-endian, in base64; one element where all are equal."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.bir.problems import BirError, check_keys, decoded, take, wrong_kind
from runtime.bir.type_names import type_of_text
from runtime.constants import Constant
from runtime.dtypes import DType

_KEYS = frozenset({"type", "data", "splat"})


def contents_json(constant: Constant) -> dict[str, Any]:
    """Return the JSON of a constant."""
    flat = constant.array.reshape(-1)
    key, shown = ("splat", flat[:1]) if constant.is_splat else ("data", flat)
    bits = np.ascontiguousarray(shown).view(f"u{constant.dtype.itemsize}").astype(f"<u{constant.dtype.itemsize}")
    return {"type": str(constant.type), key: base64.b64encode(bits.tobytes()).decode("ascii")}


def contents_of(found: object) -> Constant:
    """Return the constant that `contents_json` made this from.

    Raises: BirError.
    """
    if not isinstance(found, Mapping):
        raise wrong_kind(found, 'an object with "type" and "data" or "splat"')
    check_keys(found, _KEYS, "a constant")
    dtype, shape = _dtype_and_shape(take(found, "type", str, "a type"))
    if ("data" in found) == ("splat" in found):
        raise BirError("B016", 'a constant has either "data" or "splat"')
    key = "data" if "data" in found else "splat"
    elements = _elements(take(found, key, str, "base64 text"), dtype, key)
    expected = 1 if key == "splat" else _product(shape)
    if elements.size != expected:
        raise BirError("B016", f"{elements.size} elements, where {expected} are expected", key)
    array = elements.reshape(shape) if key == "data" else np.broadcast_to(elements.reshape(()), shape)
    return Constant(array, dtype)


def _dtype_and_shape(text: str) -> tuple[DType, tuple[int, ...]]:
    type = decoded(type_of_text, text, "type")
    known = tuple(dim for dim in type.shape or () if isinstance(dim, int))
    if type.dtype is None or type.shape is None or len(known) != len(type.shape) or _product(known) > 2**48:
        raise BirError("B016", f"a constant cannot be of type {type}: element type and extents must be known", "type")
    return type.dtype, known


def _product(shape: tuple[int, ...]) -> int:
    product = 1
    for extent in shape:
        product *= extent
    return product


def _elements(text: str, dtype: DType, key: str) -> NDArray[Any]:
    """Return the elements, flat, once every one of them is a value of the dtype."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise BirError("B016", "this is not base64 text", key) from None
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
