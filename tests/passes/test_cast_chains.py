"""The arguments of `passes/cleanup/chains.py`, held against the casts themselves.

Every value of every dtype of at most 16 bits is converted to every dtype and from there to every other, and directly;
wider dtypes at their boundaries. Where the pass would fold two conversions, both ways must agree in every bit, whether
the run saturates or not, through f32 as on the engines or directly as in the graph. `cast_array`, which converts here,
is itself held against a slow reference in `tests/runtime/test_every_cast.py`.
"""

from itertools import product

import numpy as np
import pytest

from passes.cleanup.chains import Arithmetic, why_not_nothing, why_not_one
from runtime.dtypes import (
    DTYPES,
    DType,
    bf16,
    bool_,
    f8e4m3,
    f8e4m3fn,
    f8e5m2,
    f16,
    f32,
    f32r,
    f64,
    holds,
    i8,
    i16,
    i32,
    tf32,
    u4,
    u8,
    u16,
)
from runtime.rounding import Array, cast_array

OURS = (Arithmetic.ENGINES, Arithmetic.DIRECT)
SHORT = tuple(dtype for dtype in DTYPES if dtype.bits <= 16)
WIDE = tuple(dtype for dtype in DTYPES if dtype.bits > 16)


def converted(array: Array, source: DType, target: DType, how: Arithmetic, saturate: bool) -> Array:
    """Return an array converted as the interpreter does it: copies of one dtype keep their bits."""
    if source is target:
        return array
    if how is Arithmetic.ENGINES:
        array, source = cast_array(array, source, f32), f32
    return cast_array(array, source, target, saturate=saturate)


def every_value(dtype: DType) -> Array:
    """Return all values of a short dtype, each once, with NaNs of both signs and no payload."""
    if dtype.kind != "float":
        return np.arange(int(dtype.lowest), int(dtype.largest) + 1).astype(dtype.numpy)
    bits = np.arange(2**dtype.bits, dtype=np.uint16 if dtype.bits == 16 else np.uint8)
    values = bits.view(dtype.numpy)
    wide = values.astype(np.float32)
    return np.concatenate([values[~np.isnan(wide)], _nans(dtype)])


def boundaries(dtype: DType) -> Array:
    """Return the values of a wide dtype that lie around the limits of all dtypes, and what is halfway between two."""
    if dtype.kind != "float":
        near = [edge + step for other in DTYPES for edge in _limits(other) for step in (-1, 0, 1)]
        kept = sorted({int(value) for value in near if dtype.lowest <= int(value) <= dtype.largest})
        return np.array(kept, dtype.numpy)
    edges = [float(edge) for other in DTYPES for edge in (*_limits(other), other.smallest_normal, 1.5, 257.0, 0.0)]
    with np.errstate(over="ignore"):
        wide = np.array(
            [sign * edge * (1 + step * 2.0**-8) for edge in edges for sign in (1, -1) for step in (-1, 0, 0.5, 1)]
        )
        exact = cast_array(wide, f64, dtype)
    return np.concatenate([exact, cast_array(np.array([np.inf, -np.inf]), f64, dtype), _nans(dtype)])


def _limits(dtype: DType) -> tuple[float, ...]:
    finite = [float(dtype.largest), float(dtype.lowest)]
    return tuple(edge for edge in finite if abs(edge) < 1e39)


def _nans(dtype: DType) -> Array:
    if not dtype.has_nan:
        return np.empty(0, dtype.numpy)
    return cast_array(np.array([np.nan, np.copysign(np.nan, -1.0)]), f64, dtype)


@pytest.mark.parametrize("a", DTYPES, ids=str)
def test_what_is_folded_is_the_same_in_every_bit(a: DType) -> None:
    values = every_value(a) if a in SHORT else boundaries(a)
    for first, second, saturate in product(OURS, OURS, (False, True)):
        direct = {c: converted(values, a, c, second, saturate).tobytes() for c in DTYPES}
        for b in DTYPES:
            between = None
            for c in DTYPES:
                if why_not_one(a, b, c, first, second) is None:
                    if between is None:
                        between = converted(values, a, b, first, saturate)
                    found = converted(between, b, c, second, saturate).tobytes()
                    assert found == direct[c], f"{a} to {b} to {c}, {first.name}, {second.name}, saturate {saturate}"


def test_what_is_nothing_changes_no_bit_on_any_way() -> None:
    for dtype in SHORT:
        if why_not_nothing(dtype, Arithmetic.ENGINES) is None:  # through f32, as before trn2
            values = every_value(dtype)
            there = cast_array(values, dtype, f32)
            assert cast_array(there, f32, dtype).tobytes() == values.tobytes(), dtype


