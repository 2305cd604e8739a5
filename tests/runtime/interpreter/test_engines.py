"""The compute engines against Python's own arithmetic, element by element, and against numbers from tables."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from generated.neuron.TensorTensorOpGen import TensorTensorOpGen
from generated.vocabulary import ACTIVATION_FUNCTIONS, ALU_OPS
from runtime.arithmetic import ALU, ALU_OF_ONE, BITVEC, FUNCTIONS
from runtime.dtypes import dtype_of
from runtime.engines import NeuronEngine
from runtime.interpreter import InterpreterError
from runtime.wrappers.ActivationOp import ActivationOp
from runtime.wrappers.MatMulOp import MatMulOp
from runtime.wrappers.TensorScalarPtrOp import TensorScalarPtrOp
from tests.runtime.exact import nearest, nearest_of_one
from tests.runtime.interpreter.programs import Program

BF16_CODES = np.arange(1 << 16, dtype=np.uint16)
BF16_VALUES = BF16_CODES[BF16_CODES >> 7 & 0xFF != 0xFF].view(ml_dtypes.bfloat16)  # the finite ones

IN_PYTHON: dict[str, Callable[[float], float]] = {
    "copy": lambda x: x,
    "abs": abs,
    "arctan": math.atan,
    "cos": math.cos,
    "erf": math.erf,
    "erf_dx": lambda x: 2 / math.sqrt(math.pi) * math.exp(-x * x),
    "exp": math.exp,
    "gelu_sigmoid": lambda x: x / (1 + math.exp(-1.702 * x)),
    "log": math.log,
    "neg": lambda x: -x,
    "reciprocal": lambda x: 1 / x,
    "relu": lambda x: max(0.0, x),
    "round": round,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "sign": lambda x: (x > 0) - (x < 0),
    "silu": lambda x: x / (1 + math.exp(-x)),
    "sin": math.sin,
    "softplus": lambda x: math.log1p(math.exp(x)) if x < 30 else x + math.exp(-x),
    "sqrt": math.sqrt,
    "square": lambda x: x * x,
    "tanh": math.tanh,
}


def activated(x: NDArray[Any], function: Any, *, dtype: str = "f32", **fields: Any) -> NDArray[Any]:
    program = Program()
    source = {np.dtype(np.float32): "f32", BF16_VALUES.dtype: "bf16", np.dtype(np.int32): "i32"}[x.dtype]
    argument = program.argument("x", source, *x.shape)
    program.returns(program.insert(ActivationOp(argument, function, dtype=dtype_of(dtype), **fields), "y"))
    result: NDArray[Any] = program.run(x=x)["y"]
    return result


def test_every_word_of_the_vocabulary_has_arithmetic() -> None:
    assert set(FUNCTIONS) == set(ACTIVATION_FUNCTIONS)
    assert {*ALU, *BITVEC, *ALU_OF_ONE} == set(ALU_OPS)
    assert set(ALU_OF_ONE) <= set(FUNCTIONS)


@pytest.mark.parametrize("function", IN_PYTHON)
def test_activation_is_the_function_rounded_to_f32_and_once_more(function: str) -> None:
    values, expected = [], []
    for x in BF16_VALUES.astype(np.float64).tolist():
        try:
            expected.append(float(IN_PYTHON[function](x)))
        except (ValueError, ZeroDivisionError, OverflowError):
            continue
        values.append(x)
    in_f64 = np.array(expected)
    last_bits = np.abs(in_f64) * 2.0**-51  # numpy's f64 and Python's differ by so much, from machine to machine
    with np.errstate(over="ignore"):
        low, high = (in_f64 - last_bits).astype(np.float32), (in_f64 + last_bits).astype(np.float32)
    x = np.array(values).astype(ml_dtypes.bfloat16)
    found = activated(x, function)
    assert len(values) > 20_000
    assert ((low <= found) & (found <= high)).all()
    assert (low != high).sum() < len(values) // 100  # f64 halfway between two f32; elsewhere all bits are right
    assert (activated(x, function, dtype="bf16").astype(np.float64) == nearest(found, "bf16")).all()


@pytest.mark.parametrize(
    ("function", "x", "expected"),
    [
        ("exp", [89, -200, math.inf, -math.inf], [math.inf, 0, math.inf, 0]),
        ("log", [0, -1, math.inf], [-math.inf, math.nan, math.inf]),
        ("sqrt", [-1, math.inf, -0.0], [math.nan, math.inf, -0.0]),
        ("rsqrt", [0, math.inf, 0.25], [math.inf, 0, 2]),
        ("reciprocal", [0, -0.0, -math.inf], [math.inf, -math.inf, -0.0]),
        ("relu", [-0.0, -1, math.nan, math.inf], [0, 0, math.nan, math.inf]),
        ("round", [0.5, 1.5, -2.5, math.inf], [0, 2, -2, math.inf]),
        ("sigmoid", [-1000, 1000, 0], [0, 1, 0.5]),
        ("softplus", [-1000, 1000], [0, 1000]),
        ("square", [1e30, -3], [math.inf, 9]),
        ("tanh", [-1000, math.inf], [-1, 1]),
        # From tables of the normal distribution: 2.866515719e-7 at -5, 0.158655254 at -1, 0.977249868 at 2.
        ("gelu", [-5, -1, 0, 2, 100], [-1.4332579e-6, -0.158655254, 0, 1.954499736, 100]),
        ("gelu_tanh", [-1, 0, 1, 100], [-0.158808009, 0, 0.841191991, 100]),
    ],
)
def test_activation_at_special_values(function: str, x: list[float], expected: list[float]) -> None:
    result = activated(np.array(x, np.float32), function)
    assert np.allclose(result, np.array(expected, np.float32), rtol=2e-7, atol=0, equal_nan=True)
    assert (np.signbit(result) == np.signbit(np.array(expected, np.float32))).all() or function in ("log", "sqrt")


def test_activation_scales_and_adds_in_f32() -> None:
    """The scaled value and the sum are rounded to f32 each: 3 * 0.1f is a tie that f32 does not have."""
    x = np.array([[1.0, 3.0], [5.0, 7.0]], np.float32)
    bias = np.array([[0.5], [-1e8]], np.float32)
    program = Program()
    argument, added = program.argument("x", "f32", 2, 2), program.argument("b", "f32", 2, 1)
    program.returns(program.insert(ActivationOp(argument, "copy", added, scale=0.1), "y"))
    scale = Fraction(float(np.float32(0.1)))
    expected = [
        [nearest_of_one(Fraction(nearest_of_one(Fraction(value) * scale, "f32")) + Fraction(b), "f32") for value in row]
        for row, b in zip(x.tolist(), [0.5, -1e8], strict=True)
    ]
    assert program.run(x=x, b=bias)["y"].tolist() == expected


def test_activation_of_integers_goes_through_f32() -> None:
    assert activated(np.array([2**24 + 1, -3], np.int32), "copy").tolist() == [2**24, -3]


def test_a_bias_has_one_element_for_each_partition() -> None:
    program = Program()
    x, bias = program.argument("x", "f32", 2, 3), program.argument("b", "f32", 3)
    program.insert(ActivationOp(x, "copy", bias))
    message = (
        r"a scalar operand has one element, or one for each of 2 partitions, not \[3\]\n  in `.*= activation copy %x"
    )
    with pytest.raises(InterpreterError, match=message):
        program.run(x=np.ones((2, 3), np.float32), b=np.ones(3, np.float32))


X = np.array([[1.5, -2.0, 0.1], [3e38, 0.0, -7.25]], np.float32)


def with_scalars(x: NDArray[Any], *arguments: Any, **fields: Any) -> NDArray[Any]:
    """Return what TensorScalarPtrOp gives; arrays among the fields become arguments of the program."""
    program = Program()
    names = {np.dtype(np.float32): "f32", np.dtype(np.int32): "i32", np.dtype(np.uint8): "u8"}
    names[np.dtype(np.bool_)] = "bool"
    given = {name: value for name, value in {"x": x, **fields}.items() if isinstance(value, np.ndarray)}
    values = {name: program.argument(name, names[array.dtype], *array.shape) for name, array in given.items()}
    source = values.pop("x")
    inst = TensorScalarPtrOp(source, *arguments, **{**fields, **values})
    program.returns(program.insert(inst, "y"))
    result: NDArray[Any] = program.run(**given)["y"]
    return result


def test_tensor_scalar_with_one_scalar() -> None:
    expected = [[np.float32(value) + np.float32(0.1) for value in row] for row in X]
    assert with_scalars(X, "add", scalar0=0.1).tolist() == expected
    assert with_scalars(X, "subtract", scalar0=1.0, reverse0=True).tolist() == (np.float32(1) - X).tolist()


def test_tensor_scalar_with_one_scalar_for_each_partition() -> None:
    scalars = np.array([[2.0], [-1.0]], np.float32)
    expected = [[2 * value for value in X[0].tolist()], [-value for value in X[1].tolist()]]
    assert with_scalars(X, "mult", operand0=scalars).tolist() == expected
    assert with_scalars(X, "mult", operand0=scalars[:, 0]).tolist() == expected


def test_tensor_scalar_rounds_between_its_operations() -> None:
    result = with_scalars(X, "mult", scalar0=2.0, op1="mult", scalar1=0.5)
    assert result.tolist() == [[1.5, -2.0, X[0, 2]], [math.inf, 0.0, -7.25]]


def test_tensor_scalar_reverses_either_operation() -> None:
    x = np.array([[4.0, 5.0]], np.float32)
    both = with_scalars(x, "subtract", scalar0=1.0, reverse0=True, op1="divide", scalar1=6.0, reverse1=True)
    assert both.tolist() == [[-2.0, -1.5]]


def test_tensor_scalar_with_a_tensor_in_the_second_place() -> None:
    result = with_scalars(X, "mult", scalar0=1.0, op1="add", operand1=X, is_scalar_tensor_tensor=True)
    assert result.tolist() == [[3.0, -4.0, 2 * X[0, 2]], [math.inf, 0.0, -14.5]]


def test_tensor_scalar_on_bits() -> None:
    x = np.array([[-1, 5, 1 << 30]], np.int32)
    assert with_scalars(x, "bitwise_and", scalar0=6.0).tolist() == [[6, 4, 0]]
    assert with_scalars(x, "logical_shift_right", scalar0=28.0).tolist() == [[15, 0, 4]]
    assert with_scalars(x, "logical_shift_left", scalar0=2.0).tolist() == [[-4, 20, 0]]
    assert with_scalars(x, "logical_shift_left", scalar0=32.0).tolist() == [[0, 0, 0]]
    assert with_scalars(x, "bitwise_not", op1="bitwise_xor", scalar1=1.0).tolist() == [[1, ~5 ^ 1, ~(1 << 30) ^ 1]]
    assert with_scalars(np.array([[200]], np.uint8), "logical_shift_left", scalar0=1.0).tolist() == [[144]]
    truth = np.array([[True, False]])
    assert with_scalars(truth, "bitwise_xor", scalar0=1.0).tolist() == [[False, True]]
    with pytest.raises(InterpreterError, match="operations on bits need integers, not 2.0 with elements of bool"):
        with_scalars(truth, "bitwise_and", scalar0=2.0)
    with pytest.raises(InterpreterError, match="operations on bits need integers, not 0.5 with elements of int32"):
        with_scalars(x, "bitwise_or", scalar0=0.5)
    with pytest.raises(InterpreterError, match="operations on bits need integers, not 1.0 with elements of float32"):
        with_scalars(X, "bitwise_or", scalar0=1.0)


def test_tensor_scalar_without_a_scalar() -> None:
    with pytest.raises(InterpreterError, match="the operation add has no scalar\n  in `%y: f32"):
        with_scalars(X, "add")


def combined(
    op: Any, lhs: Any, rhs: Any, dtype: str, *, engine: NeuronEngine | None = None, result: str | None = None
) -> list[Any]:
    program = Program()
    arrays = [np.array(values).astype(dtype_of(dtype).numpy) for values in (lhs, rhs)]
    left, right = (program.argument(name, dtype, *arrays[0].shape) for name in ("l", "r"))
    inst = TensorTensorOpGen(left, right, op, dtype=dtype_of(result or dtype), engine=engine)
    program.returns(program.insert(inst, "y"))
    values: list[Any] = program.run(l=arrays[0], r=arrays[1])["y"].astype(float).tolist()
    return values


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("add", [4.5, -4.0, math.inf]),
        ("subtract", [-1.5, 0.0, -math.inf]),
        ("mult", [4.5, 4.0, math.inf]),
        ("divide", [0.5, 1.0, 0.0]),
        ("max", [3.0, -2.0, math.inf]),
        ("min", [1.5, -2.0, 2.0]),
        ("pow", [3.375, 0.25, math.inf]),
        ("mod", [1.5, 0.0, 2.0]),
        ("is_equal", [0, 1, 0]),
        ("not_equal", [1, 0, 1]),
        ("is_less", [1, 0, 1]),
        ("is_less_equal", [1, 1, 1]),
        ("is_greater", [0, 0, 0]),
        ("is_greater_equal", [0, 1, 0]),
    ],
)
def test_tensor_tensor_of_floats(op: str, expected: list[float]) -> None:
    for dtype in ("f32", "bf16"):
        assert combined(op, [1.5, -2.0, 2.0], [3.0, -2.0, math.inf], dtype) == expected


def test_mod_has_the_sign_of_the_divisor() -> None:
    assert combined("mod", [-7.5, 7.5, -7.5], [2.0, -2.0, -2.0], "f32") == [0.5, -0.5, -1.5]


def test_max_and_min_take_the_second_operand_beside_nan() -> None:
    nan = math.nan
    assert str(combined("max", [nan, 1, nan], [1, nan, nan], "f32")) == "[1.0, nan, nan]"
    assert str(combined("min", [nan, 1, nan], [1, nan, nan], "f32")) == "[1.0, nan, nan]"


def test_integers_are_exact_on_gpsimd_and_go_through_f32_elsewhere() -> None:
    a, b = [2**24 + 1, 2**31 - 1, 65537], [0, 1, 65537]
    assert combined("add", a, b, "i32", engine=NeuronEngine.GPSIMD) == [2**24 + 1, -(2**31), 131074]
    assert combined("mult", a, b, "i32", engine=NeuronEngine.GPSIMD) == [0, 2**31 - 1, 131073]
    assert combined("add", a, b, "i32", engine=NeuronEngine.VECTOR) == [2**24, 2**31 - 1, 131074]
    assert combined("add", [250, 3], [10, 4], "u8") == [255, 7]


@pytest.mark.parametrize(("memory", "expected"), [("sbuf", 2**24 + 1), ("psum", 2**24)])
def test_integers_without_an_engine_are_exact_unless_one_is_in_psum(memory: str, expected: int) -> None:
    """Source: AWS Neuron documentation, `nki.isa.tensor_tensor`."""
    program = Program()
    left, right = program.input("l", "i32", 1, 1, memory=memory), program.argument("r", "i32", 1, 1)
    program.returns(program.insert(TensorTensorOpGen(left, right, "add"), "y"))
    given = {"l": np.array([[2**24]], np.int32), "r": np.ones((1, 1), np.int32)}
    assert program.run(**given)["y"].tolist() == [[expected]]


def test_a_quotient_of_integers_is_an_integer() -> None:
    assert combined("divide", [7, -7], [2, 2], "i32", engine=NeuronEngine.GPSIMD) == [3, -3]
    with pytest.raises(InterpreterError, match="an integer is divided by zero"):
        combined("divide", [7], [0], "i32", engine=NeuronEngine.GPSIMD)


def test_tensor_tensor_on_bits() -> None:
    assert combined("bitwise_xor", [12, -1], [10, 1], "i32") == [6, -2]
    assert combined("logical_shift_right", [-1, 8], [31, 2], "i32") == [1, 2]


def product(stationary: NDArray[Any], moving: NDArray[Any], dtype: str, **fields: Any) -> NDArray[Any]:
    program = Program()
    left, right = (program.argument(name, dtype, *a.shape) for name, a in (("s", stationary), ("m", moving)))
    program.returns(program.insert(MatMulOp(left, right, **fields), "y"))
    result: NDArray[Any] = program.run(s=stationary, m=moving)["y"]
    return result


def test_matmul_adds_in_f32_from_first_to_last() -> None:
    """1e8 + 1 - 1e8 is 0 in f32, and -1e8 + 1e8 + 1 is 1: the order shows."""
    ones = np.ones((3, 1), np.float32)
    assert product(np.array([[1e8], [1], [-1e8]], np.float32), ones, "f32").tolist() == [[0]]
    assert product(np.array([[-1e8], [1e8], [1]], np.float32), ones, "f32").tolist() == [[1]]


@pytest.mark.parametrize("dtype", ["bf16", "f8e4m3", "u8"])
def test_matmul_of_narrow_operands_is_f32(dtype: str) -> None:
    random = np.random.default_rng(5)
    left, right = (random.integers(0, 16, (8, n)).astype(dtype_of(dtype).numpy) for n in (3, 5))
    result = product(left, right, dtype)
    assert result.dtype == np.float32
    assert result.tolist() == (left.astype(int).T @ right.astype(int)).tolist()


def test_a_product_transposes_with_an_identity_only() -> None:
    tile = np.array([[1, np.nan], [-np.inf, 4]], np.float32)
    found = product(tile, np.eye(2, dtype=np.float32), "f32", is_transpose=True)
    assert found.tobytes() == tile.T.tobytes()
    with pytest.raises(InterpreterError, match=r"transposes with an identity of \[2,2\] as moving only"):
        product(tile, np.ones((2, 2), np.float32), "f32", is_transpose=True)


def test_a_product_is_added_to_a_tensor_only() -> None:
    ones = np.ones((2, 2), np.float32)
    with pytest.raises(InterpreterError, match="a product is added to what its dst holds, and there is none"):
        product(ones, ones, "f32", accumulate=True)
