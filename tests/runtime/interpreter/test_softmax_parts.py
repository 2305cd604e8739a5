"""What softmax is made of beside matrix products: reductions, transposition, the reciprocal, each beside numpy."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from generated.neuron.ReciprocalOpGen import ReciprocalOpGen
from runtime.dtypes import bf16, dtype_of
from runtime.interpreter import InterpreterError
from runtime.wrappers.TensorReduceOp import TensorReduceOp
from runtime.wrappers.TransposeOp import TransposeOp
from tests.runtime.exact import nearest
from tests.runtime.interpreter.programs import Program

X = np.array([[[1, 2.5, -3], [4, 0.1, 6]], [[-7, 8, 9], [10, -11, 1e8]]], np.float32)


def reduced(x: NDArray[Any], op: Any, dims: list[int], **fields: Any) -> NDArray[Any]:
    program = Program()
    argument = program.argument("x", "f32" if x.dtype == np.float32 else "i32", *x.shape)
    program.returns(program.insert(TensorReduceOp(argument, op, dims, **fields), "y"))
    result: NDArray[Any] = program.run(x=x)["y"]
    return result


@pytest.mark.parametrize(("op", "in_numpy"), [("max", np.max), ("min", np.min)])
@pytest.mark.parametrize("dims", [[2], [1, 2]])
@pytest.mark.parametrize("keepdims", [True, False])
def test_extremes_are_exact(op: str, in_numpy: Any, dims: list[int], keepdims: bool) -> None:
    expected = in_numpy(X, axis=tuple(dims), keepdims=keepdims)
    assert (reduced(X, op, dims, keepdims=keepdims) == expected).all()
    assert (reduced(X, op, dims, keepdims=keepdims, negate=True) == -expected).all()


def test_a_sum_is_rounded_to_f32_after_each_element() -> None:
    x = np.array([[2**24, 1, 1, 1], [1, 1, 1, 2**24]], np.float32)  # 2**24 + 1 is a tie to even: 2**24
    assert reduced(x, "add", [1]).tolist() == [[2**24], [2**24 + 4]]
    rows = [reduce(lambda total, element: np.float32(total + element), row.reshape(-1)) for row in X]
    assert reduced(X, "add", [1, 2], keepdims=False).tolist() == [float(row) for row in rows]


def test_a_product_and_the_dtype_of_the_result() -> None:
    x = np.array([[1.5, 1.25, 0.1]], np.float32)
    expected = np.float32(np.float32(1.5 * 1.25) * np.float32(0.1))
    assert reduced(x, "mult", [1]).tolist() == [[expected]]
    assert reduced(x, "mult", [1], dtype=bf16).astype(np.float64).tolist() == [[nearest(np.array(expected), "bf16")]]
    assert reduced(np.array([[3, -4, 5]], np.int32), "max", [1]).tolist() == [[5]]


def test_nothing_reduces_an_operation_that_is_none() -> None:
    with pytest.raises(InterpreterError, match='nothing says what "avg" computes'):
        reduced(X, "avg", [2])


@pytest.mark.parametrize("dtype", ["f32", "bf16", "i32", "u8"])
def test_transposing_keeps_every_bit(dtype: str) -> None:
    bits = np.random.default_rng(1).integers(0, 256, (3, 5, dtype_of(dtype).itemsize), np.uint8)
    x = bits.view(dtype_of(dtype).numpy)[..., 0]
    program = Program()
    program.returns(program.insert(TransposeOp(program.argument("x", dtype, 3, 5)), "y"))
    found = program.run(x=x)["y"]
    assert found.shape == (5, 3) and found.dtype == x.dtype
    assert [[found[j, i].tobytes() for j in range(5)] for i in range(3)] == [[e.tobytes() for e in row] for row in x]


def test_the_reciprocal_is_that_of_python_rounded_to_f32() -> None:
    x = np.array([[1, 3, -7, 0.1, 1e-40, 3e38, math.inf]], np.float32)
    program = Program()
    program.returns(program.insert(ReciprocalOpGen(program.argument("x", "f32", 1, 7)), "y"))
    with np.errstate(over="ignore"):
        expected = np.array([[1 / float(element) for element in x[0]]]).astype(np.float32)
    assert (program.run(x=x)["y"] == expected).all()
    assert math.isinf(program.run(x=np.zeros((1, 7), np.float32))["y"][0, 0])
