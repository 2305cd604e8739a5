"""The eight largest elements of a partition, where they stand, and a tile without them, on the vector engine.

Elements and values are compared in f32.
Source: AWS Neuron documentation, `nki.isa.max8`, `nki.isa.nc_find_index8`, `nki.isa.nc_match_replace8`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array
from runtime.semantics.scalars import flat, like_result, rows

_WIDTH = 8


def max8(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the eight largest elements of each partition, in descending order.

    Shapes: a tile of P partitions gives [P, 8].
    Raises: InterpreterError for NaN, of which the source says nothing.
    """
    elements = rows(operands[0])
    if np.isnan(elements).any():
        raise InterpreterError("there is a NaN among the elements, of which no order is said")
    return -np.sort(-elements, axis=1)[:, :_WIDTH]


def nc_find_index8(inst: Any, operands: Sequence[Any]) -> Array:
    """Return where each value stands; of equal ones the n-th gets the n-th place. What is not there is all ones.

    Shapes: [P, 8].
    """
    elements, values = (rows(operand) for operand in operands)
    missing = np.iinfo(np.uint16 if inst.dtype.bits == 16 else np.uint32).max
    found = np.full(values.shape, missing, np.int64)
    for lane, row in enumerate(elements):
        taken: dict[float, int] = {}
        for column, value in enumerate(values[lane].tolist()):
            places = np.flatnonzero(row == value)
            rank = taken.get(value, 0)
            if rank < places.size:
                found[lane, column] = places[rank]
            taken[value] = rank + 1
    return found


def nc_match_replace8(inst: Any, operands: Sequence[Any]) -> tuple[Array, Array | None]:
    """Return the elements with the places of the values replaced, and these places.

    The values are looked for from the last to the first, each at the first place that is not replaced yet.
    Shapes: those of the elements, and [P, 8].
    Raises: InterpreterError where a place is asked for of a value that is not there.
    """
    source, values = operands[0], rows(operands[1])
    exact = source.dtype.kind in "iu" and inst.dtype.numpy == source.dtype
    result = flat(source.astype(np.float64 if exact else np.float32))  # a copy
    elements, places = rows(source), np.full(values.shape, -1, np.int64)
    for lane, row in enumerate(elements):
        replaced = np.zeros(row.size, np.bool_)
        for column in range(values.shape[1] - 1, -1, -1):
            there = np.flatnonzero((row == values[lane, column]) & ~replaced)
            if there.size:
                places[lane, column] = there[0]
                replaced[there[0]] = True
        result[lane, replaced] = np.float32(inst.imm)
    if inst.dst_idx is not None and (places < 0).any():
        lane, column = (int(at) for at in np.argwhere(places < 0)[0])
        raise InterpreterError(
            f"the value {values[lane, column]} of partition {lane} is not among its elements, and has no index"
        )
    return like_result(result.reshape(source.shape), inst), places
