"""Casts of arrays between dtypes: each element is rounded once, to the nearest value, ties to even.

Deliberately absent: flushing of subnormals, NaN payloads (a NaN keeps its sign and no more), and any rounding that
depends on the order of elements, but for the stochastic one that is asked for.

The rules, where a value has no exact image (`number_formats.md` has all of them, with examples and the formats):

- float to float: beyond the largest finite value to infinity, or to NaN in a type without infinities, or, with
  `saturate`, to the largest finite value. f4e2m1 has neither, so it always saturates.
- float to integer: to the nearest, ties to even, then clamped to the range. A front end whose language truncates
  applies `numpy.trunc` first.
- integer to integer: clamped. A front end whose language wraps uses numpy's `astype`.
- NaN to a type without NaN: by its sign, the largest or the lowest value (for an unsigned integer that is zero).
- anything to bool: whether it is not zero; NaN is not zero.
- to f8e8m0: a tie goes to the larger power of two; values below the smallest go to the smallest; zero and negative
  values, which have no image at all, become NaN.

numpy and ml_dtypes do the work wherever they round once. They round f64 and wide integers through f32, so a wide source
is first rounded to f32 *to odd*: the last bit then remembers that something was dropped, and the next rounding, to at
least two bits fewer, is exact (Boldo and Melquiond, "Emulation of a FMA and Correctly Rounded Sums", 2008).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.dtypes import (
    DTYPES,
    DType,
    bf16,
    f4e2m1,
    f8e3m4,
    f8e4m3,
    f8e4m3fn,
    f8e5m2,
    f8e8m0,
    f16,
    f32,
    f32r,
    f64,
    holds,
    i4,
    i8,
    tf32,
    u4,
)

Array = NDArray[Any]
Cast = Callable[[Array, DType, DType], Array]


@dataclass(frozen=True, slots=True)
class Rounding:
    """How a run rounds its results, where systems differ; without arguments to nearest even, overflow to infinity.

    `saturate`: a result of an 8-bit float that is beyond the range becomes the nearest finite value; see `cast_array`.
    The Neuron compiler's casts saturate, and its runtime does not unless NEURON_RT_DBG_FP8_SIS is set.

    `stochastic_seed`: roundings to floats narrower than f32 go up or down at random, beginning with this seed. Hardware
    does so, from trn1 on, where NEURON_RT_STOCHASTIC_ROUNDING_EN is 1, for results of f16, bf16, f8 and tf32. Which
    numbers it draws is not known: what agrees with it is the distribution. Numbers are drawn in the order of
    execution, for each rounded element one.

    Raises: TypeError, ValueError for a seed that is no non-negative integer, and for a `saturate` that is no bool.
    Source: AWS Neuron documentation, rounding modes; penguin, cast primitive.
    """

    saturate: bool = False
    stochastic_seed: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.saturate, bool):
            raise TypeError(f"saturate is True or False, not {self.saturate!r}")
        seed = self.stochastic_seed
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
            raise TypeError(f"stochastic_seed is an integer, or None for rounding to nearest, not {seed!r}")
        if seed is not None and seed < 0:
            raise ValueError(f"stochastic_seed is {seed}; a seed is not negative")

    def start(self) -> Cast:
        """Return `cast_array` with these choices; with a seed, its random numbers start anew."""
        random = None if self.stochastic_seed is None else np.random.default_rng(self.stochastic_seed)
        return partial(cast_array, saturate=self.saturate, stochastic=random)


TO_NEAREST = Rounding()


@cache
def natural_dtype(numpy_dtype: np.dtype[Any]) -> DType | None:
    """Return the dtype whose elements numpy holds as `numpy_dtype`: f32 where it could be f32r or tf32 too."""
    return next((dtype for dtype in DTYPES if dtype.numpy == numpy_dtype and dtype not in (f32r, tf32)), None)


def cast_array(
    array: Array,
    source: DType,
    target: DType,
    *,
    saturate: bool = False,
    stochastic: np.random.Generator | None = None,
) -> Array:
    """Return `array`, whose elements are of dtype `source`, cast to `target`.

    The result may be `array` itself where no bit changes. The module's docstring has the rules.

    `saturate` is for 8-bit float targets and has no effect on others: a value beyond the range, infinities included,
    becomes the nearest finite value (for f8e8m0, zero becomes the smallest one, too). The compiler's default is on, the
    runtime's is off, so a caller says which one it means.

    `stochastic` draws the direction of each rounding, up with the probability that the expected result is the exact
    value. It has an effect on float targets narrower than f32, f8e8m0 excepted; all others are rounded to nearest.

    Shapes: that of `array`.
    Dtypes: in `source.numpy`, out `target.numpy`.
    Source: penguin, cast primitive (float to integer, fp8); AWS Neuron documentation, rounding modes. A departure from
    the former: it sends every source through f32; here integers and f64 are rounded once.
    """
    assert array.dtype == source.numpy, f"an array of {source} has elements of {source.numpy}, not {array.dtype}"
    if source is target:
        return array
    if source is f32 and stochastic is None and (target is f16 or target is bf16):
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return array.astype(target.numpy)  # as below, in half the time for the small weights of a model
    if array.ndim == 0:  # numpy returns scalars for these, which cannot be assigned to
        return cast_array(array.reshape(1), source, target, saturate=saturate, stochastic=stochastic).reshape(())
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if target.is_bool:
            return array.astype(np.bool_)
        if source is i4 or source is u4:  # ml_dtypes before 0.6 casts these to numpy's types only
            array, source = array.astype(np.int8), i8
        if holds(target, source):
            return array.astype(target.numpy, copy=False)
        if target.is_float:
            return _to_float(array, source, target, saturate and target.bits == 8, stochastic)
        return _float_to_int(array, source, target) if source.is_float else _int_to_int(array, source, target)


def _to_float(
    array: Array, source: DType, target: DType, saturate: bool, stochastic: np.random.Generator | None
) -> Array:
    if target is f64 or target is f32:
        return array.astype(target.numpy)
    if stochastic is not None and target is not f8e8m0:
        array, source = _round_stochastically(_as_f64(array, source), target, stochastic), f64
    if not saturate and _is_rounded_once(source, target):
        return array.astype(target.numpy)
    wide = _as_f32(array, source)
    if saturate:
        wide = _clip(wide, target)
    if target is tf32 or target is f32r:
        return _drop_mantissa_bits(wide, f32.mantissa_bits - target.mantissa_bits)
    if target is f4e2m1:  # ml_dtypes turns NaN into a zero
        wide = np.where(np.isnan(wide), np.copysign(np.float32(target.largest), wide), wide)
    if target is f8e8m0:
        return _exponents(wide).view(target.numpy)
    return wide.astype(target.numpy)


def _is_rounded_once(source: DType, target: DType) -> bool:
    """Whether `astype` follows the rules on the direct way, which is up to 4 times as fast as the one over f32."""
    if source is f64:
        return target is f16
    return source in (f16, bf16) and target in (f16, bf16, f8e4m3, f8e4m3fn, f8e5m2, f8e3m4)


def _exponents(array: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return the bits of the nearest f8e8m0 values; ml_dtypes goes wrong between the two smallest."""
    bits = array.view(np.uint32)
    code = np.where(bits < 0x600000, 0, (bits + np.uint32(0x400000)) >> 23)  # below 1.5 * 2 ** -127, a subnormal: 0
    no_image = bits - np.uint32(1) >= 0x7F7FFFFF  # zero, infinity, NaN and whatever has a sign
    return np.where(no_image, 0xFF, code).astype(np.uint8)


