"""Transfers by DMA: copies from and to addresses known only at run time, transpositions, sums.

An element whose dtype does not change keeps its bits; one whose dtype changes goes through f32.
Source: AWS Neuron documentation, `nki.isa.dma_copy`, `nki.isa.dma_transpose`, `nki.isa.dma_compute`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from runtime.access import NeuronAP
from runtime.arithmetic import widen
from runtime.infer.copies import DMA_TRANSPOSE_AXES
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array, Machine, Placed, Positions, uses_machine
from runtime.semantics.copies import added, converted, reshaped
from runtime.semantics.run_time_indices import extents_of, in_range, rows_of, rule_of


@uses_machine
def dma_copy(inst: Any, machine: Machine) -> Array | Placed:
    """Return `src` in the shape of the result, either side moved by its offset, or added to what `dst` holds.

    Units: an offset counts the indices of its dimension, `src_dim` or `dst_dim`.
    Raises: InterpreterError for an offset that would move a window out of its tensor, unless such a copy is skipped,
        which leaves everything as it is.
    """
    source, destination = inst.src, inst.dst
    if inst.src_offset is None and inst.dst_offset is None and inst.rmw_op is None:
        return reshaped(converted(machine.value(source), inst), inst.shape)
    if destination is None:
        raise InterpreterError("a copy to or from a run-time address, or one that adds, needs a dst")
    reads = _moved_by(source, inst.src_offset, inst.src_dim, inst, machine) if inst.src_offset is not None else None
    writes = _moved_by(destination, inst.dst_offset, inst.dst_dim, inst, machine)
    if writes is None or (inst.src_offset is not None and reads is None):
        return Placed(np.empty(0, inst.dtype.numpy), np.empty(0, np.int64))
    elements = machine.value(source) if reads is None else machine.read(source, reads)
    elements = reshaped(elements, writes.shape)
    if inst.rmw_op is not None:
        return Placed(added(machine.read(destination, writes), elements), writes)
    return Placed(converted(elements, inst), writes)


@uses_machine
def dma_transpose(inst: Any, machine: Machine) -> Array | Placed:
    """Return the source with its dimensions permuted.

    Shapes: with `indices`, the source has the rows of its tensor that they choose, column by column, as many as its
        access has.
    Raises: InterpreterError for an index out of range, unless such rows are skipped; they keep what `dst` holds.
    """
    src, rank = inst.src, len(inst.src.shape)
    order = tuple(inst.axes) if inst.axes is not None else DMA_TRANSPOSE_AXES[rank]
    if inst.indices is None:
        return np.transpose(machine.value(src), order)
    chosen: Positions = machine.value(inst.indices).astype(np.int64).T.reshape(-1)[: src.shape[0]]
    rows, inside = rows_of(src, chosen, rule_of(inst, machine), machine)
    elements = machine.read(src, rows[inside])
    if inside.all():
        return np.transpose(elements, order)
    if inst.dst is None:
        raise InterpreterError("an index is out of range, and where it is skipped a value has no contents")
    return Placed(elements, np.transpose(machine.positions(inst.dst), np.argsort(order))[inside])


def dma_compute(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the sum of the sources, in the shape of the result.

    Dtypes: f32; every sum is rounded to f32.
    """
    (srcs,) = operands
    total: Array = widen(srcs[0]).reshape(-1)
    for src in srcs[1:]:
        total = total + widen(src).reshape(-1)
    return reshaped(total, inst.shape)


def _moved_by(access: Any, offset: Any, dim: int, inst: Any, machine: Machine) -> Positions | None:
    """Return the positions of an access, moved by an offset along a dimension of its tensor; None where it is skipped.

    Raises: InterpreterError where what is moved is no access, or an offset is out of range.
    """
    if not isinstance(access, NeuronAP):
        raise InterpreterError("a run-time offset moves an access to a tensor, not a value")
    window = machine.positions(access)
    if offset is None:
        return window
    indices: Positions = machine.value(offset).astype(np.int64).reshape(-1)
    extents = extents_of(access)
    if indices.size != 1 or dim >= len(extents):
        raise InterpreterError(f"{indices.size} offsets along dimension {dim} of {len(extents)}; one is expected")
    scale = prod(extents[dim + 1 :])
    indices, inside = in_range(indices, window, extents[dim], scale, rule_of(inst, machine))
    return window + indices[0] * scale if inside[0] else None
