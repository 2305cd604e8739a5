"""`holds` for every pair: a proof by extreme values. `test_dtypes.py` enumerates the values of narrow dtypes.

The finite values of a dtype are the multiples of a power of two, within a number of significant bits and a range. So
`a` represents all of `b` if it represents, for each power of two that a leading bit of `b` may stand for, the value of
`b` there with the most bits set: all others with this leading bit have their bits within the same places. Whether `a`
has a value is decided with exact integers, from the format as the tests write it down.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from runtime.dtypes import DTYPES, DType, bool_, f8e8m0, holds
from runtime.rounding import cast_array
from tests.runtime.bit_reference import format_of
from tests.runtime.exact import largest
from tests.runtime.sample_values import boundary_values_of, limits

Value = Fraction | str  # a number, or "-0", "inf", "nan"


pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of numpy, about signalling NaNs


@pytest.mark.parametrize("b", DTYPES, ids=str)
def test_it_is_so_exactly_where_every_extreme_value_is_represented(b: DType) -> None:
    values = tuple(extreme_values(b))
    for a in DTYPES:
        missing = next((value for value in values if not represents(a, value)), None)
        assert holds(a, b) is (missing is None), f"{a} lacks {missing} of {b}"


@pytest.mark.parametrize("b", DTYPES, ids=str)
def test_a_cast_there_and_back_changes_nothing_where_it_is_so(b: DType) -> None:
    array = boundary_values_of(b)
    for a in DTYPES:
        if holds(a, b):
            back = cast_array(cast_array(array, b, a), a, b)
            nan = array != array
            assert back.dtype == array.dtype and (nan == (back != back)).all()
            assert back[~nan].tobytes() == array[~nan].tobytes(), (a, b)


@pytest.mark.parametrize("b", DTYPES, ids=str)
def test_a_cast_there_and_back_changes_something_where_it_is_not_so(b: DType) -> None:
    array = boundary_values_of(b)
    for a in DTYPES:
        if not holds(a, b) and a is not bool_:  # to bool no value is rounded
            back = cast_array(cast_array(array, b, a), a, b)
            same = (back == array) | ((back != back) & (array != array))
            assert not same.all() or (np.signbit(as_f64(back)) != np.signbit(as_f64(array))).any(), (a, b)


@pytest.mark.parametrize("a", DTYPES, ids=str)
def test_it_is_an_order(a: DType) -> None:
    assert holds(a, a)
    for b in DTYPES:
        assert a is b or not (holds(a, b) and holds(b, a)), b
        for c in DTYPES:
            assert not (holds(a, b) and holds(b, c)) or holds(a, c), (b, c)


def as_f64(array: NDArray[Any]) -> NDArray[np.float64]:
    return array.astype(np.float64)


def extreme_values(dtype: DType) -> Iterator[Value]:
    """Yield values of a dtype that only a type has that has them all."""
    yield Fraction(1)
    if dtype is bool_:
        yield Fraction(0)
    elif dtype.is_int:
        yield from (Fraction(0), *map(Fraction, limits(dtype)))
    elif dtype is f8e8m0:
        yield from (Fraction(2) ** power for power in range(-127, 128))
        yield "nan"
    else:
        form = format_of(dtype.name)
        yield from {"infinity and nan": ("inf", "nan"), "nan": ("nan",), "none": ()}[form.specials]
        yield from ("-0", Fraction(0))
        bits = form.mantissa_bits + 1
        top = math.frexp(largest(form))[1] - 1
        for exponent in range(1 - form.bias - form.mantissa_bits, top + 1):
            step = max(exponent, 1 - form.bias) - form.mantissa_bits
            full = ((1 << min(exponent - step + 1, bits)) - 1) * Fraction(2) ** step
            yield from (min(full, Fraction(largest(form))), -min(full, Fraction(largest(form))))


def represents(dtype: DType, value: Value) -> bool:
    """Whether a dtype has a value, from its definition."""
    if not dtype.is_float:
        low, high = limits(dtype) if dtype is not bool_ else (0, 1)
        return isinstance(value, Fraction) and value.denominator == 1 and low <= value <= high
    if dtype is f8e8m0:
        if isinstance(value, str) or value <= 0:
            return value == "nan"
        return min(value.numerator, value.denominator) == 1 and value in (Fraction(2) ** p for p in range(-127, 128))
    form = format_of(dtype.name)
    if isinstance(value, str):
        return value == "-0" or form.specials == "infinity and nan" or (value == "nan" and form.specials == "nan")
    if abs(value) > Fraction(largest(form)):
        return False
    # An odd integer times a power of two, which is not below the smallest subnormal, and has few enough bits.
    odd, power = value.numerator, 1 - value.denominator.bit_length()
    while odd and odd % 2 == 0:
        odd, power = odd // 2, power + 1
    fits = power >= 1 - form.bias - form.mantissa_bits and abs(odd).bit_length() <= form.mantissa_bits + 1
    return value == 0 or (fits and value.denominator == 1 << (value.denominator.bit_length() - 1))
