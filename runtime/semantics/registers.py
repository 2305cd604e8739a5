"""Scalar registers: words of 32 bits, or pairs of them, computed modulo 2 to their width.

Dtypes: i32, u32 and u64, kept exactly.
Source: AWS Neuron documentation, `nki.isa.register_alloc` and its neighbours; its architecture guides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from runtime.arithmetic import word
from runtime.dtypes import DType
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array


def alloc(inst: Any, operands: Sequence[Any]) -> Array:
    """Return a register that holds `value`."""
    return _number(inst.value, inst.dtype)


def move(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the bits of the register `src`, or the number `imm`."""
    (src,) = operands
    return _number(inst.imm, inst.dtype) if src is None else _scalar(src).view(inst.dtype.numpy)


def load(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the one element of the source."""
    return _scalar(operands[0])


def store(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the register in the shape of the destination, which has one element.

    Raises: InterpreterError where it has more of them.
    """
    if not all(extent == 1 for extent in inst.shape):
        raise InterpreterError(f"a register is one element, and the destination is {inst.type}")
    return _scalar(operands[0]).reshape(inst.shape)


def alu(inst: Any, operands: Sequence[Any]) -> Array:
    """Return `lhs op rhs`, or `lhs op imm`, modulo 2 to the width.

    Raises: InterpreterError for a quotient of a negative number or by zero, and a shift by the width or more.
    """
    lhs, rhs = operands
    left = _scalar(lhs)
    right = _number(inst.imm, inst.dtype) if rhs is None else _scalar(rhs)
    if inst.op in ("divide", "mod") and (left < 0 or right <= 0):
        raise InterpreterError(
            f"{inst.op} of {left} and {right}: only what is not negative is divided, and not by zero"
        )
    if inst.op in _SHIFTS and not 0 <= right < inst.dtype.bits:
        raise InterpreterError(f"{inst.op} by {right}; expected 0 to {inst.dtype.bits - 1}")
    return np.asarray(word(_OPERATIONS, inst.op)(left, right), left.dtype)


def _shifted_right(left: Array, right: Array) -> Array:
    """Return the word moved to its low end, with zeros behind it whatever its sign."""
    bits = left.view(f"u{left.itemsize}") >> right.view(f"u{right.itemsize}")
    return np.asarray(bits).view(left.dtype)


_SHIFTS: Final = ("logical_shift_left", "logical_shift_right")
_OPERATIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "add": np.add,
    "subtract": np.subtract,
    "mult": np.multiply,
    "divide": np.floor_divide,
    "max": np.maximum,
    "min": np.minimum,
    "mod": np.remainder,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "logical_shift_left": np.left_shift,
    "logical_shift_right": _shifted_right,
}


def _scalar(array: Array) -> Array:
    """Return the one element of an array.

    Raises: InterpreterError where there are more of them.
    """
    if array.size != 1:
        raise InterpreterError(f"a register holds one element, not {array.size}")
    return array.reshape(())


def _number(value: int, dtype: DType) -> Array:
    """Return the word of `dtype` with the low bits of a number."""
    return np.asarray(value % 2**dtype.bits, f"u{dtype.itemsize}").view(dtype.numpy)
