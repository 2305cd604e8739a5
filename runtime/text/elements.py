"""From the written elements of a constant to an array, each element checked, all of them converted at once.

Dtypes: a decimal number is rounded once, from the nearest double to the element type.
"""

from __future__ import annotations

import re

import numpy as np

from runtime.dtypes import DType, f64
from runtime.rounding import cast_array
from runtime.text.contents import Array, bits_of
from runtime.text.numbers import NUMBER, finite_unless_said
from runtime.text.scanner import Scanner

Written = tuple[str, int]  # the text of an element, and where it starts

_boolean = re.compile(r"(?:true|false)\b")


def read_element(scanner: Scanner, dtype: DType) -> Written:
    """Return the element that stands next."""
    scanner.skip_lines()
    found = scanner.take(_boolean if dtype.is_bool else NUMBER)
    if found is None:
        what = "true or false" if dtype.is_bool else f"a number of {dtype}"
        scanner.fail_expecting(what, code="T033")
    return found, scanner.pos - len(found)


def array_of(scanner: Scanner, written: list[Written], dtype: DType) -> Array:
    """Return the elements as an array of one dimension."""
    if dtype.is_bool:
        return np.array([text == "true" for text, _ in written], np.bool_)
    return _integers(scanner, written, dtype) if dtype.is_int else _floats(scanner, written, dtype)


def array_of_bits(scanner: Scanner, bits: Array, dtype: DType, start: int, end: int) -> Array:
    """Return the elements that have these bits; an element narrower than a byte must leave the rest of it as it is."""
    if dtype.is_bool:
        if (bits > 1).any():
            scanner.fail("T033", "the byte of a bool is 00 or 01", start, end)
        return bits.astype(np.bool_)
    array: Array = bits.view(dtype.numpy)
    if dtype.bits < 8 and (bits_of(array.astype(np.float32).astype(dtype.numpy), dtype) != bits).any():
        scanner.fail("T033", f"there is a byte that is no element of {dtype}", start, end)
    return array


def _integers(scanner: Scanner, written: list[Written], dtype: DType) -> Array:
    values = []
    for text, start in written:
        end = start + len(text)
        if not text.lstrip("+-").isdecimal():
            scanner.fail("T033", f"{text} is not a whole number, as elements of {dtype} are", start, end)
        value = scanner.whole(text, start)
        if not dtype.lowest <= value <= dtype.largest:
            message = f"{text} does not fit {dtype}, which has {dtype.lowest} to {dtype.largest}"
            scanner.fail("T032", message, start, end)
        values.append(value)
    return np.array(values, np.int64 if dtype.is_signed else np.uint64).astype(dtype.numpy)


def _floats(scanner: Scanner, written: list[Written], dtype: DType) -> Array:
    decimal = [not text.startswith("0x") for text, _ in written]
    doubles = [
        finite_unless_said(scanner, *each) if plain else 0.0 for each, plain in zip(written, decimal, strict=True)
    ]
    values = np.array(doubles, np.float64)
    array = np.array(cast_array(values, f64, dtype))
    beyond = np.isfinite(values) & ~np.isfinite(array.astype(np.float64)) & np.array(decimal, np.bool_)
    for at in np.flatnonzero(beyond).tolist():
        text, start = written[at]
        if dtype.has_zero or values[at] > 0:
            message = f"{text} does not fit {dtype}, whose largest value is {dtype.largest}"
        else:
            message = f"{text} does not fit {dtype}, which has positive values only"
        scanner.fail("T032", message, start, start + len(text))
    for at, plain in enumerate(decimal):
        if not plain:
            array[at] = _element_of_bits(scanner, *written[at], dtype)[0]
    return array


def _element_of_bits(scanner: Scanner, text: str, start: int, dtype: DType) -> Array:
    end = start + len(text)
    if len(text) != 2 + 2 * dtype.itemsize:
        message = f"the bits of an element of {dtype} are {2 * dtype.itemsize} hexadecimal digits"
        scanner.fail("T032", message, start, end)
    return array_of_bits(scanner, np.array([int(text, 16)], f"u{dtype.itemsize}"), dtype, start, end)
