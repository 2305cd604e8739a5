"""Casts done on the bits of a value, with integers only: the reference for every pair of dtypes, as fast as numpy is.

A number is a sign, an integer and a power of two: `(-1) ** sign * integer * 2 ** power`. A format of `exact.py` says
what bits stand for which number. The code of a rounded one is found by dividing the integer by the step of the format.

Deliberately absent: anything of `runtime`, ml_dtypes, and floating-point arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.runtime.exact import FORMATS, Format

Codes = NDArray[np.uint64]
F64 = Format(11, 52, 1023, "infinity and nan")
TOP = 63  # the place of the leading bit of a normalised integer


def format_of(name: str) -> Format:
    """Return the format of a float dtype but f8e8m0."""
    return F64 if name == "f64" else FORMATS[name]


@dataclass(frozen=True)
class Numbers:
    """Values taken apart; `integer` is zero or has its leading bit at `TOP`, which stands for `2 ** exponent`."""

    sign: Codes
    integer: Codes
    exponent: NDArray[np.int64]
    infinite: NDArray[np.bool_]
    nan: NDArray[np.bool_]


def numbers_of_floats(codes: Codes, form: Format) -> Numbers:
    """Take the codes of a float format apart."""
    width = form.exponent_bits + form.mantissa_bits
    sign, magnitude = codes >> _u(width), codes & _u((1 << width) - 1)
    field, mantissa = magnitude >> _u(form.mantissa_bits), magnitude & _u((1 << form.mantissa_bits) - 1)
    integer = mantissa | (np.minimum(field, _u(1)) << _u(form.mantissa_bits))
    power = np.maximum(field, _u(1)).astype(np.int64) - form.bias - form.mantissa_bits
    infinite = (magnitude == form.finite_codes) & (form.specials == "infinity and nan")
    return _normalised(sign, integer, power, infinite, (magnitude >= form.finite_codes) & ~infinite)


def numbers_of_powers(codes: Codes) -> Numbers:
    """Take the codes of f8e8m0 apart: a power of two each, the last one NaN."""
    power = codes.astype(np.int64) - 127
    return _normalised(np.zeros_like(codes), np.ones_like(codes), power, np.zeros(codes.shape, np.bool_), codes == 255)


def numbers_of_integers(array: NDArray[Any]) -> Numbers:
    """Take integers apart, or bools."""
    negative = array < 0
    bits = array.astype(np.int64).view(np.uint64) if array.dtype != np.uint64 else array
    magnitude = np.where(negative, ~bits + _u(1), bits)
    no = np.zeros(array.shape, np.bool_)
    return _normalised(negative.astype(np.uint64), magnitude, np.zeros(array.shape, np.int64), no, no)


def round_to_float(numbers: Numbers, form: Format, *, saturate: bool = False) -> Codes:
    """Return the codes of the nearest values of a format, of two equally near ones the even code."""
    step = np.maximum(numbers.exponent, 1 - form.bias)  # the exponent that decides how fine the format is there
    code = _divided(numbers.integer, TOP - form.mantissa_bits + step - numbers.exponent)
    # The steps of one exponent follow those of the one below, and a subnormal has the step of the smallest normal.
    code += (step + form.bias - 1).astype(np.uint64) << _u(form.mantissa_bits)
    code[numbers.integer == 0] = 0
    last = _u(form.finite_codes - 1)
    beyond = last if saturate or form.specials == "none" else last + _u(1)  # the infinity, or else the NaN
    code[(code > last) | numbers.infinite] = beyond
    nan = {"infinity and nan": last + _u(1 + (1 << form.mantissa_bits >> 1)), "nan": last + _u(1), "none": last}
    code[numbers.nan] = nan[form.specials]
    return code | (numbers.sign << _u(form.exponent_bits + form.mantissa_bits))


def round_to_power(numbers: Numbers, *, saturate: bool = False) -> Codes:
    """Return the codes of the nearest powers of two, of two equally near ones the larger; 255 where there is none."""
    code = numbers.exponent + 127 + (numbers.integer >= _u(3 << (TOP - 1)))
    code = np.maximum(code, 0)
    code[(code > 254) | numbers.infinite] = 254 if saturate else 255
    code[numbers.integer == 0] = 0 if saturate else 255
    negative = (numbers.sign == 1) & (numbers.integer != 0)
    code[numbers.nan | negative | ((numbers.sign == 1) & numbers.infinite)] = 255
    return code.astype(np.uint64)


def round_to_integer(numbers: Numbers, bits: int, *, signed: bool) -> Codes:
    """Return the nearest integers, half to even, clamped, NaN by its sign; as they are modulo 2 ** 64."""
    exponent = numbers.exponent
    magnitude = _divided(numbers.integer, TOP - exponent)
    beyond = ((exponent > TOP) & (numbers.integer != 0)) | numbers.infinite | numbers.nan
    magnitude[beyond] = np.iinfo(np.uint64).max
    high = _u((1 << (bits - signed)) - 1)
    low = _u(1 << (bits - 1)) if signed else _u(0)
    return np.where(numbers.sign == 1, ~np.minimum(magnitude, low) + _u(1), np.minimum(magnitude, high))


def is_nan(codes: Codes, form: Format) -> NDArray[np.bool_]:
    """Return which codes of a float format are NaN."""
    width = form.exponent_bits + form.mantissa_bits
    magnitude = codes & _u((1 << width) - 1)
    return magnitude >= form.finite_codes + (form.specials == "infinity and nan")


def _divided(integer: Codes, places: NDArray[np.int64]) -> Codes:
    """Return normalised `integer / 2 ** places`, rounded to the nearest integer, half to even; at least 0 places."""
    one = _u(1)
    shift = np.clip(places, 0, 63).astype(np.uint64)
    quotient, rest = integer >> shift, integer & ((one << shift) - one)
    half = (one << shift) >> one
    up = (rest > half) | ((rest == half) & (quotient & one == one) & (places > 0))
    below_one = np.where(places == 64, integer > one << _u(63), False).astype(np.uint64)  # from a half up, but for it
    return np.where(places > 63, below_one, quotient + up.astype(np.uint64))


def _normalised(
    sign: Codes, integer: Codes, power: NDArray[np.int64], infinite: NDArray[np.bool_], nan: NDArray[np.bool_]
) -> Numbers:
    """Move leading bits to `TOP`."""
    shift = np.zeros_like(integer)
    for width in (32, 16, 8, 4, 2, 1):
        places = np.where(integer >> _u(TOP + 1 - width) == 0, _u(width), _u(0))
        integer, shift = integer << places, shift + places
    assert (integer[integer != 0] >> _u(TOP) == 1).all()
    return Numbers(sign, integer, power + TOP - shift.astype(np.int64), infinite, nan)


def _u(value: int) -> np.uint64:
    return np.uint64(value)
