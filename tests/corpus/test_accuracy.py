"""Errors between results, against figures computed by hand."""

from typing import Any

import numpy as np
import pytest

from tests.corpus.accuracy import Error, error_of, errors

INFINITY = float("inf")


def f32(*values: float) -> Any:
    return np.array(values, np.float32)


@pytest.mark.parametrize(
    ("expected", "found", "absolute", "relative"),
    [
        (f32(1, -4, 2), f32(1, -4, 2.5), 0.5, 0.125),
        (f32(1, 2), f32(1, 2), 0, 0),
        (f32(), f32(), 0, 0),
        (f32(0, 0), f32(0, 0), 0, 0),
        (f32(0, 0), f32(0, 1), 1, INFINITY),
        (f32(1, 2), f32(1, np.nan), INFINITY, INFINITY),
        (f32(1, 2), f32(np.inf, 2), INFINITY, INFINITY),
        (f32(np.nan, 2), f32(np.nan, 2), 0, 0),
        (f32(np.nan, 2), f32(1, 2), INFINITY, INFINITY),
        (f32(-np.inf, 2), f32(-np.inf, 3), 1, 0.5),
        (f32(np.inf, 2), f32(-np.inf, 2), INFINITY, INFINITY),
        (f32(1, 2), f32(1, 2).reshape(2, 1), INFINITY, INFINITY),
        (f32(1, 2), f32(1, 2).astype(np.float16), INFINITY, INFINITY),
        (f32(1, 2), None, INFINITY, INFINITY),
        (np.array([1, 2, 3, 4]), np.array([1, 2, 9, 9]), 1, 0.5),
        (np.array([True, False]), np.array([True, False]), 0, 0),
    ],
)
def test_error(expected: Any, found: Any, absolute: float, relative: float) -> None:
    assert error_of("y", expected, found) == Error("y", absolute, relative)


def test_the_largest_error_of_all_inputs_counts_for_each_output() -> None:
    expected = [{"a": f32(2), "b": f32(4)}, {"a": f32(2), "b": f32(4)}]
    found = [{"a": f32(3), "b": f32(4)}, {"a": f32(2.5), "b": f32(2)}]
    assert errors(expected, found) == [Error("a", 1, 0.5), Error("b", 2, 0.5)]


def test_all_sets_of_inputs_need_results() -> None:
    with pytest.raises(ValueError, match="shorter"):
        errors([{"a": f32(1)}, {"a": f32(1)}], [{"a": f32(1)}])