def _as_f32(array: Array, source: DType) -> NDArray[np.float32]:
    """Return the elements in f32, rounded to odd where they do not fit."""
    if holds(f32, source):
        return array.astype(np.float32, copy=False)
    wide = _as_f64(array, source)
    narrow = wide.astype(np.float32)
    back = narrow.astype(np.float64)
    bits = narrow.view(np.uint32)
    bits -= (np.abs(back) > np.abs(wide)).astype(np.uint32)  # towards zero, infinity to the largest value
    bits |= back != wide  # a NaN stays one
    return narrow


def _as_f64(array: Array, source: DType) -> NDArray[np.float64]:
    """Return the elements in f64; a 64-bit integer that does not fit is rounded to odd, as in `_as_f32`."""
    if holds(f64, source):
        return array.astype(np.float64, copy=False)
    spare = 64 - f64.precision
    dropped = array & (2**spare - 1)
    sticky = (dropped != 0).astype(array.dtype) << spare
    fits = (array >= -(2**f64.precision)) & (array <= 2**f64.precision)
    return np.where(fits, array, (array - dropped) | sticky).astype(np.float64)


def _clip(wide: NDArray[np.float32], target: DType) -> NDArray[np.float32]:
    clipped = np.clip(wide, np.float32(target.lowest), np.float32(target.largest))
    return clipped if target.is_signed else np.where(wide < 0, np.float32(np.nan), clipped)


