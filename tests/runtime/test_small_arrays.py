"""Many small arrays at once give what each gives alone, as numpy computes it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from runtime.dtypes import DType, bf16, f16, f32
from runtime.rounding import cast_array
from runtime.small_arrays import MOST_ELEMENTS, cast_arrays, largest_magnitudes

RANDOM = np.random.default_rng(0)
ARRAYS = [
    RANDOM.standard_normal(shape).astype(np.float32)
    for shape in ((), (3,), (0,), (2, 3), (MOST_ELEMENTS + 1,), (1, 1, 4), (MOST_ELEMENTS,))
]


def array(*numbers: float) -> NDArray[Any]:
    return np.array(numbers, np.float32)


@pytest.mark.parametrize("low", [f16, bf16])
@pytest.mark.parametrize("some", [ARRAYS, ARRAYS[:1], ARRAYS[4:5], []])
def test_casts(low: DType, some: list[NDArray[Any]]) -> None:
    found = cast_arrays(some, f32, low)
    assert [one.shape for one in found] == [one.shape for one in some]
    for before, after in zip(some, found, strict=True):
        assert after.dtype == low.numpy and after.tobytes() == cast_array(before, f32, low).tobytes()


def test_what_overflows_becomes_an_infinity_without_a_word() -> None:
    with np.errstate(all="raise"):
        large, small = cast_arrays([array(7e4, -7e4), array(1)], f32, f16)
    assert large.tolist() == [np.inf, -np.inf] and small.tolist() == [1.0]


def test_magnitudes() -> None:
    arrays = [array(1, -3), array(2).reshape(1, 1), array(np.inf, 0), array(-5, np.nan, 1)]
    found = largest_magnitudes(arrays)
    assert found[:3] == [3.0, 2.0, np.inf] and np.isnan(found[3])
    assert largest_magnitudes([]) == []
