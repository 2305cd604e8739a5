"""Every cast from every dtype to every other one, bit by bit, against integer arithmetic and against ml_dtypes.

All values of dtypes of at most 16 bits; of wider ones those around every boundary of every format, and random bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from runtime.dtypes import DTYPES, DType, bool_, dtype_of, f4e2m1, f8e8m0, f32, f32r, f64, i32, tf32, u32
from runtime.rounding import cast_array
from tests.runtime.bit_reference import (
    Codes,
    Numbers,
    format_of,
    is_nan,
    numbers_of_floats,
    numbers_of_integers,
    numbers_of_powers,
    round_to_float,
    round_to_integer,
    round_to_power,
)
from tests.runtime.sample_values import boundary_values_of, random_values

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of numpy in the references

WIDE = [dtype for dtype in DTYPES if dtype.bits > 16]
NARROW = [dtype for dtype in DTYPES if dtype.bits <= 16]
FP8 = [dtype for dtype in DTYPES if dtype.is_float and dtype.bits == 8]
IN_ML_DTYPES = [dtype for dtype in DTYPES if dtype not in (f32r, tf32)]


@pytest.mark.parametrize("source", DTYPES, ids=str)
def test_every_cast_agrees_with_integer_arithmetic(source: DType) -> None:
    check_all_targets(boundary_values_of(source), source)


@pytest.mark.parametrize("source", DTYPES, ids=str)
def test_every_saturating_cast_agrees_with_integer_arithmetic(source: DType) -> None:
    array = boundary_values_of(source)
    numbers = numbers_of(array, source)
    for target in FP8:
        if target is not source:  # from a dtype to itself nothing is rounded, and an infinity stays one
            check(array, numbers, source, target, saturate=True)


@pytest.mark.parametrize("source", WIDE, ids=str)
def test_random_bits_agree_with_integer_arithmetic(source: DType) -> None:
    check_all_targets(random_values(source, 20_000, seed=20), source)


@pytest.mark.long
@pytest.mark.first
@pytest.mark.parametrize("source", [f32, i32, u32], ids=str)
def test_ten_million_random_bits_agree_with_integer_arithmetic_and_ml_dtypes(source: DType) -> None:
    """From integers to floats only: clamping has its own test."""
    targets = [target for target in DTYPES if source.is_float or target.is_float]
    for seed in range(200):
        array = random_values(source, 50_000, seed=100 + seed)  # small enough for a cache
        numbers = numbers_of(array, source)
        for target in targets:
            check(array, numbers, source, target)
            if target in IN_ML_DTYPES:
                check_against_ml_dtypes(array, source, target)


@pytest.mark.parametrize("target", IN_ML_DTYPES, ids=str)
@pytest.mark.parametrize("source", [dtype for dtype in NARROW if dtype in IN_ML_DTYPES], ids=str)
def test_all_narrow_values_agree_with_ml_dtypes(source: DType, target: DType) -> None:
    check_against_ml_dtypes(boundary_values_of(source), source, target)


@pytest.mark.parametrize("target", IN_ML_DTYPES, ids=str)
@pytest.mark.parametrize("source", [f64, f32], ids=str)
def test_wide_floats_at_every_boundary_agree_with_ml_dtypes(source: DType, target: DType) -> None:
    check_against_ml_dtypes(boundary_values_of(source), source, target)


JUST = 2.0**-40  # less than f32 can tell from nothing beside 1


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        # Just beside a tie: rounded to f32 first it is the tie, which goes to the even neighbour, on the other side.
        ("bf16", 1 + 2.0**-8 + JUST, 1 + 2.0**-7),
        ("bf16", 1 + 3 * 2.0**-8 - JUST, 1 + 2.0**-7),
        ("f16", 1 + 2.0**-11 + JUST, 1 + 2.0**-10),
        ("f16", 1 + 3 * 2.0**-11 - JUST, 1 + 2.0**-10),
        ("tf32", 1 + 2.0**-11 + JUST, 1 + 2.0**-10),
        ("f32r", 1 + 2.0**-12 + JUST, 1 + 2.0**-11),
        ("f8e4m3", 1 + 2.0**-4 + JUST, 1.125),
        ("f8e4m3fn", 1 + 2.0**-4 + JUST, 1.125),
        ("f8e5m2", 1 + 2.0**-3 + JUST, 1.25),
        ("f8e3m4", 1 + 2.0**-5 + JUST, 1.0625),
        ("f4e2m1", 1.25 + JUST, 1.5),
        ("f8e8m0", 1.5 - JUST, 1.0),
        # Just below or above half a step beyond the largest value.
        ("f16", 65520 - 2.0**-20, 65504.0),
        ("bf16", (2 - 2.0**-8) * 2.0**127 * (1 - JUST), (2 - 2.0**-7) * 2.0**127),
        ("f8e4m3", 248 - 2.0**-30, 240.0),
        ("f8e4m3fn", 464 + 2.0**-30, float("nan")),
        ("f8e5m2", 61440 - 2.0**-20, 57344.0),
        ("f8e3m4", 15.75 - JUST, 15.5),
        # Just above half of the smallest subnormal.
        ("f32", 2.0**-150 + 2.0**-200, 2.0**-149),
        ("bf16", 2.0**-134 + 2.0**-180, 2.0**-133),
        ("tf32", 2.0**-137 + 2.0**-180, 2.0**-136),
        ("f16", 2.0**-25 + 2.0**-60, 2.0**-24),
        ("f8e4m3", 2.0**-10 + 2.0**-45, 2.0**-9),
        ("f8e5m2", 2.0**-17 + 2.0**-50, 2.0**-16),
        ("f4e2m1", 0.25 + JUST, 0.5),
        # An f32 subnormal that is a tie of bf16, and one that only looks like it in f32.
        ("bf16", 2.0**-127 + 2.0**-134, 2.0**-127),
        ("bf16", 2.0**-127 + 2.0**-134 + 2.0**-170, 2.0**-127 + 2.0**-133),
    ],
)
def test_f64_is_rounded_once(name: str, value: float, expected: float) -> None:
    signs = (1, -1) if name != "f8e8m0" else (1,)
    array = np.array([sign * value for sign in signs])
    result = cast_array(array, f64, dtype_of(name)).astype(np.float64)
    np.testing.assert_array_equal(result, [sign * expected for sign in signs])


@pytest.mark.parametrize(
    ("source", "name", "value", "expected"),
    [
        ("i32", "bf16", 2**30 + 2**22 + 1, 2**30 + 2**23),
        ("u32", "bf16", 2**31 + 2**23 + 1, 2**31 + 2**24),
        ("i64", "bf16", 2**40 + 2**32 + 1, 2**40 + 2**33),
        ("i64", "f32", 2**60 + 2**36 + 1, 2**60 + 2**37),  # through f64, a tie
        ("i64", "bf16", 2**62 + 2**54 + 1, 2**62 + 2**55),
        ("u64", "tf32", 2**63 + 2**52 + 1, 2**63 + 2**53),
        ("u64", "f64", 2**63 + 2**10 + 1, 2**63 + 2**11),
        ("i32", "f16", 65519, 65504),
        ("i32", "f16", 65520, float("inf")),
    ],
)
def test_an_integer_is_rounded_once(source: str, name: str, value: int, expected: float) -> None:
    array = np.array([value], dtype_of(source).numpy)
    assert cast_array(array, dtype_of(source), dtype_of(name)).astype(np.float64).tolist() == [expected]


def test_the_accelerators_e4m3_is_that_of_ml_dtypes_and_not_e4m3fn() -> None:
    """Largest 240, code 0x78 infinity, 0x79 to 0x7F NaN; in e4m3fn the first seven of these are numbers up to 448."""
    codes = np.arange(0x76, 0x80, dtype=np.uint8)
    values = codes.view(dtype_of("f8e4m3").numpy).astype(np.float64)
    assert values[:3].tolist() == [224, 240, np.inf] and np.isnan(values[3:]).all()
    values = codes.view(dtype_of("f8e4m3fn").numpy).astype(np.float64)
    assert values[:-1].tolist() == [224, 240, 256, 288, 320, 352, 384, 416, 448] and np.isnan(values[-1])


def check_all_targets(array: NDArray[Any], source: DType) -> None:
    numbers = numbers_of(array, source)
    for target in DTYPES:
        check(array, numbers, source, target)


def check(array: NDArray[Any], numbers: Numbers, source: DType, target: DType, *, saturate: bool = False) -> None:
    """Compare a cast with the reference, code by code; of a NaN, only the sign counts."""
    result = cast_array(array, source, target, saturate=saturate)
    assert result.dtype == target.numpy and result.shape == array.shape
    found, expected = codes_of(result, target), expected_codes(numbers, target, saturate)
    wrong = found != expected
    if target.is_float and target is not f8e8m0 and wrong.any():
        form = format_of(target.name)
        sign = np.uint64(form.exponent_bits + form.mantissa_bits)
        wrong &= ~(is_nan(found, form) & is_nan(expected, form) & (found >> sign == expected >> sign))
    shown = [(array[at], hex(found[at]), hex(expected[at])) for at in np.flatnonzero(wrong)[:5]]
    assert not wrong.any(), f"{source} to {target}: {wrong.sum()} values, first (value, found, expected): {shown}"


def expected_codes(numbers: Numbers, target: DType, saturate: bool) -> Codes:
    if target is bool_:
        truth: Codes = ((numbers.integer != 0) | numbers.infinite | numbers.nan).astype(np.uint64)
        return truth
    if target is f8e8m0:
        return round_to_power(numbers, saturate=saturate)
    if target.is_float:
        return round_to_float(numbers, format_of(target.name), saturate=saturate)
    return round_to_integer(numbers, int(target.name[1:]), signed=target.name[0] == "i")


def numbers_of(array: NDArray[Any], dtype: DType) -> Numbers:
    if not dtype.is_float:
        return numbers_of_integers(array.astype(np.int8) if dtype.bits == 4 else array)
    codes = codes_of(array, dtype)
    return numbers_of_powers(codes) if dtype is f8e8m0 else numbers_of_floats(codes, format_of(dtype.name))


def codes_of(array: NDArray[Any], dtype: DType) -> Codes:
    """Return the bits of floats, in the width of their format; integers modulo 2 ** 64."""
    if not dtype.is_float:
        narrow: NDArray[Any] = array.astype(np.int8) if dtype.bits == 4 else array
        return narrow if narrow.dtype == np.uint64 else narrow.astype(np.int64).view(np.uint64)
    codes: Codes = array.view(f"u{array.itemsize}").astype(np.uint64)
    if dtype.name in ("f32r", "tf32"):
        dropped = np.uint64(23 - format_of(dtype.name).mantissa_bits)
        assert not (codes & ((np.uint64(1) << dropped) - np.uint64(1))).any(), f"not on the grid of {dtype}"
        return codes >> dropped
    return codes


def check_against_ml_dtypes(array: NDArray[Any], source: DType, target: DType) -> None:
    """Compare a cast with `astype` wherever that is meant to give the same; the page on number formats has the rest."""
    result = cast_array(array, source, target)
    wide: NDArray[Any] = array
    if source.is_float and source is not f64 and (target.is_int or f8e8m0 in (source, target)):
        wide = array.astype(np.float32)  # some casts from and to f8e8m0 are missing
    elif source.is_int and source.bits == 4:
        wide = array.astype(np.int8)
    same = np.ones(array.shape, np.bool_)
    if target.is_float and source.bits > 24 and source is not f32 and not (source is f64 and target.bits >= 32):
        wide, same = wide.astype(np.float32), wide.astype(np.float32).astype(wide.dtype) == wide  # else twice rounded
    if target.is_int:
        # It drops fractions, wraps integers, and leaves what is beyond the range of integers to the machine.
        exact = np.rint(wide) if source.is_float else wide
        same = (exact >= float(target.lowest)) & (exact <= np.nextafter(float(target.largest) + 1, 0))
        wide = np.where(same, exact, exact.dtype.type(0))
    if target is f4e2m1:
        same &= ~np.isnan(wide)  # it makes them zero
    if target is f8e8m0:
        same &= ~((wide > 2.0**-127) & (wide < 2.0**-126))  # it takes the farther neighbour of some
    expected = wide.astype(target.numpy)
    if (result.view(f"u{result.itemsize}") == expected.view(f"u{result.itemsize}")).all():
        return
    found, wanted = (each.astype(np.float64) if target.bits < 64 else each for each in (result, expected))
    equal = (found == wanted) | ((found != found) & (wanted != wanted))
    if target.is_float:
        equal &= np.signbit(found) == np.signbit(wanted)
    wrong = same & ~equal
    shown = [(array[at], found[at], wanted[at]) for at in np.flatnonzero(wrong)[:5]]
    assert not wrong.any(), f"{source} to {target}: {wrong.sum()} values, first (value, ours, theirs): {shown}"
