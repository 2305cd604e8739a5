"""Scatters: elements that are written, or added, where indices say.

Dtypes: what is replaced keeps its bits. Floats that are combined are computed in f64, whatever they are, and rounded
once, by the interpreter; integers modulo 2 to their width.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array, Positions
from runtime.semantics.indices import along, in_range, places
from runtime.semantics.movement import alike
from runtime.semantics.widening import widened, wrapped

_COMBINE: Final[Mapping[str, np.ufunc]] = {
    "add": np.add,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}


def scatter_add(inst: Any, operands: Sequence[Any]) -> Array:
    """Return `rows` rows of zeros, to which those of `updates` are added."""
    updates, indices = operands
    (wide,) = widened([updates], inst.dtype)
    rows = np.zeros((inst.rows, *updates.shape[1:]), _summed_in(wide))
    np.add.at(rows, in_range(indices, inst.rows, 0, from_end=False), wide.astype(rows.dtype, copy=False))
    return wrapped(rows, inst.dtype)


def scatter_nd(inst: Any, operands: Sequence[Any]) -> Array:
    """Return `data` with the slices of `updates` at the places that `indices` give."""
    data, indices, updates = operands
    expected = (*indices.shape[:-1], *data.shape[indices.shape[-1] :])
    if updates.shape != expected:
        raise InterpreterError(f"updates has the shape {list(updates.shape)}; expected {list(expected)}")
    found = places(indices, data.shape)
    if not found:  # K is 0: each slice is written over all of data
        return np.asarray(_written(inst, data[np.newaxis], (np.zeros(indices.shape[:-1], np.int64),), updates)[0])
    return _written(inst, data, found, updates)


def scatter_elements(inst: Any, operands: Sequence[Any]) -> Array:
    """Return `data` with each element of `updates` at its own place, but for its index along `axis`."""
    data, indices, updates = operands
    return _written(inst, data, along(indices, data.shape, inst.axis), updates)


def _written(inst: Any, data: Array, found: tuple[Positions, ...], updates: Array) -> Array:
    if inst.reduction == "replace":
        copied, new = alike((data, updates))
        result = copied.copy()
        result[found] = new
        return result
    if inst.dtype.is_bool:
        result, new = data.copy(), updates
    else:
        wide, new = widened((data, updates), inst.dtype)
        result = wide.astype(_summed_in(wide))
    _COMBINE[inst.reduction].at(result, found, new.astype(result.dtype, copy=False))
    return wrapped(result, inst.dtype)


def _summed_in(array: Array) -> np.dtype[Any]:
    """Return the numpy dtype of sums: f64 for floats, an integer's own."""
    return np.dtype(np.float64) if array.dtype.kind == "f" else array.dtype
