"""Convolutions of more kinds, their gradients, and what else is done with windows over images.

Dtypes: f32 is computed in f32 (f64 in f64), fused ones in f64 throughout; codes of 8 bits are summed in i32.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.arithmetic import FUNCTIONS, evaluate, word
from runtime.semantics import Array
from runtime.semantics.matmuls import requantized
from runtime.semantics.widening import widened
from runtime.semantics.windows import convolved, every_window
from runtime.windows import Windows


def fused_bias_act(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the function of the convolution, plus the bias, plus what else there is."""
    src, weights = (value.astype(np.float64, copy=False) for value in operands[:2])
    total = convolved(src, weights, _windows(inst, weights.shape[2:]), inst.groups)
    bias, residual = operands[2:]
    if bias is not None:
        total = total + bias.reshape(-1, *(1,) * (src.ndim - 2)).astype(np.float64)
    if residual is not None:
        total = total + residual.astype(np.float64)
    return total if inst.activation is None else evaluate(word(FUNCTIONS, inst.activation), total)


def im2col(inst: Any, operands: Sequence[Any]) -> Array:
    """Return a row for each window, with all channels of all its elements."""
    (src,) = widened(operands, inst.dtype)
    views = every_window(src, _windows(inst, inst.window), 0)  # [N, C, counts, window]
    n, channels, *rest = views.shape
    return views.transpose(0, 2, 3, 1, 4, 5).reshape(n * rest[0] * rest[1], channels * rest[2] * rest[3])


def transposed(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the sum of all windows over which elements are spread, plus the bias.

    Shapes: [N, C, ...], [C, O / groups, ...] and perhaps [O] give [N, O, ...].
    """
    src, weights, *bias = widened([operand for operand in operands if operand is not None], inst.dtype)
    windows, more = _windows(inst, weights.shape[2:]), inst.output_padding or (0,) * (src.ndim - 2)
    spatial = [windows.spread(axis, count, more[axis]) for axis, count in enumerate(src.shape[2:])]
    result = _spread(src, weights, windows, inst.groups, spatial)
    return result + bias[0].reshape(-1, *(1,) * (src.ndim - 2)) if bias else result


def quantized(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the convolution of codes, quantized again."""
    src, weights, bias = operands
    left = src.astype(np.int32) - np.int32(inst.src_zero_point)
    right = weights.astype(np.int32) - np.int32(inst.weights_zero_point)
    total = convolved(left, right, _windows(inst, weights.shape[2:]), inst.groups)
    return requantized(total if bias is None else total + bias[:, None, None], inst.multiplier, inst.out_zero_point)


def backward_input(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the gradient of what was convolved, whose extents the type of the result says."""
    gradient, weights = widened(operands, inst.dtype)
    return _spread(gradient, weights, _windows(inst, weights.shape[2:]), inst.groups, inst.shape[2:])


def backward_weight(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the gradient of the weights: for each of their elements, the products of all windows.

    Shapes: [N, C, ...] and [N, O, ...] give [O, C / groups, ...].
    """
    src, gradient = widened(operands, inst.dtype)
    views = every_window(src, _windows(inst, inst.shape[2:]), 0)  # [N, C, counts, window]
    n, outputs, groups = len(src), gradient.shape[1], inst.groups
    counts, window = math.prod(gradient.shape[2:]), math.prod(inst.shape[2:])
    left = gradient.reshape(n, groups, outputs // groups, counts).transpose(1, 2, 0, 3)
    right = views.reshape(n, groups, src.shape[1] // groups, counts, window).transpose(1, 0, 3, 2, 4)
    product = np.matmul(
        np.ascontiguousarray(left).reshape(groups, outputs // groups, n * counts),
        np.ascontiguousarray(right).reshape(groups, n * counts, src.shape[1] // groups * window),
    )
    return np.asarray(product.reshape(outputs, src.shape[1] // groups, *inst.shape[2:]))


def max_pool_backward(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the gradient of what was pooled: that of each window where its first largest element stands."""
    src, gradient = widened(operands, inst.dtype)
    windows = _windows(inst, inst.window)
    numbers = every_window(np.where(np.isnan(src), -np.inf, src), windows, -np.inf)
    places = every_window(np.arange(src.size, dtype=np.float64).reshape(src.shape), windows, -1)
    flat = (*numbers.shape[:4], math.prod(inst.window))
    largest = numbers.reshape(flat).argmax(axis=-1)[..., None]
    found = np.take_along_axis(numbers.reshape(flat), largest, -1)[..., 0] > -np.inf
    place = np.take_along_axis(places.reshape(flat), largest, -1)[..., 0].astype(np.int64)
    total = np.bincount(place[found], weights=gradient[found].astype(np.float64), minlength=src.size)
    return total.reshape(src.shape)


def resize_nearest2x(inst: Any, operands: Sequence[Any]) -> Array:
    """Return each element twice along both spatial dimensions."""
    return np.asarray(np.repeat(np.repeat(operands[0], 2, axis=2), 2, axis=3))


def _windows(inst: Any, window: Sequence[int]) -> Windows:
    return Windows.along(window, inst.strides, inst.padding, getattr(inst, "dilations", None))


def _spread(src: Array, weights: Array, windows: Windows, groups: int, spatial: Sequence[int]) -> Array:
    """Return the sum of all windows over which elements are spread, one element of the windows at a time.

    Shapes: [N, C, ...] and [C, O / groups, ...] give [N, O, ...] with these spatial extents.
    """
    n, channels, *counts = src.shape
    each = weights.reshape(groups, channels // groups, *weights.shape[1:])
    grouped = np.ascontiguousarray(src.reshape(n, groups, channels // groups, math.prod(counts)))
    margins = zip(spatial, windows.before, windows.after, strict=True)
    whole = np.zeros(
        (n, groups * weights.shape[1], *(size + before + after for size, before, after in margins)), src.dtype
    )
    for place in np.ndindex(*windows.window):
        columns = each[(slice(None),) * 3 + place].transpose(0, 2, 1)
        part = np.matmul(np.ascontiguousarray(columns), grouped).reshape(n, len(each) * columns.shape[1], *counts)
        whole[(slice(None), slice(None), *_reached(windows, place, counts))] += part
    inside = (slice(before, before + size) for before, size in zip(windows.before, spatial, strict=True))
    return whole[(slice(None), slice(None), *inside)]


def _reached(windows: Windows, place: tuple[int, ...], counts: Sequence[int]) -> tuple[slice, ...]:
    """Return the elements that one element of the windows falls on, along each dimension."""
    starts = [at * step for at, step in zip(place, windows.dilations, strict=True)]
    every = zip(starts, windows.strides, counts, strict=True)
    return tuple(
        slice(start, start + (count - 1) * stride + 1 if count else start, stride) for start, stride, count in every
    )
