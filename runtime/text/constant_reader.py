"""Reading constants: `f32[2] dense<[1.0, 2.0]>`; contents.py has the forms."""

from __future__ import annotations

import re
from math import prod

import numpy as np

from runtime.constants import Constant
from runtime.dtypes import DType
from runtime.text.contents import Array
from runtime.text.elements import Written, array_of, array_of_bits, read_element
from runtime.text.scanner import Scanner
from runtime.text.type_reader import known_extents, read_type
from runtime.types import Type

_MOST_DIMENSIONS = 32  # more than any program has, and numpy takes them
_MOST_ELEMENTS = 2**48  # a splat of so many costs nothing until somebody computes with it

_type_or_dense = re.compile(r"[A-Za-z?]")
_dense = re.compile(r"dense[ \t]*+<")


def read_constant(scanner: Scanner, what: str) -> Constant:
    """Return the constant that stands next; its type may be left out where the statement says that of its result."""
    scanner.skip_space()
    start = scanner.pos
    has_type = not scanner.peek(_dense)
    if scanner.peek(_type_or_dense) is None or (not has_type and scanner.stated_type is None):
        scanner.fail_expecting(f"{what}, a constant such as f32[2] dense<[1.0, 2.0]>", code="T024")
    if has_type or scanner.stated_type is None:
        return read_contents(scanner, read_type(scanner), start)
    return read_contents(scanner, scanner.stated_type, start)


def read_contents(scanner: Scanner, type: Type, start: int) -> Constant:
    """Return the constant of `type`, which starts at `start`, whose contents stand next."""
    dtype, shape = known_extents(scanner, type, "a constant", start)
    if len(shape) > _MOST_DIMENSIONS or prod(extent for extent in shape if extent) > _MOST_ELEMENTS:
        message = f"a constant has at most {_MOST_DIMENSIONS} dimensions and 2**48 elements"
        scanner.fail("T031", message, start, scanner.pos)
    if scanner.take(_dense) is None:
        scanner.fail_expecting('the contents, "dense<...>"')
    scanner.skip_lines()
    if scanner.text.startswith('"', scanner.pos):
        array = _read_bytes(scanner, dtype, shape)
    elif scanner.text.startswith("[", scanner.pos):
        written: list[Written] = []
        _read_nested(scanner, dtype, shape, written)
        array = array_of(scanner, written, dtype).reshape(shape)
    else:
        element = array_of(scanner, [read_element(scanner, dtype)], dtype)
        array = np.broadcast_to(element.reshape(()), shape)
    scanner.skip_lines()
    scanner.expect(">")
    return Constant(array, dtype)


def _read_nested(scanner: Scanner, dtype: DType, shape: tuple[int, ...], written: list[Written]) -> None:
    """Append the elements of one list for each dimension, row-major; the extents must be those of `shape`."""
    if not shape:
        written.append(read_element(scanner, dtype))
        return
    scanner.skip_lines()
    start = scanner.pos
    if not scanner.accept("["):
        scanner.fail_expecting(f"a list of {shape[0]}", code="T033")
    count = 0
    for _ in scanner.items("]", start):
        _read_nested(scanner, dtype, shape[1:], written)
        count += 1
    if count != shape[0]:
        message = f"a list of {count}, where the type has an extent of {shape[0]}"
        scanner.fail("T033", message, start, scanner.pos)


def _read_bytes(scanner: Scanner, dtype: DType, shape: tuple[int, ...]) -> Array:
    start = scanner.pos
    digits = scanner.string("the bytes of the elements")
    try:
        data = bytes.fromhex(digits)
    except ValueError:
        scanner.fail("T033", "these are not pairs of hexadecimal digits", start, scanner.pos)
    expected = prod(shape) * dtype.itemsize
    if len(data) != expected:
        message = f"{len(data)} bytes, where {prod(shape)} elements of {dtype} have {expected}"
        scanner.fail("T033", message, start, scanner.pos)
    bits = np.frombuffer(data, f"<u{dtype.itemsize}").astype(f"u{dtype.itemsize}")
    return array_of_bits(scanner, bits, dtype, start, scanner.pos).reshape(shape)
