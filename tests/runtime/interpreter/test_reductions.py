"""Reductions against the reference evaluator of ONNX, and against exact arithmetic by hand."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generated.graph.SoftmaxGen import SoftmaxGen
from generated.vocabulary import REDUCE_OPS
from runtime.dtypes import bf16, dtype_of
from runtime.infer.reductions import reduce_type
from runtime.interpreter import InterpreterError
from runtime.types import Type
from runtime.wrappers.Reduce import Reduce
from tests.runtime.interpreter.one_instruction import by_onnx, run_one

AXES = [axes for count in range(4) for axes in itertools.combinations(range(3), count)]


@pytest.mark.parametrize("dtype", ["f32", "f64", "i32"])
@pytest.mark.parametrize("op", REDUCE_OPS)
def test_reductions_agree_with_onnx(op: Any, dtype: str) -> None:
    src = np.random.default_rng(5).integers(-4, 5, (2, 3, 4)).astype(dtype_of(dtype).numpy)
    if op == "mean" and dtype == "i32":
        src = src * 12  # every mean is a whole number, for which there is one answer only
    for axes, keep_dims in itertools.product(AXES, (False, True)):
        result = run_one(lambda x, a=axes, k=keep_dims: Reduce(x, op, a, keepdims=k), src=(dtype, src))
        indices = np.array(axes, np.int64)
        more = {"keepdims": int(keep_dims), "noop_with_empty_axes": 1}
        expected = src if not axes else by_onnx_reduce(op, src, indices, more)
        assert result.dtype == src.dtype and result.shape == expected.shape
        assert np.allclose(result, expected, rtol=1e-6)
        assert reduce_type(Type.tensor(dtype_of(dtype), src.shape), axes, keep_dims).shape == expected.shape


def by_onnx_reduce(op: str, src: Any, axes: Any, more: dict[str, int]) -> Any:
    return by_onnx(f"Reduce{op.capitalize()}", src, axes, **more)


@given(st.lists(st.floats(-(2.0**100), 2.0**100, width=32), min_size=1, max_size=40))
@settings(deadline=None)
def test_a_sum_of_f32_is_that_of_exact_arithmetic_almost_always(numbers: list[float]) -> None:
    exact = float(sum(map(Fraction, numbers)))
    src = np.array(numbers, np.float32)
    found = float(run_one(lambda x: Reduce(x, "sum", [0]), src=("f32", src)))
    # f64 partial sums are off by 40 units in its last place of the largest of them, then one rounding to f32.
    bound = abs(exact) * 2.0**-24 + 40 * sum(map(abs, numbers)) * 2.0**-53 + 2.0**-150
    assert abs(found - exact) <= bound


def test_a_sum_in_bf16_is_rounded_once() -> None:
    ones = np.ones(1000, bf16.numpy)
    assert float(run_one(lambda x: Reduce(x, "sum", [0]), src=("bf16", ones))) == 1000


def test_integers_wrap_and_their_mean_goes_towards_zero() -> None:
    def reduced(op: Any, dtype: str, *numbers: int) -> int:
        src = np.array(numbers).astype(dtype_of(dtype).numpy)
        return int(run_one(lambda x: Reduce(x, op, [0]), src=(dtype, src)))

    assert reduced("sum", "i8", 100, 100) == 200 - 256
    assert reduced("prod", "u8", 17, 17) == 289 - 256
    assert reduced("sum", "i4", 7, 7) == 14 - 16
    assert reduced("mean", "i32", -7, 0) == -3
    assert reduced("mean", "i64", 2**62, 2**62) == 2**62
    assert reduced("max", "u64", 2**63, 1) == 2**63


def test_not_a_number_and_infinities_go_through() -> None:
    src = np.array([[1, math.nan], [math.inf, -math.inf], [-math.inf, 3]], np.float32)

    def reduced(op: Any) -> list[float]:
        result: list[float] = run_one(lambda x: Reduce(x, op, [1]), src=("f32", src)).tolist()
        return result

    assert np.array_equal(reduced("max"), [math.nan, math.inf, 3], equal_nan=True)
    assert np.array_equal(reduced("sum"), [math.nan, math.nan, -math.inf], equal_nan=True)


def test_of_no_elements_there_is_a_sum_and_no_maximum() -> None:
    src = np.zeros((2, 0), np.float32)
    assert run_one(lambda x: Reduce(x, "sum", [1]), src=("f32", src)).tolist() == [0, 0]
    assert run_one(lambda x: Reduce(x, "prod", [1]), src=("f32", src)).tolist() == [1, 1]
    with pytest.raises(InterpreterError, match=r"no max of no elements: src has the shape \[2, 0\]"):
        run_one(lambda x: Reduce(x, "max", [1]), src=("f32", src))


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_softmax_agrees_with_onnx(axis: int, dtype: str) -> None:
    src = (np.random.default_rng(6).standard_normal((2, 3, 4)) * 10).astype(dtype_of(dtype).numpy)
    result = run_one(lambda x: SoftmaxGen(x, axis), src=(dtype, src))
    assert np.allclose(result, by_onnx("Softmax", src, axis=axis), rtol=1e-6, atol=1e-12)


def test_softmax_of_large_and_infinite_exponents() -> None:
    def of(*numbers: float) -> list[float]:
        result = run_one(lambda x: SoftmaxGen(x, 0), src=("f32", np.array(numbers, np.float32)))
        return [float(number) for number in result]

    assert of(1e30, 1e30) == [0.5, 0.5]
    assert of(0, -math.inf) == [1, 0]
    assert all(math.isnan(number) for number in of(-math.inf, -math.inf))
    assert of() == []
