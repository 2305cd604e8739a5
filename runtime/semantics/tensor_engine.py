"""Products on the tensor engine.

Products are f32 and are added up in f32, by partitions from the first to the last, so that no result depends on a BLAS.
What is added to PSUM is added in f32 and rounded once.
Source: AWS Neuron documentation, `nki.isa.nc_matmul`, the architecture guides.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from runtime.arithmetic import widen
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array, Machine, uses_machine


@uses_machine
def matmul(inst: Any, machine: Machine) -> Array:
    """Return `stationary.T @ moving`, with `accumulate` added to what `dst` holds.

    Shapes: [K, M] and [K, N] give [M, N]; so do [K, 2, M] and [K, 2, N] in the mode double_row.
    Raises: InterpreterError for a transposition by something else than an identity.
    """
    stationary, moving = machine.value(inst.stationary), machine.value(inst.moving)
    if inst.is_transpose:
        return _transposed(stationary, moving)
    return accumulated(product(widen(stationary), widen(moving)), inst, machine)


def product(stationary: Array, moving: Array) -> Array:
    """Return the product of f32 or f64 operands, contracted over all dimensions but the last.

    Shapes: [..., M] and [..., N] give [M, N].
    """
    left, right = (operand.reshape(prod(operand.shape[:-1]), operand.shape[-1]) for operand in (stationary, moving))
    total = np.zeros((left.shape[1], right.shape[1]), np.result_type(left, right))
    for row, column in zip(left, right, strict=True):
        total += np.multiply.outer(row, column)
    return total


def accumulated(result: Array, inst: Any, machine: Machine) -> Array:
    """Return a product, or its sum with what `dst` holds.

    Raises: InterpreterError where there is no `dst` to add to.
    """
    if not inst.accumulate:
        return result
    if inst.dst is None:
        raise InterpreterError("a product is added to what its dst holds, and there is none")
    held: Array = widen(machine.value(inst.dst))
    return held + result


def _transposed(stationary: Array, moving: Array) -> Array:
    identity = np.eye(len(stationary), dtype=np.float32)
    if moving.shape != identity.shape or not np.array_equal(widen(moving), identity):
        raise InterpreterError(f"transposes with an identity of [{len(stationary)},{len(stationary)}] as moving only")
    transposed: Array = np.transpose(stationary)
    return transposed