def _drop_mantissa_bits(wide: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """Return f32 values rounded to nearest even, the last `count` mantissa bits dropped; a carry may reach infinity."""
    bits = wide.view(np.uint32)
    half_below = np.uint32((1 << (count - 1)) - 1)
    rounded = bits + half_below + ((bits >> count) & 1)
    rounded &= np.uint32(0xFFFFFFFF - ((1 << count) - 1))
    nan = np.isnan(wide)
    rounded[nan] = (bits[nan] & np.uint32(0x80000000)) | np.uint32(0x7FC00000)
    return rounded.view(np.float32)


def _round_stochastically(wide: NDArray[np.float64], target: DType, random: np.random.Generator) -> NDArray[np.float64]:
    """Return values on the grid of `target` with its exponents unbounded above: overflow is seen later."""
    # The exponent as the bits of an f64 have it. By frexp and ldexp it all takes twice as long, 100 ns an element.
    exponent = (wide.view(np.int64) >> f64.mantissa_bits) & ((1 << f64.exponent_bits) - 1)
    np.maximum(exponent, f64.bias + int(np.frexp(target.smallest_normal)[1]) - 1, out=exponent)
    step = ((exponent - target.mantissa_bits) << f64.mantissa_bits).view(np.float64)  # the power of two with it
    steps = wide / step  # exact
    below = np.floor(steps)
    up = random.random(wide.shape) < steps - below
    return np.where(np.isfinite(wide), np.copysign((below + up) * step, wide), wide)


def _float_to_int(array: Array, source: DType, target: DType) -> Array:
    """Return floats rounded to nearest even and clamped; NaN is clamped by its sign."""
    exact = np.float32 if target.bits <= 16 and holds(f32, source) else np.float64  # f32 holds limits of 16 bits
    rounded = np.rint(array.astype(exact, copy=False))
    nan = np.isnan(rounded)
    if nan.any():
        rounded[nan] = np.copysign(np.inf, rounded[nan])
    if target.bits <= 32:
        fitting: Array = np.clip(rounded, exact(target.lowest), exact(target.largest))
        return (fitting.astype(np.int8) if target.bits < 8 else fitting).astype(target.numpy)
    too_high = rounded >= float(target.largest)  # which is the next power of two
    too_low = rounded < float(target.lowest)
    result = np.where(too_high | too_low, 0.0, rounded).astype(target.numpy)
    result[too_high] = target.largest
    result[too_low] = target.lowest
    return result


def _int_to_int(array: Array, source: DType, target: DType) -> Array:
    low, high = max(source.lowest, target.lowest), min(source.largest, target.largest)
    clamped: Array = np.clip(array, array.dtype.type(low), array.dtype.type(high))
    return clamped.astype(target.numpy)
