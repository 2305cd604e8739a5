"""Recurrent networks: everything but time is computed at once.

Dtypes: everything is computed in f64, whatever the operands are, and rounded once, by the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.arithmetic import FUNCTIONS
from runtime.semantics import Array
from runtime.semantics.widening import in_f64

Floats = NDArray[np.float64]
States = tuple[Floats, ...]
Step = Callable[[Floats, Floats, Floats, States], States]
"""From the input's part of the rows, the hidden weights, the hidden bias and the states to the next states."""


def rnn(inst: Any, operands: Sequence[Any]) -> tuple[Array, ...]:
    """Return the hidden states of an Elman network, and perhaps the last ones.

    Shapes: [B, S, I] gives [B, S, directions * hidden_size].
    """
    src, inputs, hidden, bias, state = in_f64(operands)

    def step(row: Floats, weights: Floats, _: Floats, states: States) -> States:
        total = row + states[0] @ weights.T
        return (np.asarray(np.where(total <= 0, 0, total) if inst.relu else np.tanh(total)),)

    return _present(inst, _run(inst, src, inputs, hidden, (bias, None), (state,), step))


def gru(inst: Any, operands: Sequence[Any]) -> tuple[Array, ...]:
    """Return the hidden states of gated recurrent units, and perhaps the last ones.

    Shapes: [B, S, I] gives [B, S, directions * hidden_size].
    """
    src, inputs, hidden, input_bias, hidden_bias, state = in_f64(operands)
    size = inst.hidden_size

    def step(row: Floats, weights: Floats, bias: Floats, states: States) -> States:
        (h,) = states
        gates = row[:, : 2 * size] + h @ weights[: 2 * size].T + bias[: 2 * size]
        reset, update = np.split(_sigmoid(gates), 2, axis=1)
        ours, more = weights[2 * size :].T, bias[2 * size :]
        of_state = reset * (h @ ours + more) if inst.linear_before_reset else (reset * h) @ ours + more
        proposed = np.tanh(row[:, 2 * size :] + of_state)
        return ((1 - update) * proposed + update * h,)

    return _present(inst, _run(inst, src, inputs, hidden, (input_bias, hidden_bias), (state,), step))


def lstm(inst: Any, operands: Sequence[Any]) -> tuple[Array, ...]:
    """Return the hidden states of long short-term memory, and perhaps the last ones, and the last cells.

    Shapes: [B, S, I] gives [B, S, directions * hidden_size].
    """
    src, inputs, hidden, bias, state, cell = in_f64(operands)

    def step(row: Floats, weights: Floats, _: Floats, states: States) -> States:
        h, c = states
        i, f, g, o = np.split(row + h @ weights.T, 4, axis=1)
        c = _sigmoid(f) * c + _sigmoid(i) * np.tanh(g)
        return np.asarray(_sigmoid(o) * np.tanh(c)), c

    return _present(inst, _run(inst, src, inputs, hidden, (bias, None), (state, cell), step))


def _run(
    inst: Any,
    src: Floats,
    input_weights: Floats,
    hidden_weights: Floats,
    biases: tuple[Floats, Floats | None],
    initial: tuple[Floats | None, ...],
    step: Step,
) -> tuple[Floats, ...]:
    """Return what the last layer yields, and the last states of all layers and directions."""
    blocks, size, batch = inst.packing, inst.hidden_size, len(src)
    inputs = _unpacked(input_weights, blocks.rows, blocks.widths(src.shape[2]))
    hidden = _unpacked(hidden_weights, blocks.rows, [size] * blocks.count)
    of_input, of_hidden = (None if bias is None else bias.reshape(blocks.count, -1) for bias in biases)
    last: list[Floats] = [np.zeros((blocks.count, batch, size)) if state is None else state.copy() for state in initial]
    given = src
    for layer in range(blocks.layers):
        yielded = []
        for direction in range(blocks.directions):
            at = layer * blocks.directions + direction
            order = slice(None, None, -1 if direction else 1)
            rows = given[:, order] @ inputs[at].T + (0 if of_input is None else of_input[at])
            bias = np.zeros(blocks.rows) if of_hidden is None else of_hidden[at]
            states = tuple(state[at] for state in last)
            collected = np.empty((batch, rows.shape[1], size))
            for time in range(rows.shape[1]):
                states = step(rows[:, time], hidden[at], bias, states)
                collected[:, time] = states[0]
            for state, new in zip(last, states, strict=True):
                state[at] = new
            yielded.append(collected[:, order])
        given = np.concatenate(yielded, axis=2)
    return (given, *last)


def _unpacked(packed: Floats, rows: int, widths: Sequence[int]) -> list[Floats]:
    """Return the blocks of packed weights."""
    ends = np.cumsum([rows * width for width in widths])
    parts = np.split(packed.reshape(-1), ends[:-1])
    return [part.reshape(rows, width) for part, width in zip(parts, widths, strict=True)]


def _present(inst: Any, values: Sequence[Array]) -> tuple[Array, ...]:
    """Return the values of those results that are not absent."""
    return tuple(value for value, result in zip(values, inst.all_results, strict=True) if result is not None)


def _sigmoid(x: Floats) -> Floats:
    with np.errstate(over="ignore"):  # far below 0 it is 0
        return FUNCTIONS["sigmoid"](x)
