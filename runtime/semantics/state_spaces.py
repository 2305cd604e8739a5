"""State spaces and linear attention over sequences: everything but time is computed at once.

Dtypes: everything is computed in f64, whatever the operands are, and rounded once, by the interpreter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.semantics import Array
from runtime.semantics.widening import in_f64


def selective_scan(inst: Any, operands: Sequence[Any]) -> Array:
    """Return what the channels of Mamba make of the sequences.

    Shapes: [B, S, H], [B, S, H], [H, N], [B, S, N] and [B, S, N] give [B, S, H].
    """
    src, step, transition, inputs, outputs = in_f64(operands)
    state = np.zeros((len(src), *transition.shape))
    result: Array = np.empty_like(src)
    with np.errstate(over="ignore", invalid="ignore"):  # rates above 0 may grow beyond all bounds
        for time in range(src.shape[1]):
            moved = step[:, time, :, None]
            state = np.exp(moved * transition) * state + moved * src[:, time, :, None] * inputs[:, time, None]
            result[:, time] = np.matmul(state, outputs[:, time, :, None])[..., 0]
    return result


def mamba2(inst: Any, operands: Sequence[Any]) -> Array:
    """Return what the heads of Mamba-2 make of the sequences.

    Shapes: [B, S, H, P], [B, S, H], [H], [B, S, H, N] and [B, S, H, N] give [B, S, H, P].
    """
    src, step, transition, inputs, outputs = in_f64(operands)
    state = np.zeros((len(src), *src.shape[2:], inputs.shape[3]))
    result: Array = np.empty_like(src)
    with np.errstate(over="ignore", invalid="ignore"):
        decay = np.exp(step * transition)[..., None, None]
        added = step[..., None] * src
        for time in range(src.shape[1]):
            state = decay[:, time] * state + added[:, time, ..., None] * inputs[:, time, :, None]
            result[:, time] = np.matmul(state, outputs[:, time, ..., None])[..., 0]
    return result


def gated_delta_net(inst: Any, operands: Sequence[Any]) -> tuple[Array, ...]:
    """Return what the memories of all heads hold for the queries, and perhaps the last memories.

    Shapes: four times [B, S, H, N], a gate of [B, S, H] or [B, S, H, N], [B, S, H] and perhaps [B, H, N, N] give
    [B, S, H, N], and [B, H, N, N].
    """
    queries, keys, values, gate, beta, state = in_f64(operands)
    batch, length, heads, size = queries.shape
    if state is None:
        state = np.zeros((batch, heads, size, size))
    result: Array = np.empty_like(queries)
    with np.errstate(over="ignore", invalid="ignore"):
        decay = np.exp(gate.reshape(batch, length, heads, size if gate.ndim == 4 else 1))[
            ..., None
        ]  # for each key, or for all
        for time in range(length):
            state = decay[:, time] * state
            key = keys[:, time, :, None]
            difference = values[:, time, :, None] - key @ state
            state = state + key.swapaxes(-1, -2) * (beta[:, time, :, None, None] * difference)
            result[:, time] = (queries[:, time, :, None] @ state)[..., 0, :] / math.sqrt(size)
    return (result,) if inst.last_state is None else (result, state)
