"""Operations of the vector engine that go on from element to element, or leave something in the accumulators.

All is computed in f32, each operation rounded once; results are rounded on the way out.
Source: AWS Neuron documentation, `nki.isa.scalar_tensor_tensor`, `nki.isa.tensor_tensor_scan`,
`nki.isa.tensor_scalar_cumulative`, `nki.isa.tensor_scalar_reduce`, `nki.isa.exponential`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.arithmetic import FUNCTIONS, evaluate, widen
from runtime.engines import NeuronEngine
from runtime.semantics import Array, Machine, uses_machine
from runtime.semantics.accumulators import accumulate, started
from runtime.semantics.scalars import like_result, operate, rows, scalars, unused


def scalar_tensor_tensor(inst: Any, operands: Sequence[Any]) -> Array:
    """Return `(src op0 scalar) op1 operand1`; a reversed operation has its right operand on the left."""
    src, operand0, operand1 = operands
    left = widen(src)
    first = operate(inst.op0, left, scalars(operand0, inst.scalar0, left, unused(inst.op0)), reverse=inst.reverse0)
    return operate(inst.op1, first, widen(operand1), reverse=inst.reverse1)


def tensor_tensor_scan(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the states of a scan: `(data0[n] op0 state) op1 data1[n]`, along the elements of each partition."""
    data0, data1, initial = operands
    left, right = rows(data0), rows(data1)
    state = np.broadcast_to(scalars(initial, inst.initial_scalar, left), (len(left), 1))[:, 0]
    states = np.empty_like(left)
    for column in range(left.shape[1]):
        state = operate(inst.op0, left[:, column], state, reverse=inst.reverse0)
        state = operate(inst.op1, state, right[:, column], reverse=inst.reverse1)
        states[:, column] = state
    return like_result(states.reshape(data0.shape), inst)


@uses_machine
def tensor_scalar_cumulative(inst: Any, machine: Machine) -> Array:
    """Return the accumulators after each element, `(src[n] op0 scalar) op1 accumulator`."""
    elements = rows(_with_scalar(inst, machine))
    loaded = _loaded(inst, machine)
    state = started(inst.reduce_cmd, inst.op1, machine, NeuronEngine.VECTOR, len(elements), loaded)
    states = np.empty_like(elements)
    for column in range(elements.shape[1]):
        state = operate(inst.op1, elements[:, column], state)
        states[:, column] = state
    machine.registers[NeuronEngine.VECTOR] = state
    return like_result(states, inst)


@uses_machine
def tensor_scalar_reduce(inst: Any, machine: Machine) -> tuple[Array, Array | None]:
    """Return `src op0 scalar`, and what its elements and the accumulators make by `reduce_op`."""
    result = _with_scalar(inst, machine)
    total = accumulate(result, inst, inst.reduce_op, machine, NeuronEngine.VECTOR, _loaded(inst, machine))
    return result, -total if inst.reduce_res_negate and total is not None else total


@uses_machine
def exponential(inst: Any, machine: Machine) -> tuple[Array, Array | None]:
    """Return `exp(src - maximum)`, and the sum of it and the accumulators.

    Dtypes: the exponential is rounded once to f32.
    """
    src = widen(machine.value(inst.src))
    largest = None if inst.max_value is None else machine.value(inst.max_value)
    result = evaluate(FUNCTIONS["exp"], src - scalars(largest, inst.max_scalar, src, 0.0))
    return result, accumulate(result, inst, "add", machine, NeuronEngine.VECTOR, _loaded(inst, machine))


def _with_scalar(inst: Any, machine: Machine) -> Array:
    """Return `src op0 scalar`."""
    src = widen(machine.value(inst.src))
    operand = None if inst.operand0 is None else machine.value(inst.operand0)
    return operate(inst.op0, src, scalars(operand, inst.scalar0, src, unused(inst.op0)))


def _loaded(inst: Any, machine: Machine) -> Array | None:
    """Return the initial values of the accumulators, where the instruction has some."""
    if inst.initial is not None:
        return np.asarray(machine.value(inst.initial))
    return None if inst.initial_scalar is None else np.asarray(inst.initial_scalar, np.float32)
