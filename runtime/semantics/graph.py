"""The graph dialect: operations on values, without memory or engines.

Floats are computed in f32, or in f64 where an operand is f64; integers exactly, modulo 2 to the width of the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.arithmetic import BINARY, FUNCTIONS, evaluate, word
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array, Machine, uses_machine
from runtime.semantics.widening import widened, wrapped


@uses_machine
def input(inst: Any, machine: Machine) -> Any:
    """Return what the caller gave under the input's label."""
    return machine.input(inst.label)


def constant(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the contents of the constant."""
    return inst.value.array  # type: ignore[no-any-return]


def matmul(inst: Any, operands: Sequence[Any]) -> Array:
    """Return `lhs @ rhs`, with numpy's rules for batches and vectors.

    Dtypes: f32 is accumulated in f32, in the order that numpy's BLAS takes for these shapes.
    """
    lhs, rhs = widened(operands, inst.dtype)
    return wrapped(np.asarray(np.matmul(np.ascontiguousarray(lhs), np.ascontiguousarray(rhs))), inst.dtype)


def binary(inst: Any, operands: Sequence[Any]) -> Array:
    """Return `lhs <op> rhs`, element by element, with numpy's broadcasting."""
    lhs, rhs = widened(operands, inst.dtype)
    return wrapped(word(BINARY, inst.op)(lhs, rhs), inst.dtype)


def activation(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the function of each element."""
    (src,) = widened(operands[:1], inst.dtype)
    return evaluate(word(FUNCTIONS, inst.function), src)


def cast(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the operand: the interpreter's rounding to the result's dtype is the cast.

    Dtypes: floats go to integers by rounding to nearest even and clamping; see `runtime.rounding`.
    """
    return operands[0]  # type: ignore[no-any-return]


@uses_machine
def branch(inst: Any, machine: Machine) -> tuple[Any, ...]:
    """Return what the one region yields that the condition chooses; the other one does not run."""
    condition = machine.value(inst.condition)
    if condition.size != 1:
        raise InterpreterError(f"the condition has {condition.size} elements, not one")
    return machine.run(inst.then if condition.item() else inst.else_)
