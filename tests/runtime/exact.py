"""Rounding done slowly and exactly, as the reference for the casts: from the definition of a float format, by hand.

Deliberately absent: anything of `runtime`, and ml_dtypes. A format is written down here once more; its values are
enumerated, and the nearest one is found by comparing exact numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Format:
    """A signed binary float with subnormals; `specials` says what the codes of the top exponent are."""

    exponent_bits: int
    mantissa_bits: int
    bias: int
    specials: Literal["infinity and nan", "nan", "none"]

    @property
    def finite_codes(self) -> int:
        """Number of codes of finite values without a sign, zero included; they are the first ones."""
        everything = 1 << (self.exponent_bits + self.mantissa_bits)
        return everything - {"infinity and nan": 1 << self.mantissa_bits, "nan": 1, "none": 0}[self.specials]


FORMATS = {
    "f32": Format(8, 23, 127, "infinity and nan"),
    "f32r": Format(8, 11, 127, "infinity and nan"),
    "tf32": Format(8, 10, 127, "infinity and nan"),
    "f16": Format(5, 10, 15, "infinity and nan"),
    "bf16": Format(8, 7, 127, "infinity and nan"),
    "f8e4m3": Format(4, 3, 7, "infinity and nan"),
    "f8e4m3fn": Format(4, 3, 7, "nan"),
    "f8e5m2": Format(5, 2, 15, "infinity and nan"),
    "f8e3m4": Format(3, 4, 3, "infinity and nan"),
    "f4e2m1": Format(2, 1, 1, "none"),
}


@cache
def grid(name: str) -> NDArray[np.float64]:
    """Return the values without a sign, by code, and after them the one that the next code would have."""
    form = FORMATS[name]
    code = np.arange(form.finite_codes + 1)
    exponent, mantissa = code >> form.mantissa_bits, code & ((1 << form.mantissa_bits) - 1)
    significand = np.where(exponent == 0, mantissa, mantissa + (1 << form.mantissa_bits)).astype(np.float64)
    values: NDArray[np.float64] = np.ldexp(significand, np.maximum(exponent, 1) - form.bias - form.mantissa_bits)
    return values


def nearest(values: NDArray[Any], name: str, *, saturate: bool = False) -> NDArray[np.float64]:
    """Return f64 values rounded to a format: of two equally near ones, that of the even code.

    Midpoints of all formats but f32 are exact in f64, and so is a comparison with them.
    """
    points, magnitude = grid(name), np.abs(values)
    midpoints = (points[:-1] + points[1:]) / 2
    code = np.searchsorted(midpoints, magnitude, side="left")  # NaN sorts last
    tie = magnitude == midpoints[np.minimum(code, len(midpoints) - 1)]
    code += tie & (code % 2 == 1)
    result = np.where(code == len(points) - 1, _beyond(name, saturate), points[code])
    result = np.where(np.isnan(values) & (FORMATS[name].specials != "none"), np.nan, result)
    signed: NDArray[np.float64] = np.copysign(result, values)
    return signed


def nearest_of_one(value: Fraction, name: str, *, saturate: bool = False) -> float:
    """Return an exact number rounded to a format, with integer arithmetic only."""
    form = FORMATS[name]
    magnitude = abs(value)
    numerator, denominator = magnitude.as_integer_ratio()
    exponent = numerator.bit_length() - denominator.bit_length()
    exponent = max(exponent - (magnitude < Fraction(2) ** exponent), 1 - form.bias)
    step = Fraction(2) ** (exponent - form.mantissa_bits)
    rounded = round(magnitude / step) * step  # Python rounds a Fraction half to even
    return math.copysign(_beyond(name, saturate) if rounded > largest(form) else float(rounded), value)


def largest(form: Format) -> float:
    """Return the largest finite value of a format."""
    code = form.finite_codes - 1
    mantissa = code & ((1 << form.mantissa_bits) - 1)
    return math.ldexp(
        mantissa + (1 << form.mantissa_bits), (code >> form.mantissa_bits) - form.bias - form.mantissa_bits
    )


def same(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where two f64 arrays are equal, zeros and NaNs of one sign included."""
    equal: NDArray[np.bool_] = ((a == b) | (np.isnan(a) & np.isnan(b))) & (np.signbit(a) == np.signbit(b))
    return equal


def boundary_values() -> NDArray[np.float32]:
    """Return f32 values at every exponent: the mantissas around each format's grid points and ties, in both signs."""
    shapes = {0, 1, 2, (1 << 23) - 1, (1 << 23) - 2}
    for form in FORMATS.values():
        dropped = 23 - form.mantissa_bits
        for kept in (0, 1, 2, (1 << form.mantissa_bits) - 2, (1 << form.mantissa_bits) - 1):
            point = max(kept, 0) << dropped
            tie = point + (1 << dropped >> 1)
            shapes |= {near & 0x7FFFFF for middle in (point, tie) for near in (middle - 1, middle, middle + 1)}
    # Subnormal results drop more bits: a tie at every position of the mantissa.
    shapes |= {near & 0x7FFFFF for bit in range(23) for near in ((1 << bit) - 1, 1 << bit, (1 << bit) + 1, 3 << bit)}
    mantissa = np.array(sorted(shapes), np.uint32)
    exponent = np.arange(256, dtype=np.uint32)[:, None] << np.uint32(23)
    positive = (exponent | mantissa).reshape(-1)
    return np.concatenate([positive, positive | np.uint32(1 << 31)]).view(np.float32)


def random_floats(count: int, seed: int) -> NDArray[np.float32]:
    """Return f32 values with random bits, NaNs and infinities among them."""
    return np.random.default_rng(seed).integers(0, 1 << 32, count, dtype=np.uint32).view(np.float32)


def _beyond(name: str, saturate: bool) -> float:
    """Return what a magnitude beyond the largest one becomes."""
    form = FORMATS[name]
    if saturate or form.specials == "none":
        return largest(form)
    return math.inf if form.specials == "infinity and nan" else math.nan
