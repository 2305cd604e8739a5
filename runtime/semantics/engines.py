"""The compute engines: activation, operations with scalars, operations of two tensors, the matrix product.

The engines compute in f32: operands are widened to f32, exactly but for integers beyond 2 ** 24, every operation is
rounded to f32, and the result is rounded once on the way out. Operations on bits take integers as they are. An
operand of f64, which no engine knows, is computed in f64.
Source: AWS Neuron documentation, architecture guides and `nki.isa`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from runtime.access import NeuronAP
from runtime.arithmetic import ALU, ALU_OF_ONE, BITVEC, FUNCTIONS, evaluate, widen, word
from runtime.dtypes import i32, u32
from runtime.engines import NeuronEngine
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array
from runtime.semantics.scalars import per_partition, scalars


def activation(inst: Any, operands: Sequence[Any]) -> Array:
    """Return `function(src * scale + bias)`; the product and the sum are rounded to f32 each.

    Shapes: `scale` and `bias` are one element, or one for each partition of `src`.
    """
    src, bias, scale_vector = operands
    argument = widen(src)
    argument = argument * scalars(scale_vector, inst.scale, argument)
    if bias is not None or inst.bias_scalar is not None:
        argument = argument + scalars(bias, inst.bias_scalar, argument)
    return evaluate(word(FUNCTIONS, inst.function), argument)


def tensor_scalar(inst: Any, operands: Sequence[Any]) -> Array:
    """Return `(src op0 scalar0) op1 scalar1`; where `reverse0` or `reverse1` is set, the scalar is on the left.

    Shapes: `operand0` and `operand1` hold one scalar, or one for each partition of `src`. With
    `is_scalar_tensor_tensor`, `operand1` has the shape of `src`.
    Dtypes: f32 but for operations on bits, which stay in the integers of `src`.
    """
    src, operand0, operand1 = operands
    scalar0 = inst.scalar0 if operand0 is None else operand0
    first = _with_scalar(src, inst.op0, scalar0, inst.reverse0, elementwise=False)
    if inst.op1 is None:
        return first
    scalar1 = inst.scalar1 if operand1 is None else operand1
    return _with_scalar(first, inst.op1, scalar1, inst.reverse1, elementwise=inst.is_scalar_tensor_tensor)


def tensor_tensor(inst: Any, operands: Sequence[Any]) -> Array:
    """Return `lhs op rhs`, element by element.

    Dtypes: f32 but for operations on bits, and for i32 and u32 on the gpsimd engine, which computes them as integers,
    modulo 2 ** 32. That engine gets them where none is assigned and the result is one of them, too, unless something is
    in PSUM, which it cannot reach.
    """
    lhs, rhs = operands
    if inst.op in BITVEC:
        return BITVEC[inst.op](lhs, rhs)
    whole = (np.int32, np.uint32)
    if lhs.dtype not in whole or rhs.dtype not in whole or not _is_on_gpsimd(inst):
        return word(ALU, inst.op)(widen(lhs), widen(rhs))
    if lhs.dtype == rhs.dtype:
        return word(ALU, inst.op)(lhs, rhs)
    exact = word(ALU, inst.op)(lhs.astype(np.int64), rhs.astype(np.int64))
    return exact.astype(inst.dtype.numpy) if inst.dtype in (i32, u32) else exact.astype(np.float32)


def reciprocal(inst: Any, operands: Sequence[Any]) -> Array:
    """Return one divided by every element."""
    result: Array = np.float32(1) / widen(operands[0])
    return result


def transpose(inst: Any, operands: Sequence[Any]) -> Array:
    """Return a tile with rows and columns swapped; every element keeps its bits.

    Shapes: [M, N] gives [N, M].
    """
    transposed: Array = np.transpose(operands[0])
    return transposed


def tensor_reduce(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the elements of the last dimensions, those of `reduce_dims`, combined by `op`, negated with `negate`.

    Dtypes: f32, rounded after each element, from the first to the last in row-major order; on bits the integers of
        `src`.
    """
    if inst.op == "subtract":
        raise InterpreterError("the source does not say what is subtracted from what")
    src = operands[0] if inst.op in BITVEC else widen(operands[0])
    n_dims = len(inst.reduce_dims)
    kept = src.shape[: src.ndim - n_dims]
    rows = src.reshape(*kept, prod(src.shape[src.ndim - n_dims :]))
    operation = word({**ALU, **BITVEC}, inst.op)
    total = rows[..., 0]
    for column in range(1, rows.shape[-1]):
        total = operation(total, rows[..., column])
    total = -total if inst.negate else total
    return np.asarray(total).reshape(*kept, *(1,) * n_dims if inst.keepdims else ())


def _is_on_gpsimd(inst: Any) -> bool:
    """Whether an operation on two tensors of 32-bit integers runs on the gpsimd engine."""
    if inst.assigned_engine is not None:
        return inst.assigned_engine is NeuronEngine.GPSIMD
    if inst.dtype not in (i32, u32):
        return False
    accesses = [access for access in (inst.lhs, inst.rhs, inst.dst) if isinstance(access, NeuronAP)]
    return all(access.tensor.memory != "psum" for access in accesses)


def _with_scalar(array: Array, op: str, scalar: Any, reverse: bool, *, elementwise: bool) -> Array:
    """Return `array op scalar`, or `scalar op array`."""
    if op == "bitwise_not":
        return BITVEC[op](array, array)
    if op in ALU_OF_ONE:
        return evaluate(FUNCTIONS[op], widen(array))
    if scalar is None:
        raise InterpreterError(f"the operation {op} has no scalar")
    if op in BITVEC:
        operation, left, right = BITVEC[op], array, _as_integers(scalar, array)
    else:
        right = widen(scalar) if isinstance(scalar, np.ndarray) else np.asarray(scalar, np.float32)
        operation, left = word(ALU, op), widen(array)
    right = right if elementwise else per_partition(right, left)
    return operation(right, left) if reverse else operation(left, right)


def _as_integers(scalar: Any, like: Array) -> Array:
    """Return scalars in the dtype of the integers, or truth values, that they are combined with."""
    integers = np.asarray(scalar).astype(like.dtype)
    if like.dtype.kind not in "iub" or (integers != scalar).any():
        raise InterpreterError(f"operations on bits need integers, not {scalar} with elements of {like.dtype}")
    return integers
