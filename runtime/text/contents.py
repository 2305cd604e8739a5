"""The contents of constants in text, exact to the bit.

    dense<0.5>                          every element is 0.5
    dense<[[1.0, 2.0], [3.0, inf]]>     one list a dimension
    dense<"0000803f00000040">           the elements' bytes, little-endian, in hexadecimal, for many of them

Floats have the shortest digits that read back to the same bits; where none do, as for a NaN with a payload, `0x` and
the bits.

A lazy tensor is fetched, printed and forgotten. What its front end keeps beside the elements stands behind them, in
`carried<"...">`; alone, where the IR has no type for the elements.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.constants import Constant
from runtime.dtypes import DType, f64
from runtime.lazy_tensors import LazyTensor
from runtime.rounding import cast_array
from runtime.text.hexadecimal import ELIDED, hex_text
from runtime.types import Type

Array = NDArray[Any]

_MOST_WRITTEN = 128  # elements that are written as numbers
_MOST_DIGITS = 17  # enough for every double


def tensor_text(tensor: Constant | LazyTensor, stated: Type | None = None, elide: int | None = None) -> str:
    """Return type and contents of a tensor, `f32[2] dense<[1.0, 2.0]>`; without the type where that is `stated`.

    `elide`: of how many elements, or bytes that are carried, at most the text is made; None: of any number.
    """
    shown = [] if tensor.type is stated else [str(tensor.type)]
    if isinstance(tensor, Constant):
        return " ".join([*shown, contents_text(tensor, elide)])
    if elide is not None and tensor.dtype is not None and prod(tensor.shape) > elide:
        return " ".join([*shown, f"dense<{ELIDED}>"])  # nothing is fetched
    contents, carried = tensor.parts
    if contents is not None:
        shown.append(contents_text(contents))
    if carried or contents is None:
        shown.append(f"carried<{hex_text(carried, elide)}>")
    return " ".join(shown)


def constant_text(constant: Constant) -> str:
    """Return type and contents of a constant: `f32[2] dense<[1.0, 2.0]>`."""
    return f"{constant.type} {contents_text(constant)}"


def contents_text(constant: Constant, elide: int | None = None) -> str:
    """Return the contents of a constant, without its type; more than `elide` elements only where all are equal."""
    array = constant.array
    if is_splat(constant):
        return f"dense<{_texts(first_element(array), constant.dtype)[0]}>"
    if elide is not None and array.size > elide:
        return f"dense<{ELIDED}>"
    flat = np.ascontiguousarray(array).reshape(-1)
    if not 0 < flat.size <= _MOST_WRITTEN:
        width = constant.dtype.itemsize
        return f'dense<"{flat.view(f"u{width}").astype(f"<u{width}").tobytes().hex()}">'
    return f"dense<{_nested(_texts(flat, constant.dtype), constant.shape)}>"


def is_splat(constant: Constant) -> bool:
    """Whether all elements have the same bits, of which there is at least one."""
    return is_stored_once(constant) or constant.is_splat


def is_stored_once(constant: Constant) -> bool:
    """Whether there are elements, and numpy stores one for all of them."""
    array = constant.array
    steps = zip(array.strides, array.shape, strict=True)
    return bool(array.size) and all(stride == 0 or extent == 1 for stride, extent in steps)


def bits_of(array: Array, dtype: DType) -> NDArray[Any]:
    """Return the bits of each element as an unsigned integer."""
    return np.ascontiguousarray(array).view(f"u{dtype.itemsize}")


def first_element(array: Array) -> Array:
    """Return the first element as an array of one."""
    return array[(slice(0, 1),) * array.ndim].reshape(-1)


def _nested(texts: list[str], shape: tuple[int, ...]) -> str:
    for extent in reversed(shape):
        texts = [f"[{', '.join(texts[at : at + extent])}]" for at in range(0, len(texts), extent)]
    return texts[0]


def _texts(flat: Array, dtype: DType) -> list[str]:
    if dtype.is_bool:
        return ["true" if value else "false" for value in flat]
    if dtype.is_int:
        return [str(int(value)) for value in flat]
    return _float_texts(flat, dtype)


def _float_texts(flat: Array, dtype: DType) -> list[str]:
    """Return for each element the fewest digits that read back to its bits, or the bits."""
    bits = bits_of(flat, dtype)
    values = [float(value) for value in flat]
    texts = [f"0x{int(element):0{2 * dtype.itemsize}x}" for element in bits]
    left = list(range(flat.size))
    for digits in range(1, _MOST_DIGITS + 1):
        tried = [float(f"{values[at]:.{digits}g}") for at in left]
        right = bits_of(cast_array(np.array(tried, np.float64), f64, dtype), dtype) == bits[left]
        for at, value, done in zip(left, tried, right, strict=True):
            if done:
                texts[at] = repr(value)
        left = [at for at, done in zip(left, right, strict=True) if not done]
        if not left:
            break
    return texts
