"""Matrix products of more kinds, and linear systems.

Dtypes: plain products and solutions in f32 (in f64 where an operand is f64), fused ones in f64 throughout; codes of 8
bits are summed in i32.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.arithmetic import FUNCTIONS, evaluate, word
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array
from runtime.semantics.widening import widened, wrapped


def dot_general(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the sum of products over the contracted dimensions, as one matrix product for each item of the batch.

    Shapes: the batch dimensions, those of lhs that are left, those of rhs that are left.
    """
    lhs, rhs = widened(operands, inst.dtype)
    left = _left_over(lhs, inst.lhs_batch, inst.lhs_contracting)
    right = _left_over(rhs, inst.rhs_batch, inst.rhs_contracting)
    rows = lhs.transpose((*inst.lhs_batch, *left, *inst.lhs_contracting))
    columns = rhs.transpose((*inst.rhs_batch, *inst.rhs_contracting, *right))
    batch = tuple(lhs.shape[axis] for axis in inst.lhs_batch)
    summed = int(np.prod([lhs.shape[axis] for axis in inst.lhs_contracting], dtype=np.int64))
    outer = tuple(lhs.shape[axis] for axis in left), tuple(rhs.shape[axis] for axis in right)
    m, n = (int(np.prod(extents, dtype=np.int64)) for extents in outer)
    product = np.matmul(
        np.ascontiguousarray(rows.reshape(*batch, m, summed)), np.ascontiguousarray(columns.reshape(*batch, summed, n))
    )
    return wrapped(product.reshape((*batch, *outer[0], *outer[1])), inst.dtype)


def _left_over(array: Array, *taken: Sequence[int]) -> tuple[int, ...]:
    return tuple(axis for axis in range(array.ndim) if not any(axis in axes for axes in taken))


def fused_bias_act(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the function of the product plus the bias."""
    lhs, rhs, bias = (operand.astype(np.float64, copy=False) for operand in operands)
    total = np.matmul(lhs, rhs) + bias
    return total if inst.activation is None else evaluate(word(FUNCTIONS, inst.activation), total)


def grouped(inst: Any, operands: Sequence[Any]) -> Array:
    """Return each row times the matrix of its expert, the rows of one expert at a time."""
    src, weights = widened(operands[:2], inst.dtype)
    return by_expert(src, expert_indices(operands[2], len(weights)), weights.shape[2], weights.__getitem__)


def expert_indices(experts: Array, count: int) -> Array:
    """Return which expert each row has.

    Raises: InterpreterError where there is no such expert.
    """
    chosen = experts.astype(np.int64)
    wrong = (chosen != experts) | (chosen < 0) | (chosen >= count)
    if wrong.any():
        raise InterpreterError(f"{experts[wrong][0]} is no index of an expert; there are {count}")
    return chosen


def by_expert(src: Array, experts: Array, columns: int, weights: Any) -> Array:
    """Return each row of `src` times `weights(expert)`, which is asked for once for each expert that has rows."""
    result = np.zeros((len(src), columns), src.dtype)
    for expert in np.unique(experts):
        rows = experts == expert
        result[rows] = src[rows] @ np.ascontiguousarray(weights(expert))
    return result


def lora(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the product, plus that with the adapter."""
    src, weights, down, up = (operand.astype(np.float64, copy=False) for operand in operands)
    return np.asarray(src @ weights + inst.scale * ((src @ down) @ up))


def dense_solve(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the solution of one system, for a vector or for the columns of a matrix."""
    matrix, rhs = widened(operands, inst.dtype)
    return _solution(matrix, rhs if rhs.ndim == 2 else rhs[:, None]).reshape(rhs.shape)


def batched_dense_solve(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the solutions of all systems of a batch."""
    matrix, rhs = widened(operands, inst.dtype)
    return _solution(matrix, rhs if rhs.ndim == 3 else rhs[:, :, None]).reshape(rhs.shape)


def _solution(matrix: Array, columns: Array) -> Array:
    """Return what solves the systems: NaN where a matrix has one, whatever pivots LAPACK finds in that."""
    unknown = np.isnan(matrix).any(axis=(-2, -1), keepdims=True)
    matrix = np.where(unknown, np.eye(matrix.shape[-1], dtype=matrix.dtype), matrix)
    try:
        return np.where(unknown, np.nan, np.linalg.solve(matrix, columns)).astype(matrix.dtype, copy=False)
    except np.linalg.LinAlgError:
        raise InterpreterError("the matrix is singular: the system has no solution, or many") from None


def quantized(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the product of codes, quantized again."""
    src, weights, bias = operands
    left = src.astype(np.int32) - np.int32(inst.src_zero_point)
    total = left @ (weights.astype(np.int32) - np.int32(inst.weights_zero_point))
    return requantized(total if bias is None else total + bias, inst.multiplier, inst.out_zero_point)


def requantized(total: Array, multiplier: float, zero_point: int) -> Array:
    """Return sums of codes as codes: halves go to the even integer."""
    codes = np.rint(total.astype(np.float64) * multiplier) + zero_point
    return np.asarray(np.clip(codes, -128, 127).astype(np.int8))
