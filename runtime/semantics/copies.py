"""Copies: on chip, between the chip and memory, and to or from an address known only at run time.

An element whose dtype does not change keeps its bits. One whose dtype changes goes through f32 and is rounded once on
the way out; an integer beyond 2 ** 24 loses its last bits on the way in. The scalar engine sends every element through
f32, but in a program for trn2 or later, where it copies bits, as the vector and gpsimd engines and DMA do on all.
Source: AWS Neuron documentation, `nki.isa.tensor_copy`, `nki.isa.dma_copy`; Trainium2 architecture
guide, Scalar Engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.access import NeuronAP
from runtime.arithmetic import widen
from runtime.engines import NeuronEngine
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array, Machine, Placed, Positions, uses_machine
from runtime.semantics.run_time_indices import extents_of, in_range
from runtime.targets import parse_target, trn2


def copy(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the first operand, element by element in row-major order; its shape may differ from the result's.

    Dtypes: any in, any out.
    """
    return reshaped(converted(operands[0], inst), inst.shape)


def load(inst: Any, operands: Sequence[Any]) -> Array:
    """Return a tile of a tensor in DRAM, as `copy` does.

    Shapes: with `has_partition_broadcast`, one partition of the source fills all partitions of the result.
    Raises: InterpreterError, by the access, where the tile leaves the tensor: `init_value` is not modelled.
    """
    array = converted(operands[0], inst)
    if inst.has_partition_broadcast:
        return np.broadcast_to(array, inst.shape)
    return reshaped(array, inst.shape)


@uses_machine
def store(inst: Any, machine: Machine) -> Array:
    """Return a tile as `copy` does, or added to what `dst` holds already, with `rmw_op` add.

    Dtypes: a sum is f32.
    """
    array = reshaped(machine.value(inst.src), inst.shape)
    return converted(array, inst) if inst.rmw_op is None else added(machine.value(inst.dst), array)


def added(held: Array, array: Array) -> Array:
    """Return a sum, in f32, in which DMA computes whatever the dtypes are."""
    total: Array = widen(held) + widen(array)
    return total


@uses_machine
def gather(inst: Any, machine: Machine) -> Array | Placed:
    """Return the window `src`, moved along `generic_dim` by run-time indices.

    Shapes: one index, or none, gives the window. n indices give n where the window has 1, along `generic_dim`, in the
    order of the indices.
    Units: an index moves the window by `offset_scale` elements.
    Raises: InterpreterError for an index that would move the window out of the tensor, unless the machine skips or
        clamps those. A value has no contents for what is skipped, so that needs a `dst`.
    """
    src = inst.src
    if isinstance(src, NeuronAP):
        moved = _moved(inst, machine.positions(src), extents_of(src), machine)
        elements = machine.read(src, moved.positions)
    else:
        value = machine.value(src)
        moved = _moved(inst, np.arange(value.size).reshape(value.shape), value.shape, machine)
        elements = value.reshape(-1)[moved.positions]
    if moved.kept is None:
        return converted(elements, inst)
    if inst.dst is None:
        raise InterpreterError(
            "an index is out of range, and where it is skipped a value has no contents: give it a dst"
        )
    return Placed(converted(elements, inst), moved.without_skipped(machine.positions(inst.dst)))


@uses_machine
def scatter(inst: Any, machine: Machine) -> Placed:
    """Write `src` to the window `dst`, moved along `generic_dim` by run-time indices; the rest of the tensor stays.

    Shapes: with one index, or none, `src` has the shape of the window. With n indices it has n where the window has 1,
    along `generic_dim`; an index that comes twice keeps what its last one writes.
    Units: as for `gather`.
    Raises: InterpreterError for an index that would move the window out of the tensor, unless the machine skips or
        clamps those, and where there is no `dst`.
    """
    dst = inst.dst
    if dst is None:
        raise InterpreterError("a copy to a run-time address needs a dst to write to")
    moved = _moved(inst, machine.positions(dst), extents_of(dst), machine)
    values = reshaped(converted(machine.value(inst.src), inst), moved.whole)
    return Placed(moved.without_skipped(values), moved.positions)


@dataclass(frozen=True)
class Moved:
    """Where a window stands after it was moved by run-time indices."""

    positions: Positions  # of the indices that are not skipped
    whole: tuple[int, ...]  # the shape of the positions for all indices
    kept: NDArray[np.bool_] | None = None  # what is not skipped, along `dim`; None where nothing is skipped
    dim: int | None = None  # None: the elements in row-major order

    def without_skipped(self, array: Array) -> Array:
        """Return an array of the shape `whole`, or of its size, less what is skipped."""
        return array if self.kept is None else np.compress(self.kept, array.reshape(self.whole), self.dim)


def _moved(inst: Any, window: Positions, extents: tuple[int, ...], machine: Machine) -> Moved:
    """Return the positions of a window of a tensor with these extents, moved by the indices of the instruction."""
    if inst.generic_addrs is None:
        return Moved(window, window.shape)
    dim, scale = inst.generic_dim, inst.offset_scale
    if not 0 <= dim < len(extents):
        raise InterpreterError(f"generic_dim is {dim}, but the tensor has {len(extents)} dimensions")
    indices: Positions = machine.value(inst.generic_addrs).astype(np.int64).reshape(-1)
    if indices.size != 1 and (window.ndim != len(extents) or window.shape[dim] != 1):
        raise InterpreterError(
            f"{indices.size} indices need a window with extent 1 along dimension {dim} of {len(extents)}, "
            f"not [{','.join(map(str, window.shape))}]"
        )
    indices, inside = in_range(indices, window, extents[dim], scale, machine.out_of_bounds)
    steps: Positions = indices * scale
    if indices.size == 1:
        moved, kept, along = window + steps.reshape(()), np.repeat(inside, window.size), None
    else:
        moved, kept, along = window + steps.reshape(-1, *[1] * (len(extents) - dim - 1)), inside, dim
    if inside.all():
        return Moved(moved, moved.shape)
    return Moved(np.compress(kept, moved, along), moved.shape, kept, along)


def converted(array: Array, inst: Any) -> Array:
    """Return what a copy reads as it goes to the rounding: in f32 where the dtype changes, or on the scalar engine."""
    exact = inst.src.dtype is inst.dtype and (inst.engine is not NeuronEngine.SCALAR or _is_exact_on_scalar(inst))
    return array if exact else widen(array)


def _is_exact_on_scalar(inst: Any) -> bool:
    """Whether the program is for a generation whose scalar engine copies bits."""
    function = inst.parent_function
    name = function.module.target if function is not None and function.module is not None else None
    return name is not None and parse_target(name) >= trn2


def reshaped(array: Array, shape: tuple[int, ...]) -> Array:
    """Return the elements in another shape, in row-major order."""
    if array.shape == shape or not all(isinstance(extent, int) for extent in shape):
        return array
    if array.size != prod(shape):
        raise InterpreterError(f"copies {array.size} elements to {prod(shape)}")
    return array.reshape(shape)
