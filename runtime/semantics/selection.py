"""Selections on the vector engine: by a predicate, or by the place of an element.

Source: AWS Neuron documentation, `nki.isa.tensor_copy_predicated`, `nki.isa.select_reduce`, `nki.isa.range_select`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.arithmetic import ALU, widen, word
from runtime.engines import NeuronEngine
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array, Machine, Placed, uses_machine
from runtime.semantics.accumulators import accumulate
from runtime.semantics.scalars import like_result, per_partition, scalars


@uses_machine
def tensor_copy_predicated(inst: Any, machine: Machine) -> Placed:
    """Write `src`, or the scalar, where the predicate holds; the other elements of `dst` are not touched.

    Dtypes: elements of `src` keep their bits.
    Raises: InterpreterError without a `dst`, and where a tile has another number of elements.
    """
    if inst.dst is None:
        raise InterpreterError("a copy of some elements needs a dst, which has the others")
    positions = machine.positions(inst.dst)
    chosen = _holds(machine.value(inst.predicate), inst).reshape(-1)
    values = np.float64(inst.scalar) if inst.src is None else machine.value(inst.src).reshape(-1)
    if chosen.size != positions.size or values.size not in (1, positions.size):
        raise InterpreterError(f"copies to {positions.size} elements by a predicate of {chosen.size}")
    return Placed(np.broadcast_to(values, chosen.shape)[chosen], positions.reshape(-1)[chosen])


@uses_machine
def select_reduce(inst: Any, machine: Machine) -> tuple[Array, Array | None]:
    """Return `on_true` where the predicate holds, else `on_false`, and the largest of each partition.

    Dtypes: f32, which holds every element of 8 and 16 bits.
    """
    on_true = widen(machine.value(inst.on_true))
    on_false = None if inst.on_false is None else machine.value(inst.on_false)
    otherwise = scalars(on_false, inst.on_false_scalar, on_true)
    result = np.where(_holds(machine.value(inst.predicate), inst), on_true, otherwise)
    return like_result(result, inst), accumulate(result, inst, "max", machine, NeuronEngine.VECTOR)


@uses_machine
def range_select(inst: Any, machine: Machine) -> tuple[Array, Array | None]:
    """Return `on_true` where the place of an element is within both bounds, else the lowest f32, and the largest.

    Dtypes: f32.
    """
    on_true = widen(machine.value(inst.on_true))
    places = np.float32(inst.range_start) + np.arange(on_true[0].size, dtype=np.float32).reshape(on_true.shape[1:])
    inside = np.ones(on_true.shape, np.bool_)
    for op, bound in ((inst.comp_op0, inst.bound0), (inst.comp_op1, inst.bound1)):
        limit = per_partition(widen(machine.value(bound)), on_true)
        inside &= word(ALU, op)(np.broadcast_to(places, on_true.shape), limit) != 0
    result = np.where(inside, on_true, np.float32(inst.on_false_value))
    return like_result(result, inst), accumulate(result, inst, "max", machine, NeuronEngine.VECTOR)


def _holds(predicate: Array, inst: Any) -> Array:
    """Return where a predicate holds, or where it does not with `reverse_pred`."""
    return np.asarray((predicate != 0) != inst.reverse_pred)
