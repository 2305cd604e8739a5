"""The accumulators of the vector and the scalar engine: one f32 number for each lane, which instructions share.

The n-th partition of an instruction is taken to use lane n. Elements are combined in f32, from the first to the last,
before they are rounded to the data type of the result: what the source says of NaN in `range_select` suggests so, and
elsewhere it adds up `dst` in pseudo-code, without a word on rounding.
Source: AWS Neuron documentation, `nki.isa.reduce_cmd`, `nki.isa.activation`, `nki.isa.tensor_scalar_reduce`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from runtime.arithmetic import ALU, widen, word
from runtime.engines import NeuronEngine
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array, Machine
from runtime.semantics.scalars import rows

IDENTITY: Final[Mapping[str, float]] = {
    "add": 0.0,
    "subtract": 0.0,
    "mult": 1.0,
    "max": -np.inf,
    "min": np.inf,
    "abs_max": 0.0,
    "abs_min": np.inf,
}
"""What accumulators start with, by the operation."""


def started(command: str, op: str, machine: Machine, engine: NeuronEngine, n_lanes: int, loaded: Array | None) -> Array:
    """Return what accumulators hold before an instruction adds to them.

    Raises: InterpreterError where an instruction goes on with what nothing has put there, or loads nothing.
    """
    if command == "load_reduce":
        if loaded is None:
            raise InterpreterError("load_reduce loads an initial value, and there is none")
        return np.broadcast_to(widen(loaded).reshape(-1), (n_lanes,)).copy()
    if command != "reduce":
        return np.full(n_lanes, IDENTITY[op], np.float32)
    held = machine.registers.get(engine)
    if held is None:
        raise InterpreterError(f"goes on with the accumulators of the {engine.value} engine, of which nothing is known")
    if held.size != n_lanes:
        raise InterpreterError(f"goes on with {n_lanes} accumulators; the instruction before left {held.size}")
    return held


def accumulate(
    elements: Array, inst: Any, op: str, machine: Machine, engine: NeuronEngine, loaded: Array | None = None
) -> Array | None:
    """Combine the elements of each partition with the accumulators, as `reduce_cmd` says, and return what these hold.

    Nothing is accumulated for `idle`, after which nothing is known of the vector engine's; the scalar engine keeps its.
    Shapes: a tile of P partitions gives [P, 1].
    """
    command = inst.reduce_cmd
    if command == "idle":
        if engine is NeuronEngine.VECTOR:
            machine.registers.pop(engine, None)
            return None
        held = machine.registers.get(engine)
        if held is None and inst.reduce_res is not None:
            raise InterpreterError(f"reads accumulators of the {engine.value} engine, of which nothing is known")
        return None if held is None else held.reshape(-1, 1)
    lanes = rows(elements)
    total = started(command, op, machine, engine, len(lanes), loaded)
    if command != "reset":
        total = combined(lanes, total, word(ALU, op), accumulator_first=engine is NeuronEngine.SCALAR)
    machine.registers[engine] = total
    return total.reshape(-1, 1)


def combined(
    lanes: Array, total: Array, operation: Callable[[Array, Array], Array], *, accumulator_first: bool
) -> Array:
    """Return the accumulators after every element of their lanes, from the first to the last.

    Which of the two comes first tells which of equal magnitudes stays: the source writes `reduce_op(accumulator, dst)`
    of the scalar engine, and of the vector engine `op1(src, reg)`.
    """
    for column in range(lanes.shape[1]):
        element = lanes[:, column]
        total = operation(total, element) if accumulator_first else operation(element, total)
    return total
