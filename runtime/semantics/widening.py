"""What operations on values are computed in: f32, f64 where an operand or the result is f64; integers as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.dtypes import DType, f64
from runtime.semantics import Array


def widened(operands: Sequence[Array], dtype: DType) -> list[Array]:
    """Return the operands in the numpy dtype that a result of `dtype` is computed in: floats never in integers."""
    if dtype is f64 or any(operand.dtype == np.float64 for operand in operands):
        return [operand.astype(np.float64, copy=False) for operand in operands]
    if dtype.is_float or any("float" in operand.dtype.name for operand in operands):
        return [operand.astype(np.float32, copy=False) for operand in operands]
    narrow = {"int": np.dtype(np.int8), "uint": np.dtype(np.uint8)}
    computed = narrow[dtype.kind] if dtype.bits < 8 else dtype.numpy
    return [operand.astype(computed, copy=False) for operand in operands]


def in_f64(operands: Sequence[Any]) -> list[Any]:
    """Return the operands in f64, for what is computed in it whatever they are; None where one is absent."""
    return [None if operand is None else operand.astype(np.float64, copy=False) for operand in operands]


def wrapped(computed: Array, dtype: DType) -> Array:
    """Return integers modulo 2 to the width of `dtype`, where they were computed in wider ones; floats as they are."""
    return computed.astype(dtype.numpy, copy=False) if dtype.is_int and computed.dtype.kind in "iu" else computed
