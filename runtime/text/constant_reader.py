"""Reading constants and tensors of front ends: `f32[2] dense<[1.0, 2.0]> carried<"...">`; contents.py has the forms.

What carries nothing is read as a `Constant`, whatever it was when it was printed.
"""

from __future__ import annotations

import re
from math import prod

import numpy as np

from runtime.constants import Constant
from runtime.dtypes import DType
from runtime.lazy_tensors import LazyTensor, StoredTensor
from runtime.text.contents import Array
from runtime.text.elements import Written, array_of, array_of_bits, read_element
from runtime.text.hexadecimal import read_hex, refuse_elided
from runtime.text.scanner import SPACE, Scanner
from runtime.text.type_reader import known_extents, known_shape, read_type
from runtime.types import Type

_MOST_DIMENSIONS = 32  # more than any program has, and numpy takes them
_MOST_ELEMENTS = 2**48  # a splat of so many costs nothing until somebody computes with it

_type_or_contents = re.compile(r"[A-Za-z?]")
_dense = re.compile(r"dense[ \t]*+<")
_carried = re.compile(rf"{SPACE}carried[ \t]*+<")
_contents = re.compile(rf"{SPACE}(?:dense|carried)[ \t]*+<")


def read_tensor(scanner: Scanner, what: str) -> Constant | LazyTensor:
    """Return the tensor that stands next; its type may be left out where the statement says that of its result."""
    scanner.skip_space()
    start = scanner.pos
    has_type = not contents_follow(scanner)
    if scanner.peek(_type_or_contents) is None or (not has_type and scanner.stated_type is None):
        help = "" if has_type else "no result says the type, so it stands in front of the contents"
        scanner.fail_expecting(f"{what}, a constant such as f32[2] dense<[1.0, 2.0]>", code="T024", help=help)
    type = read_type(scanner) if has_type or scanner.stated_type is None else scanner.stated_type
    return read_tensor_of(scanner, type, start)


def contents_follow(scanner: Scanner) -> bool:
    """Whether contents stand next, of a tensor whose type was said already."""
    return _contents.match(scanner.text, scanner.pos) is not None


def read_tensor_of(scanner: Scanner, type: Type, start: int) -> Constant | LazyTensor:
    """Return the tensor of `type`, which starts at `start`, whose contents stand next."""
    shape: tuple[int, ...]
    contents = None
    if _carried.match(scanner.text, scanner.pos):
        shape = known_shape(scanner, type, "a tensor", start)
    else:
        contents = read_contents(scanner, type, start)
        if not _carried.match(scanner.text, scanner.pos):
            return contents
        shape = contents.shape
    if contents is None and type.dtype is not None:
        scanner.fail_expecting(f'the contents, "dense<...>", of elements of {type.dtype}')
    scanner.take(_carried)
    carried = read_hex(scanner, "what is carried")
    scanner.expect(">")
    return StoredTensor(shape, contents, carried)


def read_contents(scanner: Scanner, type: Type, start: int) -> Constant:
    """Return the constant of `type`, which starts at `start`, whose contents stand next."""
    dtype, shape = known_extents(scanner, type, "a constant", start)
    _refuse_huge(scanner, shape, start)
    if scanner.take(_dense) is None:
        scanner.fail_expecting('the contents, "dense<...>"')
    scanner.skip_lines()
    refuse_elided(scanner)
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


def _refuse_huge(scanner: Scanner, shape: tuple[int, ...], start: int) -> None:
    if len(shape) > _MOST_DIMENSIONS or prod(extent for extent in shape if extent) > _MOST_ELEMENTS:
        message = f"a constant has at most {_MOST_DIMENSIONS} dimensions and 2**48 elements"
        scanner.fail("T031", message, start, scanner.pos)


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
    data = read_hex(scanner, "the bytes of the elements")
    expected = prod(shape) * dtype.itemsize
    if len(data) != expected:
        message = f"{len(data)} bytes, where {prod(shape)} elements of {dtype} have {expected}"
        scanner.fail("T033", message, start, scanner.pos)
    bits = np.frombuffer(data, f"<u{dtype.itemsize}").astype(f"u{dtype.itemsize}")
    return array_of_bits(scanner, bits, dtype, start, scanner.pos).reshape(shape)
