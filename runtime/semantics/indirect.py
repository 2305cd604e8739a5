"""Gathers and scatters by DMA: rows of a tensor that run-time indices choose.

An element whose dtype does not change keeps its bits; one whose dtype changes goes through f32.
Source: AWS Neuron documentation, `nki.isa.dma_copy`, `nki.isa.dma_compute`, access patterns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.arithmetic import widen
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array, Machine, Placed, Positions, uses_machine
from runtime.semantics.copies import added, converted
from runtime.semantics.run_time_indices import rows_of, rule_of


@uses_machine
def load(inst: Any, machine: Machine) -> Array | Placed:
    """Return the rows of `src` that the indices choose, or add them to what `dst` holds, with `rmw_op`.

    Raises: InterpreterError for an index out of range, unless such rows are skipped; they keep what `dst` holds, so
        that needs one. Likewise for an index that comes twice against the promise.
    """
    rows, inside = _rows(inst.src, inst, machine)
    elements = machine.read(inst.src, rows[inside])
    if inst.rmw_op is None and inside.all():
        return converted(elements, inst)
    if inst.dst is None:
        raise InterpreterError("a gather that skips a row, or adds, needs a dst")
    places = machine.positions(inst.dst)[inside]
    if inst.rmw_op is not None:
        return Placed(added(machine.read(inst.dst, places), elements), places)
    return Placed(converted(elements, inst), places)


@uses_machine
def save(inst: Any, machine: Machine) -> Placed:
    """Write the rows of `src` to those of `dst` that the indices choose; of those that come twice the last one stays.

    Raises: InterpreterError for an index out of range, unless such rows are skipped, or one that comes twice against
        the promise.
    """
    rows, inside = _rows(inst.dst, inst, machine)
    return Placed(converted(machine.value(inst.src)[inside], inst), rows[inside])


@uses_machine
def save_accumulate(inst: Any, machine: Machine) -> Placed:
    """Add the rows of `src` to those of `dst` that the indices choose, one after the other.

    Dtypes: f32, rounded once for all rows that are added to one.
    Raises: InterpreterError as for `save`.
    """
    rows, inside = _rows(inst.dst, inst, machine, inst.num_indices)
    places, which = np.unique(rows[inside], return_inverse=True)
    held, array = machine.read(inst.dst, places), machine.value(inst.src)[inside]
    total: Array = np.array(widen(held))
    np.add.at(total, which.reshape(-1), widen(array).reshape(-1))
    return Placed(total, places)


def _rows(access: Any, inst: Any, machine: Machine, count: int | None = None) -> tuple[Positions, NDArray[np.bool_]]:
    """Return the positions of the rows that the indices choose, and which of these count: the first `count`, in range.

    Raises: InterpreterError for an index out of range, or one that comes twice against the promise.
    """
    indices: Positions = machine.value(inst.indices).astype(np.int64).reshape(-1)
    counted = indices.size if count is None else min(count, indices.size)
    most = None if inst.max_index is None else inst.max_index - 1
    rows, inside = rows_of(access, indices[:counted], rule_of(inst, machine), machine, most)
    if inst.unique_indices:
        _check_unique(indices[:counted][inside])
    left = indices.size - counted
    if left:
        rows = np.concatenate([rows, np.repeat(rows[:1] if counted else machine.positions(access)[:1], left, axis=0)])
        inside = np.concatenate([inside, np.zeros(left, np.bool_)])
    return rows, inside


def _check_unique(indices: Positions) -> None:
    values, counts = np.unique(indices, return_counts=True)
    if (counts > 1).any():
        raise InterpreterError(f"index {values[counts > 1][0]} comes twice, and unique_indices promises that none does")
