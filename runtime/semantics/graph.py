"""The graph dialect: operations on values, without memory or engines.

Floats are computed in f32, or in f64 where an operand or the result is f64; integers exactly, modulo 2 to the width of
the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.arithmetic import BINARY, FUNCTIONS, evaluate, word
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array, Machine, uses_machine
from runtime.semantics.widening import widened, wrapped


@uses_machine
def input(inst: Any, machine: Machine) -> Any:
    """Return what the caller gave under the input's label."""
    return machine.input(inst.label)


def constant(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the contents of the constant."""
    contents: Array = inst.value.array
    return contents


def matmul(inst: Any, operands: Sequence[Any]) -> Array:
    """Return `lhs @ rhs`, with numpy's rules for batches and vectors.

    Dtypes: f32 is accumulated in f32, in the order that numpy's BLAS takes for these shapes.
    """
    lhs, rhs = widened(operands, inst.dtype)
    return wrapped(np.asarray(np.matmul(np.ascontiguousarray(lhs), np.ascontiguousarray(rhs))), inst.dtype)


def binary(inst: Any, operands: Sequence[Any]) -> Array:
    """Return `lhs <op> rhs`, element by element, with numpy's broadcasting.

    Raises: InterpreterError for what bools have none of.
    """
    lhs, rhs = widened(operands, inst.dtype)
    if lhs.dtype == np.bool_ and inst.op in ("sub", "div", "pow"):
        raise InterpreterError(f"bools have no {inst.op}")
    return wrapped(word(BINARY, inst.op)(lhs, rhs), inst.dtype)


def activation(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the function of each element."""
    (src,) = widened(operands[:1], inst.dtype)
    return evaluate(word(FUNCTIONS, inst.function), src)


def cast(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the operand: the interpreter's rounding to the result's dtype is the cast.

    Dtypes: floats go to integers by rounding to nearest even and clamping; see `runtime.rounding`.
    """
    operand: Array = operands[0]
    return operand


@uses_machine
def branch(inst: Any, machine: Machine) -> tuple[Any, ...]:
    """Return what the one region yields that the condition chooses; the other one does not run."""
    condition = machine.value(inst.condition)
    if condition.size != 1:
        raise InterpreterError(f"the condition has {condition.size} elements, not one")
    return machine.run(inst.then if condition.item() else inst.else_)


@uses_machine
def repeat(inst: Any, machine: Machine) -> tuple[Any, ...]:
    """Return the carried values after the last round."""
    state = tuple(machine.value(value) for value in inst.init)
    while True:
        (goes_on,) = machine.run(inst.condition, state)
        if goes_on.size != 1:
            raise InterpreterError(f"the condition has {goes_on.size} elements, not one")
        if not goes_on.item():
            return state
        state = machine.run(inst.body, state)


@uses_machine
def scan(inst: Any, machine: Machine) -> tuple[Any, ...]:
    """Return the carried values after the last round, then what the rounds yield beside them, along `axis`.

    Shapes: a collected value has the extent of the number of rounds along `axis`.
    Raises: InterpreterError where it is not known how many rounds there are.
    """
    state = tuple(machine.value(value) for value in inst.init)
    items = [np.moveaxis(machine.value(value), inst.axis, 0) for value in inst.items]
    counts = {len(item) for item in items} | ({inst.rounds} if inst.rounds is not None else set())
    if len(counts) != 1:
        said = " and ".join(map(str, sorted(counts))) or "no number of"
        raise InterpreterError(f"{said} rounds are said to be run; one number is expected")
    collected: list[list[Array]] = [[] for _ in inst.collected]
    for at in range(counts.pop()):
        yielded = machine.run(inst.body, (*state, *(item[at] for item in items)))
        state = yielded[: len(state)]
        for values, value in zip(collected, yielded[len(state) :], strict=True):
            values.append(value)
    if not collected or collected[0]:
        return (*state, *(np.stack(values, inst.axis) for values in collected))
    items_of_none = inst.body.terminator.values[len(state) :]
    return (*state, *(_nothing(r, v, inst.axis) for r, v in zip(inst.collected, items_of_none, strict=True)))


def _nothing(result: Any, item: Any, axis: int) -> Array:
    """Return the value of `result`, of which no round has yielded an `item`: the extent along `axis` is 0."""
    shape, dtype = item.type.shape, result.type.dtype or item.type.dtype
    if shape is None or not all(isinstance(extent, int) for extent in shape):
        own = result.type.shape
        known = own is not None and -len(own) <= axis < len(own)
        shape = np.delete(np.array(own, object), axis) if known else None
    if dtype is None or shape is None or not all(isinstance(extent, int) for extent in shape):
        raise InterpreterError(f"no rounds are run, and nothing says what {result.type} is without any")
    rank = len(shape) + 1
    if not -rank <= axis < rank:
        raise InterpreterError(f"axis is {axis}, and what is collected has {rank} dimension{'s' * (rank != 1)}")
    extents = list(shape)
    extents.insert(axis % rank, 0)
    return np.zeros(extents, dtype.numpy)
