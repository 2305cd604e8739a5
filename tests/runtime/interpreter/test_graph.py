"""The graph dialect against the reference evaluator of ONNX, and against numpy by hand."""

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from generated.graph.ActivationGen import ActivationGen
from generated.graph.BinaryGen import BinaryGen
from generated.graph.CastGen import CastGen
from generated.graph.ConstantGen import ConstantGen
from generated.graph.IfGen import IfGen
from generated.graph.MatMulGen import MatMulGen
from generated.vocabulary import BINARY_OPS
from runtime import constants
from runtime.arithmetic import BINARY
from runtime.dtypes import DTYPES, DType, dtype_of, f32
from runtime.interpreter import InterpreterError
from runtime.rounding import cast_array
from tests.runtime.exact import nearest
from tests.runtime.interpreter.one_instruction import by_onnx, run_one
from tests.runtime.interpreter.programs import Program, type_of

IN_ONNX = {
    "abs": "Abs",
    "cos": "Cos",
    "erf": "Erf",
    "exp": "Exp",
    "gelu": "Gelu",
    "log": "Log",
    "neg": "Neg",
    "reciprocal": "Reciprocal",
    "relu": "Relu",
    "round": "Round",
    "sigmoid": "Sigmoid",
    "sign": "Sign",
    "sin": "Sin",
    "softplus": "Softplus",
    "sqrt": "Sqrt",
    "tanh": "Tanh",
}


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("function", IN_ONNX)
def test_activation_agrees_with_onnx(function: Any, dtype: str) -> None:
    x = (np.random.default_rng(1).standard_normal(500) * 4).astype(dtype_of(dtype).numpy)
    x = np.abs(x) if function in ("log", "sqrt") else x
    expected = by_onnx(IN_ONNX[function], x)
    result = run_one(lambda value: ActivationGen(value, function), x=(dtype, x))
    assert result.dtype == x.dtype
    # The peer computes in f32 (erf even for f64) and is some units in the last place off; its gelu cancels below zero.
    precision = 1e-6 if dtype == "f32" or function == "erf" else 1e-13
    assert np.allclose(result, expected, rtol=precision, atol=1e-6 if function == "gelu" else 0)


def test_activation_in_f64_is_not_rounded_to_f32() -> None:
    x = np.array([0.1, 0.2])
    assert run_one(lambda value: ActivationGen(value, "exp"), x=("f64", x)).tolist() == [math.exp(0.1), math.exp(0.2)]


def test_binary_words_are_those_of_the_vocabulary() -> None:
    assert set(BINARY) == set(BINARY_OPS)


@pytest.mark.parametrize("dtype", ["f32", "f64", "i32", "u8", "i64"])
@pytest.mark.parametrize("op", ["add", "sub", "mul", "div", "max", "min"])
def test_binary_agrees_with_onnx(op: Any, dtype: str) -> None:
    random = np.random.default_rng(2)
    numpy_dtype = dtype_of(dtype).numpy
    a, b = random.integers(1, 100, (4, 1, 3)).astype(numpy_dtype), random.integers(1, 100, (5, 1)).astype(numpy_dtype)
    result = run_one(lambda left, right: BinaryGen(left, right, op), a=(dtype, a), b=(dtype, b))
    expected = by_onnx(op.capitalize(), a, b)
    assert result.dtype == numpy_dtype
    assert result.tolist() == expected.tolist()


def test_integers_wrap_and_divide_towards_zero() -> None:
    def both(op: Any, dtype: str, a: list[int], b: list[int]) -> list[int]:
        left, right = (np.array(values).astype(dtype_of(dtype).numpy) for values in (a, b))
        result = run_one(lambda x, y: BinaryGen(x, y, op), a=(dtype, left), b=(dtype, right))
        return [int(value) for value in result]

    assert both("add", "i32", [2**31 - 1], [1]) == [-(2**31)]
    assert both("mul", "i64", [2**62 + 1], [3]) == [(3 * (2**62 + 1) + 2**63) % 2**64 - 2**63]
    assert both("div", "i32", [-7, 7, -7, 6], [2, -2, -2, 3]) == [-3, -3, 3, 2]
    assert both("sub", "u8", [3], [5]) == [254]
    assert both("add", "i4", [7, -8, 3], [1, -1, 4]) == [-8, 7, 7]
    assert both("mul", "u4", [5], [4]) == [4]
    assert both("pow", "i32", [3], [4]) == [81]


def test_bools_are_added_as_an_or_and_multiplied_as_an_and() -> None:
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    for op, expected in {"add": a | b, "max": a | b, "mul": a & b, "min": a & b}.items():
        found = run_one(lambda x, y, op=op: BinaryGen(x, y, op), a=("bool", a), b=("bool", b))
        assert found.tolist() == expected.tolist(), op


@pytest.mark.parametrize("op", ["sub", "div", "pow"])
def test_bools_have_neither_differences_nor_quotients_nor_powers(op: Any) -> None:
    ones = ("bool", np.array([True, True]))
    with pytest.raises(InterpreterError, match=f"bools have no {op}\n  in `%.*graph.binary {op} %a, %b`"):
        run_one(lambda x, y: BinaryGen(x, y, op), a=ones, b=ones)


def test_a_bool_condition_of_one_element_chooses() -> None:
    program = Program()
    program.insert(IfGen(program.argument("c", "bool", 2), result_types=[]))
    with pytest.raises(InterpreterError, match="the condition has 2 elements, not one\n  in `graph.if %c`"):
        program.run(c=np.array([True, False]))


