"""Numbers that follow from where an element stands: constants, ramps, and selections by them.

Units: a pattern has steps and counts, outermost first, as the NKI documentation writes them; the partitions are not one
of its dimensions.
Source: AWS Neuron documentation, `nki.isa.iota`, `nki.isa.memset`, `nki.isa.affine_select`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.arithmetic import ALU, widen, word
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array
from runtime.semantics.scalars import like_result

_I32 = np.iinfo(np.int32)


def iota(inst: Any, operands: Sequence[Any]) -> Array:
    """Return `offset + partition * channel_multiplier + pattern`.

    Dtypes: i32.
    Raises: InterpreterError for a number that i32 does not hold.
    """
    return like_result(_ramp(inst, inst.shape[0] if inst.shape else 1), inst)


def memset(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the constant everywhere."""
    return np.full(inst.shape, inst.value, np.float64)


def affine_select(inst: Any, operands: Sequence[Any]) -> Array:
    """Return `on_true` where the ramp compares with 0 as `cmp_op` says, elsewhere the constant, which is an f32.

    Dtypes: elements whose dtype stays are taken as they are; others go through f32.
    """
    (on_true,) = operands
    ramp = _ramp(inst, on_true.shape[0] if on_true.ndim else 1)
    chosen = word(ALU, inst.cmp_op)(ramp, np.zeros_like(ramp)) != 0
    exact = on_true.dtype.kind in "iu" and on_true.dtype == inst.dtype.numpy
    carried = on_true.astype(np.float64) if exact else widen(on_true)  # f64 holds all of i32 and u32
    otherwise = carried.dtype.type(np.float32(inst.on_false_value))
    return like_result(np.where(chosen.reshape(carried.shape), carried, otherwise), inst)


def _ramp(inst: Any, n_partitions: int) -> Array:
    """Return the numbers of a pattern, a row for each partition."""
    row = np.zeros(1, np.int64)
    for step, count in zip(inst.steps, inst.counts, strict=True):
        row = (row[:, None] + step * np.arange(count, dtype=np.int64)).reshape(-1)
    numbers = inst.offset + inst.channel_multiplier * np.arange(n_partitions, dtype=np.int64)[:, None] + row
    if numbers.size and not (_I32.min <= numbers.min() and numbers.max() <= _I32.max):
        raise InterpreterError(f"the pattern reaches {numbers.min()} to {numbers.max()}, which i32 does not hold")
    ramp: Array = numbers.astype(np.int32)
    return ramp
