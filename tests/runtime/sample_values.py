"""Values of each dtype on which casts are tried: all of them, or those around every boundary, or random ones."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.dtypes import DType, bool_, f64
from tests.runtime.exact import FORMATS, boundary_values


def all_values(dtype: DType) -> NDArray[Any]:
    """Return an array of every bit pattern of a dtype of at most 16 bits."""
    if dtype is bool_:
        return np.array([False, True])
    array = np.arange(1 << dtype.bits, dtype=f"u{dtype.itemsize}")
    if dtype.bits == 4 and dtype.is_int:
        return (array.astype(np.int8) + dtype.lowest).astype(dtype.numpy)
    return array.view(dtype.numpy)


def wide_integers(dtype: DType) -> NDArray[Any]:
    """Return integers around every power of two, and around the ties of every format, in both signs."""
    tails = {0, 1, 2, 3} | {1 << form.mantissa_bits for form in FORMATS.values()}
    magnitudes = {(1 << bit) + near for bit in range(dtype.bits) for near in (-1, 0, 1)}
    for bit in range(4, dtype.bits):
        for form in FORMATS.values():
            step = 1 << max(bit - form.mantissa_bits, 1)
            for point in (0, 1, 2, (1 << form.mantissa_bits) - 1):
                tie = (1 << bit) + point * step + step // 2
                magnitudes |= {tie - 1, tie, tie + 1, tie + (1 << 20), *(tie + tail for tail in tails)}
    low, high = limits(dtype)
    signed = {*magnitudes, *(-magnitude for magnitude in magnitudes), low, low + 1, high}
    return np.array(sorted(value for value in signed if low <= value <= high)[::5], dtype.numpy)


def limits(dtype: DType) -> tuple[int, int]:
    """Return the range of an integer dtype, from its name."""
    signed, bits = dtype.name[0] == "i", int(dtype.name[1:])
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)


def boundary_doubles() -> NDArray[np.float64]:
    """Return f64 values at every exponent: around the ties of each format, by one ulp and by less than f32 can tell."""
    shapes = {0, 1, (1 << 52) - 1}
    for form in FORMATS.values():
        dropped = 52 - form.mantissa_bits
        for kept in (0, 1, (1 << form.mantissa_bits) - 1):
            for middle in (kept << dropped, (kept << dropped) + (1 << dropped >> 1)):
                shapes |= {near & ((1 << 52) - 1) for near in (middle - 1, middle, middle + 1, middle + (1 << 20))}
    # Subnormal results drop more bits.
    shapes |= {
        near & ((1 << 52) - 1) for bit in range(28, 52, 3) for near in ((1 << bit) - 1, 1 << bit, (1 << bit) + 1)
    }
    mantissa = np.array(sorted(shapes), np.uint64)
    exponent = np.arange(2048, dtype=np.uint64)[:, None] << np.uint64(52)
    bits = (exponent | mantissa).reshape(-1)
    sign = np.arange(bits.size, dtype=np.uint64) % np.uint64(2)  # there are oddly many shapes or odd ones next to even
    return (bits | (sign << np.uint64(63))).view(np.float64)


def random_values(dtype: DType, count: int, seed: int) -> NDArray[Any]:
    """Return values of a dtype of 32 or 64 bits with random bits; those of f32r and tf32 are on their grids."""
    bits = np.random.default_rng(seed).integers(0, 1 << dtype.bits, count, dtype=f"u{dtype.itemsize}")
    if dtype.name in ("f32r", "tf32"):
        bits &= np.uint32((1 << 32) - (1 << (23 - dtype.mantissa_bits)))
    return bits.view(dtype.numpy)


@cache
def boundary_values_of(dtype: DType) -> NDArray[Any]:
    """Return all values of a dtype of at most 16 bits, else those around every boundary."""
    if dtype.bits <= 16:
        return all_values(dtype)
    if dtype is f64:
        return boundary_doubles()
    if not dtype.is_float:
        return wide_integers(dtype)
    values = boundary_values()
    kept = np.uint32((1 << 32) - (1 << (23 - dtype.mantissa_bits)))
    return np.unique(values.view(np.uint32) & kept).view(np.float32) if dtype.mantissa_bits < 23 else values