def test_max_and_min_let_nan_through() -> None:
    a, b = np.array([math.nan, 1, 2], np.float32), np.array([1, math.nan, 3], np.float32)
    for op, last in (("max", 3), ("min", 2)):
        result = run_one(lambda x, y, op=op: BinaryGen(x, y, op), a=("f32", a), b=("f32", b))
        assert np.isnan(result[:2]).all()
        assert result[2] == last


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f8e4m3", "f8e5m2"])
@given(
    arrays.arrays(np.float32, 6, elements=st.floats(-400, 400, width=32)),
    arrays.arrays(np.float32, 6, elements=st.floats(-400, 400, width=32)),
)
def test_narrow_floats_are_computed_in_f32_and_rounded_once(
    dtype: str, a: NDArray[np.float32], b: NDArray[np.float32]
) -> None:
    low = [cast_array(array, f32, dtype_of(dtype), saturate=True) for array in (a, b)]
    wide = [array.astype(np.float64) for array in low]
    result = run_one(lambda x, y: BinaryGen(x, y, "mul"), a=(dtype, low[0]), b=(dtype, low[1]))
    # A product of two such numbers has at most 22 significant bits, so f32 holds it, if it is not too small.
    product = wide[0] * wide[1]
    assert (result.astype(np.float64) == nearest(product, dtype)).all()


def test_matmul_agrees_with_onnx() -> None:
    random = np.random.default_rng(3)
    for left, right in (
        ((4, 8), (8, 5)),
        ((2, 4, 8), (8, 5)),
        ((3, 1, 4, 8), (2, 8, 5)),
        ((8,), (8, 5)),
        ((4, 8), (8,)),
    ):
        a, b = random.standard_normal(left).astype(np.float32), random.standard_normal(right).astype(np.float32)
        result = run_one(MatMulGen, a=("f32", a), b=("f32", b))
        expected = by_onnx("MatMul", a, b)
        assert result.shape == expected.shape
        assert np.allclose(result, expected, rtol=1e-5, atol=1e-5)


def test_matmul_of_bf16_accumulates_in_f32() -> None:
    a = np.ones((1, 1000), ml_dtypes.bfloat16)
    assert run_one(MatMulGen, a=("bf16", a), b=("bf16", a.T.copy())).astype(float).tolist() == [[1000]]


def test_matmul_of_integers_is_exact() -> None:
    a = np.array([[100, 100]], np.int8)
    assert run_one(MatMulGen, a=("i8", a), b=("i8", a.T.copy())).tolist() == [[20000 % 256]]
    wide = run_one(lambda x, y: MatMulGen(x, y, result_type=type_of("i32", 1, 1)), a=("i8", a), b=("i8", a.T.copy()))
    assert wide.tolist() == [[20000]]


def test_products_of_floats_are_rounded_once_where_the_result_is_an_integer() -> None:
    a, b = np.array([[1.5, 100]], np.float32), np.array([[2], [1.25]], np.float32)  # 1.5 * 2 + 100 * 1.25 = 128
    for dtype in ("f32", "bf16", "f16"):
        left, right = (cast_array(each, f32, dtype_of(dtype)) for each in (a, b))
        made = {"a": (dtype, left), "b": (dtype, right)}
        found = run_one(lambda x, y: MatMulGen(x, y, result_type=type_of("i32", 1, 1)), **made)
        assert found.tolist() == [[128]]


def test_matmul_of_truth_values_agrees_with_numpy() -> None:
    a, b = np.random.default_rng(4).integers(0, 2, (2, 6, 6)).astype(bool)
    assert np.array_equal(run_one(MatMulGen, a=("bool", a), b=("bool", b)), a @ b)


def test_constant_is_its_contents() -> None:
    program = Program()
    contents = constants.Constant.of([[1.5, -2.0]], dtype_of("bf16"))
    program.returns(program.insert(ConstantGen(contents), "c"))
    assert program.run()["c"].tobytes() == contents.array.tobytes()


@pytest.mark.parametrize("source", DTYPES, ids=str)
def test_cast_is_the_rounding_of_the_runtime(source: DType) -> None:
    values = cast_array(np.array([1.0, 2.5, 0.3, 3.0, 100.0]), dtype_of("f64"), source)
    program = Program()
    x = program.argument("x", source.name, 5)
    program.returns(*(program.insert(CastGen(x, dtype=target), target.name) for target in DTYPES))
    results = program.run(x=values)
    for target in DTYPES:
        assert results[target.name].dtype == target.numpy
        assert results[target.name].tobytes() == cast_array(values, source, target).tobytes()


def test_cast_rounds_floats_to_even_integers_and_clamps() -> None:
    x = np.array([0.5, 1.5, -2.5, 1e10, -math.inf], np.float32)
    assert run_one(lambda v: CastGen(v, dtype=dtype_of("i16")), x=("f32", x)).tolist() == [0, 2, -2, 32767, -32768]


def test_cast_of_a_wide_integer_rounds_once() -> None:
    """2**24 + 2**16 + 1 is nearer to 2**24 + 2**17 in bf16; through f32 it would be a tie."""
    x = np.array([2**24 + 2**16 + 1], np.int32)
    assert run_one(lambda v: CastGen(v, dtype=dtype_of("bf16")), x=("i32", x)).astype(float).tolist() == [2**24 + 2**17]