REFUSED = [
    # a, b, c, how, a value of a, through b, directly: by the formats' own rules
    (f32, bf16, f32, Arithmetic.DIRECT, 1.00390625, 1.0, 1.00390625),  # bf16 has 8 significant bits
    (f32, tf32, bf16, Arithmetic.DIRECT, 1 + 2.0**-8 + 2.0**-12, 1.0, 1 + 2.0**-7),  # rounded twice
    (f32, f32r, tf32, Arithmetic.DIRECT, 1 + 2.0**-11 + 2.0**-13, 1.0, 1 + 2.0**-10),
    (f32, f16, f32, Arithmetic.DIRECT, 65520.0, np.inf, 65520.0),  # beyond the range
    (bf16, f16, bf16, Arithmetic.DIRECT, 2.0**-30, 0.0, 2.0**-30),  # below it
    (f32, f8e4m3, f8e5m2, Arithmetic.DIRECT, 256.0, np.inf, 256.0),
    (f32, i32, f32, Arithmetic.DIRECT, 0.5, 0.0, 0.5),
    (i32, f32, i32, Arithmetic.DIRECT, 2**24 + 1, 2**24, 2**24 + 1),  # f32 has 24
    (u16, bf16, u16, Arithmetic.DIRECT, 257, 256, 257),
    (i32, f64, i32, Arithmetic.ENGINES, 2**24 + 1, 2**24, 2**24 + 1),  # the engines convert through f32
    (f32, u8, i8, Arithmetic.DIRECT, -3.0, 0, -3),
    (i32, i8, u16, Arithmetic.DIRECT, 200, 127, 200),
    (u8, bool_, u8, Arithmetic.DIRECT, 2, 1, 2),
    (f32, i8, bool_, Arithmetic.DIRECT, 0.3, False, True),
    (i16, u16, i16, Arithmetic.DIRECT, -1, 0, -1),
]


@pytest.mark.parametrize(("a", "b", "c", "how", "value", "through", "directly"), REFUSED, ids=lambda given: str(given))
def test_what_is_refused_differs(
    a: DType, b: DType, c: DType, how: Arithmetic, value: float, through: float, directly: float
) -> None:
    assert why_not_one(a, b, c, how, how) is not None
    array = np.array([value], a.numpy)
    between = converted(array, a, b, how, False)
    assert converted(between, b, c, how, False)[0] == c.numpy.type(through)
    assert converted(array, a, c, how, False)[0] == c.numpy.type(directly)


@pytest.mark.parametrize("dtype", [f8e4m3, f8e5m2], ids=str)
def test_a_saturating_run_makes_a_number_of_an_infinity(dtype: DType) -> None:
    infinity = cast_array(np.array([np.inf]), f64, dtype)
    back = converted(converted(infinity, dtype, f32, Arithmetic.DIRECT, True), f32, dtype, Arithmetic.DIRECT, True)
    assert float(back[0]) == dtype.largest
    assert why_not_one(dtype, f32, dtype, Arithmetic.DIRECT, Arithmetic.DIRECT) is not None
    assert why_not_one(f8e4m3fn, f32, f8e4m3fn, Arithmetic.DIRECT, Arithmetic.DIRECT) is None


def test_onnx_leaves_floats_that_do_not_fit_an_integer_to_the_implementation() -> None:
    foreign = Arithmetic.FOREIGN
    assert why_not_one(f16, f32, i32, foreign, foreign) is not None
    assert why_not_one(f16, f32, bf16, foreign, foreign) is None
    assert why_not_one(i8, f32, i32, foreign, foreign) is None  # i32 holds every i8
    assert why_not_one(i8, f32, u8, foreign, foreign) is not None
    assert why_not_one(i32, i16, i8, foreign, foreign) is not None  # integers wrap
    assert why_not_one(i32, i16, i8, Arithmetic.DIRECT, Arithmetic.DIRECT) is None


def test_the_rule_folds_much_and_not_what_rounds() -> None:
    direct = Arithmetic.DIRECT
    folded = {(a, b, c) for a, b, c in product(DTYPES, repeat=3) if why_not_one(a, b, c, direct, direct) is None}
    assert all(holds(b, a) or (b.is_int and c.is_int and holds(b, c)) for a, b, c in folded)
    exact = {(a, b) for a, b in product(DTYPES, repeat=2) if holds(b, a)}
    assert len(folded) > len(exact) * len(DTYPES) * 9 // 10
    assert (u4, u8, bool_) in folded and (f32, bf16, f16) not in folded
