"""Casts round once, to nearest even, from every dtype to every other.

Three references, none of which is the code under test: ml_dtypes and numpy where they are known to round once, the
enumerated formats of `exact.py`, and exact fractions.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from runtime.dtypes import DTYPES, DType, bool_, dtype_of, f4e2m1, f8e8m0, f16, f32, f32r, f64, i64, tf32, u64
from runtime.rounding import cast_array
from tests.runtime.exact import FORMATS, boundary_values, grid, nearest, nearest_of_one, random_floats, same
from tests.runtime.sample_values import all_values, limits, wide_integers

# Of numpy in the references, about signalling NaNs and overflow; that the code is silent has a test of its own.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

NARROW = [dtype for dtype in DTYPES if dtype.bits <= 16]
NARROW_FLOATS = [dtype for dtype in NARROW if dtype.is_float]
INTEGERS = [dtype for dtype in DTYPES if dtype.is_int]
FP8 = ("f8e4m3", "f8e4m3fn", "f8e5m2", "f8e3m4")


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("f32", "f32r", "tf32")])
def test_the_reference_knows_the_values_of_a_format(name: str) -> None:
    dtype = dtype_of(name)
    points = grid(name)[:-1]
    codes = np.arange(len(points), dtype=f"u{dtype.itemsize}")
    assert (as_f64(codes.view(dtype.numpy)) == points).all()


@pytest.mark.parametrize("target", [dtype for dtype in DTYPES if dtype.is_float], ids=str)
@pytest.mark.parametrize("source", NARROW, ids=str)
def test_narrow_to_float_agrees_with_ml_dtypes(source: DType, target: DType) -> None:
    array = all_values(source)
    wide = array.astype(np.float32)  # exact; from f32, ml_dtypes and numpy round once
    if target is f4e2m1:  # ml_dtypes turns NaN into a zero; here it goes to the end of the range
        wide = np.where(np.isnan(wide), np.copysign(np.float32(6), wide), wide)
    expected = nearest(wide, target.name) if target in (tf32, f32r) else as_f64(wide.astype(target.numpy))
    if target is f8e8m0:  # ml_dtypes goes wrong between its two smallest values, which f32 and bf16 hold as subnormals
        between = (wide > 0) & (wide < 2.0**-126)
        expected[between] = np.where(wide[between] < 1.5 * 2.0**-127, 2.0**-127, 2.0**-126)
    result = cast_array(array, source, target)
    assert result.dtype == target.numpy
    assert_same(as_f64(result), expected, array)


@pytest.mark.parametrize("target", INTEGERS, ids=str)
@pytest.mark.parametrize("source", NARROW_FLOATS, ids=str)
def test_narrow_float_to_integer(source: DType, target: DType) -> None:
    array = all_values(source)
    assert_integers(cast_array(array, source, target), [integer_of(value, target) for value in as_f64(array).tolist()])


@pytest.mark.parametrize("target", INTEGERS, ids=str)
@pytest.mark.parametrize("source", [dtype for dtype in DTYPES if not dtype.is_float], ids=str)
def test_integer_to_integer_clamps(source: DType, target: DType) -> None:
    array = all_values(source) if source.bits <= 16 else wide_integers(source)
    low, high = limits(target)
    assert_integers(cast_array(array, source, target), [min(max(int(value), low), high) for value in array])


@pytest.mark.parametrize("source", DTYPES, ids=str)
def test_bool_is_whether_a_value_is_not_zero(source: DType) -> None:
    array = all_values(source) if source.bits <= 16 else np.array([0, 1, 7, 0], source.numpy)
    assert (cast_array(array, source, bool_) == (as_f64(array) != 0)).all()


@pytest.mark.parametrize("saturate", [False, True])
@pytest.mark.parametrize("name", [name for name in FORMATS if name != "f32"])
def test_f32_at_every_boundary_and_at_random(name: str, saturate: bool) -> None:
    check_f32(np.concatenate([boundary_values(), random_floats(200_000, seed=1)]), name, saturate)


def check_f32(array: NDArray[np.float32], name: str, saturate: bool) -> None:
    expected = nearest(array.astype(np.float64), name, saturate=saturate and name in FP8)
    assert_same(as_f64(cast_array(array, f32, dtype_of(name), saturate=saturate)), expected, array)


@pytest.mark.parametrize(("target", "dropped"), [(tf32, 13), (f32r, 12)], ids=str)
def test_rounded_f32_bit_by_bit(target: DType, dropped: int) -> None:
    """At every point of the grid, every tie, and their neighbours: 3 or 6 million bit patterns."""
    points = np.arange(1 << (32 - dropped), dtype=np.uint32) << np.uint32(dropped)
    half = 1 << (dropped - 1)
    for offset in (0, 1, half - 1, half, half + 1, (1 << dropped) - 1):
        bits = points + np.uint32(offset)
        array = bits.view(np.float32)
        keep, rest = bits >> np.uint32(dropped), bits & np.uint32((1 << dropped) - 1)
        up = (rest > half) | ((rest == half) & (keep % 2 == 1))
        expected = ((keep + up) << np.uint32(dropped)).astype(np.uint32)
        result = cast_array(array, f32, target)
        number = ~np.isnan(array)
        assert (result.view(np.uint32)[number] == expected[number]).all()
        assert np.isnan(result[~number]).all()
        assert (result.view(np.uint32) & np.uint32((1 << dropped) - 1) == 0).all()


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "f32"])
def test_f64_rounds_once(name: str) -> None:
    """Ties of the format, moved by less than f32 can tell: rounded to f32 first, they would be ties again."""
    points = grid(name)
    ties = (points[:-1] + points[1:]) / 2
    ties = ties[:: max(1, len(ties) // 20_000)]
    near = np.concatenate([ties, ties * (1 + 2.0**-40), ties * (1 - 2.0**-40), np.nextafter(ties, 0), points])
    array = np.concatenate([near, -near, [1e300, -1e300, 1e-300, 5e-324, 0.0, -0.0, math.inf, math.nan, -math.nan]])
    assert_same(as_f64(cast_array(array, f64, dtype_of(name))), nearest(array, name), array)


def test_f64_to_f32_rounds_once() -> None:
    random = random_floats(3_000, seed=2).astype(np.float64)
    finite = random[np.isfinite(random)]
    step = np.spacing(np.abs(finite.astype(np.float32))).astype(np.float64)
    array = np.concatenate(
        [finite, finite + step / 2, finite + step * (0.5 + 2.0**-20), finite + step * (0.5 - 2.0**-20)]
    )
    expected = np.array([nearest_of_one(Fraction(value), "f32") for value in array.tolist()])
    assert_same(as_f64(cast_array(array, f64, f32)), expected, array)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("source", [dtype for dtype in INTEGERS if dtype.bits >= 16], ids=str)
def test_integer_to_float_rounds_once(source: DType, name: str) -> None:
    array = wide_integers(source)
    expected = np.array([nearest_of_one(Fraction(int(value)), name) for value in array])
    assert_same(as_f64(cast_array(array, source, dtype_of(name))), expected, array)


@pytest.mark.parametrize("source", [i64, u64], ids=str)
def test_64_bit_integer_to_f64_rounds_once(source: DType) -> None:
    array = wide_integers(source)
    assert cast_array(array, source, f64).tolist() == [float(int(value)) for value in array]


@pytest.mark.parametrize("target", INTEGERS, ids=str)
@pytest.mark.parametrize("source", [f64, f32, f32r, tf32], ids=str)
def test_wide_float_to_integer(source: DType, target: DType) -> None:
    low, high = limits(target)
    edges = [
        float(edge + near) for edge in (low, high, 0) for near in (-1.5, -1, -0.5, -0.25, 0, 0.25, 0.5, 1, 1.5, 2.5)
    ]
    random = np.random.default_rng(3).standard_normal(2_000) * 2.0 ** np.random.default_rng(4).integers(-3, 66, 2_000)
    values = [*edges, *random.tolist(), math.inf, -math.inf, math.nan, -math.nan, 0.0, -0.0, 1e30, -1e30, 5e-324]
    array = cast_array(np.array(values), f64, source)
    expected = [integer_of(value, target) for value in as_f64(array).tolist()]
    assert_integers(cast_array(array, source, target), expected)


def test_nan_goes_to_an_end_of_the_integer_range_by_its_sign() -> None:
    array = np.array([math.nan, -math.nan], np.float32)
    for name, high, low in (("i8", 127, -128), ("i64", 2**63 - 1, -(2**63)), ("u8", 255, 0), ("u64", 2**64 - 1, 0)):
        assert cast_array(array, f32, dtype_of(name)).tolist() == [high, low]
    assert cast_array(array, f32, f4e2m1).astype(np.float32).tolist() == [6, -6]


@pytest.mark.parametrize(
    ("name", "largest", "beyond"),
    [("f8e4m3", 240, math.inf), ("f8e4m3fn", 448, math.nan), ("f8e5m2", 57344, math.inf), ("f8e3m4", 15.5, math.inf)],
)
def test_fp8_saturates_only_when_told_to(name: str, largest: float, beyond: float) -> None:
    dtype = dtype_of(name)
    array = np.array([largest, largest * 1.01, largest * 2, 1e30, math.inf, -math.inf, math.nan], np.float32)
    as_told = [largest, largest, largest, largest, largest, -largest, math.nan]
    assert_same(as_f64(cast_array(array, f32, dtype, saturate=True)), np.array(as_told), array)
    otherwise = [largest, largest, beyond, beyond, beyond, -beyond, math.nan]
    assert_same(as_f64(cast_array(array, f32, dtype, saturate=False)), np.array(otherwise), array)


def test_saturation_comes_after_rounding() -> None:
    """Between 464 and 512, a test of the exponent alone lets e4m3fn carry into its NaN."""
    array = np.array([448, 463.9, 464, 464.1, 479, 480, 511, 512], np.float32)
    assert (as_f64(cast_array(array, f32, dtype_of("f8e4m3fn"), saturate=True)) == 448).all()


def test_wider_floats_do_not_saturate() -> None:
    array = np.array([1e30, math.inf], np.float32)
    assert cast_array(array, f32, f16, saturate=True).tolist() == [math.inf, math.inf]


@pytest.mark.parametrize("target", DTYPES, ids=str)
def test_a_cast_is_silent_whatever_it_loses(target: DType) -> None:
    signalling_nan = 0x7FA00000
    bits = np.array([signalling_nan, 0x7FC00000, 0x7F800000, 0xFF7FFFFF, 1, 0x3F800001], np.uint32)
    with np.errstate(all="raise"):
        cast_array(bits.view(np.float32), f32, target)
        cast_array(np.array([1e300, 5e-324, math.nan, math.inf]), f64, target)
        cast_array(np.array([2**64 - 1], np.uint64), u64, target)


def test_f8e8m0_takes_the_nearest_power_of_two() -> None:
    values = [1, 1.25, 1.4999, 1.5, 1.75, 3, 0.75, 2.0**127, 1.49 * 2.0**127, 2.0**-127, 2.0**-140]
    values += [1.01 * 2.0**-127, 1.4999 * 2.0**-127, 1.5 * 2.0**-127, 2.0**-126]
    expected = [1, 1, 1, 2, 2, 4, 1, 2.0**127, 2.0**127, 2.0**-127, 2.0**-127]
    expected += [2.0**-127, 2.0**-127, 2.0**-126, 2.0**-126]
    assert as_f64(cast_array(np.array(values), f64, f8e8m0)).tolist() == expected
    without_image = np.array([0, -0.0, -1, math.inf, -math.inf, math.nan, 1.5 * 2.0**127])
    assert np.isnan(as_f64(cast_array(without_image, f64, f8e8m0))).all()
    saturated = as_f64(cast_array(np.array([0, 2.0**-140, 1e300, math.inf]), f64, f8e8m0, saturate=True))
    assert saturated.tolist() == [2.0**-127, 2.0**-127, 2.0**127, 2.0**127]
    assert np.isnan(as_f64(cast_array(np.array([-1, math.nan]), f64, f8e8m0, saturate=True))).all()


STOCHASTIC = ["tf32", "f32r", "f16", "bf16", *FP8, "f4e2m1"]


@pytest.mark.parametrize("name", STOCHASTIC)
def test_stochastic_rounding_takes_a_neighbour_and_is_right_on_average(name: str) -> None:
    points = grid(name)[:-1]
    points = points[:: max(1, len(points) // 200)]
    following = np.array([grid(name)[np.searchsorted(grid(name), point) + 1] for point in points])[:-1]
    points, draws = points[:-1], 4_000
    for fraction in (0.0, 0.125, 0.5, 0.75):
        exact = points + (following - points) * fraction
        array = np.tile(np.concatenate([exact, -exact]), (draws, 1))
        result = as_f64(cast_array(array, f64, dtype_of(name), stochastic=np.random.default_rng(5)))
        low, high = np.concatenate([points, -points]), np.concatenate([following, -following])
        went_up = result == high
        assert (went_up | (result == low)).all()
        # The mean of 200 or so independent columns; 6 standard deviations of all the draws together.
        deviation = math.sqrt(fraction * (1 - fraction) / went_up.size)
        assert abs(went_up.mean() - fraction) <= 6 * deviation
        assert np.abs(went_up.mean(axis=0) - fraction).max() <= 6 * math.sqrt(fraction * (1 - fraction) / draws)


@pytest.mark.parametrize("name", STOCHASTIC)
def test_stochastic_rounding_of_special_values(name: str) -> None:
    dtype, array = dtype_of(name), np.array([0.0, -0.0, math.inf, -math.inf, math.nan, 1e30, -1e38], np.float32)
    array = array[: 5 if dtype.exponent_bits == 8 else None]
    result = cast_array(array, f32, dtype, stochastic=np.random.default_rng(6))
    assert_same(as_f64(result), nearest(array.astype(np.float64), name), array)


def test_stochastic_rounding_repeats_with_its_seed_and_leaves_other_targets_alone() -> None:
    array = random_floats(1_000, seed=7)
    first, second = (cast_array(array, f32, f16, stochastic=np.random.default_rng(8)) for _ in range(2))
    assert first.tobytes() == second.tobytes() != cast_array(array, f32, f16).tobytes()
    for target in (f64, f8e8m0, bool_, *INTEGERS):
        random = np.random.default_rng(9)
        assert cast_array(array, f32, target, stochastic=random).tobytes() == cast_array(array, f32, target).tobytes()
        assert random.random() == np.random.default_rng(9).random(), "a number was drawn for nothing"


@pytest.mark.parametrize("target", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 0, 3), (3, 4)])
def test_shapes_are_kept(shape: tuple[int, ...], target: DType) -> None:
    for source in (f64, f32, i64, f8e8m0, f4e2m1):
        result = cast_array(np.ones(shape, source.numpy), source, target, stochastic=np.random.default_rng(0))
        assert isinstance(result, np.ndarray) and result.shape == shape and result.dtype == target.numpy
        assert (as_f64(result) == 1).all()


@pytest.mark.parametrize("target", DTYPES, ids=str)
def test_layout_does_not_matter_and_the_source_stays_as_it_is(target: DType) -> None:
    array = random_floats(600, seed=10).reshape(20, 30)
    before = array.tobytes()
    strided = cast_array(array.T[::3, ::-2], f32, target, saturate=True)
    assert strided.tobytes() == cast_array(array.T[::3, ::-2].copy(), f32, target, saturate=True).tobytes()
    assert array.tobytes() == before


def test_an_array_of_another_dtype_is_our_own_mistake() -> None:
    with pytest.raises(AssertionError, match="an array of f16 has elements of float16, not float32"):
        cast_array(np.zeros(1, np.float32), f16, f32)


def integer_of(value: float, dtype: DType) -> int:
    """Return the integer nearest to a float, half to even, clamped; NaN by its sign."""
    low, high = limits(dtype)
    if math.isnan(value) or math.isinf(value):
        return low if math.copysign(1, value) < 0 else high
    return min(max(round(value), low), high)


def as_f64(array: NDArray[Any]) -> NDArray[np.float64]:
    return array.astype(np.float64)


def assert_same(result: NDArray[np.float64], expected: NDArray[np.float64], values: NDArray[Any]) -> None:
    wrong = np.flatnonzero(~same(result, expected))
    shown = [(values[index], result[index], expected[index]) for index in wrong[:5]]
    assert not len(wrong), f"{len(wrong)} values, first (value, result, expected): {shown}"


def assert_integers(result: NDArray[Any], expected: list[int]) -> None:
    assert [int(value) for value in result] == expected
