"""The arithmetic of instructions: functions of one operand and operations of two, by the words of the vocabulary.

Deliberately absent: dtypes, and the rounding of results. f32 arrays give f32, f64 arrays give f64, integers integers.

Sums, differences, products and quotients are those of IEEE 754, rounded to nearest even. Every other function is
evaluated in f64 and then rounded to f32: numpy's own f32 functions are less exact, and their last bit depends on the
machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from runtime.diagnostics import did_you_mean

Array = NDArray[Any]
Floats = NDArray[np.float64]


class UnknownWordError(ValueError):
    """A word of the vocabulary has no arithmetic yet."""


def widen(array: Array) -> Array:
    """Return an array in what the engines compute in: f32, exactly but for integers beyond 2 ** 24, rounded to nearest.

    f64 stays f64. No engine has it; a program whose floats are f64 is a reference for one whose floats are narrower.
    """
    return array if array.dtype == np.float64 else array.astype(np.float32, copy=False)


def evaluate(function: Callable[[Floats], Floats], array: Array) -> Array:
    """Return a function of f32 or f64 elements, in the dtype of `array`."""
    return np.asarray(function(array.astype(np.float64, copy=False)), array.dtype)


def word(table: Mapping[str, Callable[..., Array]], name: str) -> Callable[..., Array]:
    """Return what a word of the vocabulary stands for.

    Raises: UnknownWordError where the table does not have it.
    """
    if name not in table:
        raise UnknownWordError(f'nothing says what "{name}" computes; {did_you_mean(name, table)}'.rstrip("; "))
    return table[name]


def _erf(x: Floats) -> Floats:
    return np.fromiter(map(math.erf, x.reshape(-1)), np.float64, x.size).reshape(x.shape)


def erfc(x: Floats) -> Floats:
    """Return the complementary error function, which does not cancel where the error function is near 1."""
    return np.fromiter(map(math.erfc, x.reshape(-1)), np.float64, x.size).reshape(x.shape)


def _sigmoid(x: Floats) -> Floats:
    result: Floats = 1 / (1 + np.exp(-x))
    return result


def _relu(x: Floats) -> Floats:
    return np.where(x <= 0, 0.0, x)  # NaN stays NaN, and -0.0 becomes 0.0


def _gelu_tanh(x: Floats) -> Floats:
    result: Floats = 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))
    return result


def _gelu_dx(x: Floats) -> Floats:
    result: Floats = 0.5 * erfc(x * -math.sqrt(0.5)) + _or_zero(x * np.exp(-0.5 * x * x)) / math.sqrt(2 * math.pi)
    return result


def _sigmoid_dx(x: Floats, slope: float) -> Floats:
    """Return the derivative of `x * sigmoid(slope * x)`."""
    result: Floats = _sigmoid(slope * x) + _or_zero(slope * x * _sigmoid(slope * x) * _sigmoid(-slope * x))
    return result


def _or_zero(product: Floats) -> Floats:
    """Return a product of a number and what vanishes faster than any number grows: 0 where both are extreme."""
    return np.where(np.isnan(product), 0.0, product)


FUNCTIONS: Final[Mapping[str, Callable[[Floats], Floats]]] = {
    "copy": np.positive,
    "abs": np.abs,
    "arctan": np.arctan,
    "cos": np.cos,
    "erf": _erf,
    "erf_dx": lambda x: 2 / math.sqrt(math.pi) * np.exp(-x * x),
    "exp": np.exp,
    "gelu": lambda x: 0.5 * x * erfc(x * -math.sqrt(0.5)),  # erfc, since 1 + erf cancels for negative x
    "gelu_dx": lambda x: np.where(np.isnan(x), x, _gelu_dx(x)),
    "gelu_sigmoid": lambda x: x * _sigmoid(1.702 * x),
    "gelu_sigmoid_dx": lambda x: np.where(np.isnan(x), x, _sigmoid_dx(x, 1.702)),
    "gelu_tanh": _gelu_tanh,
    "log": np.log,
    "mish": lambda x: x * np.tanh(np.logaddexp(0, x)),
    "neg": np.negative,
    "reciprocal": np.reciprocal,
    "relu": _relu,
    "round": np.rint,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": _sigmoid,
    "sign": np.sign,
    "silu": lambda x: x * _sigmoid(x),
    "silu_dx": lambda x: np.where(np.isnan(x), x, _sigmoid_dx(x, 1.0)),
    "sin": np.sin,
    "softplus": lambda x: np.logaddexp(0, x),
    "sqrt": np.sqrt,
    "square": np.square,
    "tanh": np.tanh,
}
"""Functions of one operand, on f64 arrays."""


def _larger(a: Array, b: Array) -> Array:
    return np.where(a > b, a, b)


def _smaller(a: Array, b: Array) -> Array:
    return np.where(a < b, a, b)


def _power(a: Array, b: Array) -> Array:
    if a.dtype.kind in "iu":
        return np.power(a, b)
    return np.power(a.astype(np.float64), b.astype(np.float64)).astype(a.dtype)


def _quotient(a: Array, b: Array) -> Array:
    """Return a / b; for integers towards zero."""
    integers = a.dtype.kind in "iu"
    if integers and not np.all(b):
        raise ZeroDivisionError("an integer is divided by zero")
    quotient: Array = np.floor_divide(a, b) if integers else np.divide(a, b)
    return quotient + (quotient * b != a) * ((a < 0) != (b < 0)) if integers else quotient


def _remainder(a: Array, b: Array) -> Array:
    """Return what is left of a after the division by b rounded down, with the sign of b."""
    if a.dtype.kind not in "iu":
        return np.mod(a.astype(np.float64), b.astype(np.float64)).astype(a.dtype)
    if not np.all(b):
        raise ZeroDivisionError("an integer is divided by zero")
    return np.mod(a, b)


def _number(relation: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    """Return a relation that answers 1 or 0 in the dtype of its operands."""
    return lambda a, b: relation(a, b).astype(a.dtype)


ALU: Final[Mapping[str, Callable[[Array, Array], Array]]] = {
    "add": np.add,
    "subtract": np.subtract,
    "mult": np.multiply,
    "divide": _quotient,
    "max": _larger,
    "min": _smaller,
    "pow": _power,
    "mod": _remainder,
    "is_equal": _number(np.equal),
    "not_equal": _number(np.not_equal),
    "is_less": _number(np.less),
    "is_less_equal": _number(np.less_equal),
    "is_greater": _number(np.greater),
    "is_greater_equal": _number(np.greater_equal),
    "abs_max": lambda a, b: np.where(np.abs(a) > np.abs(b), a, b),
    "abs_min": lambda a, b: np.where(np.abs(a) < np.abs(b), a, b),
    "logical_and": _number(np.logical_and),
    "logical_or": _number(np.logical_or),
    "logical_xor": _number(np.logical_xor),
}
"""Operations of the engines on two arrays of one dtype, f32 or an integer.

