"""Operands that hold one number, or one for each partition, and what the engines do with them in f32."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from runtime.arithmetic import ALU, ALU_OF_ONE, FUNCTIONS, evaluate, widen, word
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array


def per_partition(array: Array, like: Array) -> Array:
    """Return one element, or one for each partition of `like`, in a shape that broadcasts with it."""
    if array.size == 1:
        return array.reshape([1] * like.ndim)
    if array.ndim and like.ndim and array.size == array.shape[0] == like.shape[0]:
        return array.reshape(-1, *[1] * (like.ndim - 1))
    found, partitions = ",".join(map(str, array.shape)), like.shape[0] if like.ndim else 1
    raise InterpreterError(
        f"a scalar operand has one element, or one for each of {partitions} partitions, not [{found}]"
    )


def scalars(operand: Array | None, constant: float | None, like: Array, default: float | None = None) -> Array:
    """Return the scalars of an operand, else a constant, in f32 and in a shape that broadcasts with `like`.

    Raises: InterpreterError where there is neither, and no default.
    """
    if operand is not None:
        return per_partition(widen(operand), like)
    found = default if constant is None else constant
    if found is None:
        raise InterpreterError("there is neither an operand nor a constant with the scalar")
    return per_partition(np.asarray(found, np.float32), like)


def unused(op: str) -> float | None:
    """Return the scalar of an operation of one number, which ignores it; None for an operation that needs one."""
    return 0.0 if op in ALU_OF_ONE else None


def operate(op: str, left: Array, right: Array, *, reverse: bool = False) -> Array:
    """Return `left op right`, or `right op left`, of f32 arrays; an operation of one number takes the left one."""
    if op in ALU_OF_ONE:
        return evaluate(FUNCTIONS[op], left)
    operation = word(ALU, op)
    return operation(right, left) if reverse else operation(left, right)


def rows(array: Array) -> Array:
    """Return a tile as one row of f32 elements for each partition."""
    return flat(widen(array))


def flat(array: Array) -> Array:
    """Return a tile as one row of its elements for each partition, of which there may be none."""
    return array.reshape(array.shape[0] if array.ndim else 1, prod(array.shape[1:]))


def like_result(array: Any, inst: Any) -> Array:
    """Return elements in the shape of the result, in row-major order.

    Raises: InterpreterError where there are more or fewer.
    """
    found = np.asarray(array)
    shape = inst.shape
    if not all(isinstance(extent, int) for extent in shape):
        return found
    if found.size != int(np.prod(shape)):
        raise InterpreterError(f"gives {found.size} elements to a result of [{','.join(map(str, shape))}]")
    return found.reshape(shape)
