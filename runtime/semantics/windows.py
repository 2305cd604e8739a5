"""Convolutions and pools: what is computed in windows that move over spatial dimensions.

Dtypes: floats are computed in f32, in f64 where an operand or the result is f64, and rounded to the data type of the
result by the interpreter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from runtime.semantics import Array
from runtime.semantics.widening import widened
from runtime.windows import Windows


def conv(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the convolution: a matrix product for each group, of its weights and the windows of its channels.

    Shapes: [N, C, ...], [O, C / groups, ...] and perhaps [O] give [N, O, ...].
    """
    src, weights, *bias = widened([operand for operand in operands if operand is not None], inst.dtype)
    result = convolved(
        src, weights, Windows.along(weights.shape[2:], inst.strides, inst.padding, inst.dilations), inst.groups
    )
    return result + bias[0].reshape(-1, *(1,) * (src.ndim - 2)) if bias else result


def convolved(src: Array, weights: Array, windows: Windows, groups: int) -> Array:
    """Return the convolution of arrays of one numpy dtype, in that dtype."""
    rank = src.ndim - 2
    views = every_window(src, windows, 0)
    n, channels = src.shape[0], weights.shape[1]
    counts, taken = views.shape[2 : 2 + rank], math.prod(weights.shape[1:])
    grouped = views.reshape(n, groups, channels, *views.shape[2:])
    # [N, groups, C / groups, counts, window] -> [N, groups, C / groups * window, counts]
    order = (0, 1, 2, *range(3 + rank, 3 + 2 * rank), *range(3, 3 + rank))
    columns = grouped.transpose(order).reshape(n, groups, taken, math.prod(counts))
    rows = weights.reshape(groups, len(weights) // groups, taken)
    return np.asarray(np.matmul(rows, np.ascontiguousarray(columns)).reshape(n, len(weights), *counts))


def pool(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the largest element or the mean of each window; a mean is taken in f64."""
    (src,) = widened(operands, inst.dtype)
    rank = src.ndim - 2
    windows = Windows.along(inst.window, inst.strides, inst.padding)
    inside = tuple(range(-rank, 0))
    if inst.op == "max":
        return np.asarray(every_window(src, windows, -np.inf).max(axis=inside))
    total = every_window(src, windows, 0).sum(axis=inside, dtype=np.float64)
    ones = np.ones(src.shape[2:])[None, None]
    counted = float(np.prod(inst.window)) if inst.counts_padding else every_window(ones, windows, 0).sum(axis=inside)
    with np.errstate(invalid="ignore"):  # a window of nothing but padding has no mean: NaN
        return np.asarray(total / counted)


def every_window(src: Array, windows: Windows, filling: float) -> Array:
    """Return every window of the padded value, without copying it.

    Shapes: [N, C, ...] gives [N, C, counts ..., window ...].
    """
    rank = src.ndim - 2
    margins = ((0, 0), (0, 0), *zip(windows.before, windows.after, strict=True))
    padded = np.pad(src, margins, constant_values=filling)
    reach = tuple((size - 1) * step + 1 for size, step in zip(windows.window, windows.dilations, strict=True))
    if any(extent < size for extent, size in zip(padded.shape[2:], reach, strict=True)):
        counts = (windows.count(axis, extent) for axis, extent in enumerate(src.shape[2:]))
        return np.empty((*src.shape[:2], *counts, *windows.window), src.dtype)
    every = sliding_window_view(padded, reach, axis=tuple(range(2, 2 + rank)))
    moved = tuple(slice(None, None, step) for step in windows.strides)
    within = tuple(slice(None, None, step) for step in windows.dilations)
    return every[(slice(None), slice(None), *moved, *within)]