`max` and `min` are `a > b ? a : b` and `a < b ? a : b`: where one operand is NaN, the second one comes out.
`abs_max` and `abs_min` compare magnitudes and give the operand itself, with its sign; of equal ones the second.
"""

ALU_OF_ONE: Final = ("abs", "reciprocal", "relu", "rsqrt", "square")
"""Operations of the engines on one number, which `FUNCTIONS` has."""

BINARY: Final[Mapping[str, Callable[[Array, Array], Array]]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": _quotient,
    "pow": _power,
    "max": lambda a, b: np.where((a > b) | (a != a), a, b),  # NaN comes through from either side
    "min": lambda a, b: np.where((a < b) | (a != a), a, b),
}
"""Operations of the graph dialect on two arrays of one dtype, which broadcast."""

BITVEC: Final[Mapping[str, Callable[[Array, Array], Array]]] = {
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "bitwise_not": lambda a, b: np.bitwise_not(a),
    "logical_shift_left": lambda a, b: _shifted(a, b, np.left_shift),
    "logical_shift_right": lambda a, b: _shifted(a, b, np.right_shift),
}
"""Operations of the engines on the bits of integers; shifts are logical, in signed integers too."""


def _shifted(a: Array, count: Array, shift: Callable[[Array, Array], Array]) -> Array:
    """Return the bits of `a` shifted, as unsigned integers of the same width; by the width or more gives zero."""
    bits = a.view(f"u{a.itemsize}")
    moved = shift(bits, np.clip(count, 0, 8 * a.itemsize - 1).astype(bits.dtype))
    return np.where((count < 0) | (count >= 8 * a.itemsize), 0, moved).astype(bits.dtype).view(a.dtype)
