"""Quantizations by scales that are known, measured or learned, and what they hand back of gradients.

Dtypes: quotients are taken in f32, in f64 where an operand is f64, so that halves are where the sources have them; sums
in f64. Halves go to the even integer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from runtime.dtypes import f32, f64
from runtime.semantics import Array
from runtime.semantics.widening import widened

LARGEST: Final = {8: 127, 4: 7, 2: 1}
SMALLEST_SCALE: Final = 1e-12


def quantize(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the codes that are nearest to a value over its scales."""
    (src,) = widened(operands, f32)
    scales, zero_points = (
        _along(inst, np.asarray(values, src.dtype), src.ndim) for values in (inst.scales, inst.zero_points)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        codes = np.rint(src / scales).astype(np.float64) + zero_points
    codes = np.where(np.isnan(codes), zero_points, codes)
    return np.clip(codes, -128, 127).astype(np.int8)


def dequantize(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the numbers that codes mean."""
    (src,) = operands
    counted = np.float64 if inst.dtype is f64 else np.float32
    scales = _along(inst, np.asarray(inst.scales, counted).astype(np.float64), src.ndim)
    zero_points = _along(inst, np.asarray(inst.zero_points, np.float64), src.ndim)
    return np.asarray((src.astype(np.float64) - zero_points) * scales)


def fake_quantize(inst: Any, operands: Sequence[Any]) -> tuple[Array, Array]:
    """Return what is left of a value, and the scales."""
    src, state = operands
    (src,) = widened([src], inst.dtype)
    scales = _scales_of(inst, src) if inst.scale_mode == "per_batch" else _kept_scales(inst, src, state)
    return _rounded(inst, src, scales), scales


def fake_quantize_backward(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the gradient, weakened by what `ste` takes the derivative of the rounding to be."""
    src, gradient = widened(operands, inst.dtype)
    scale = _along(inst, _scales_of(inst, src), src.ndim)
    bound = LARGEST[inst.bits] * scale
    if inst.ste == "identity":
        return np.asarray(gradient)
    if inst.ste == "clipped_identity":
        return np.where(np.abs(src) <= bound, gradient, 0)
    kept = 1 - np.tanh(src / scale) ** 2 if inst.ste == "tanh" else np.maximum(1 - np.abs(src / bound), 0)
    return np.asarray(gradient * kept)


def fake_quantize_lsq(inst: Any, operands: Sequence[Any]) -> Array:
    """Return what is left of a value that is quantized with a learned scale."""
    src, scale = widened(operands, inst.dtype)
    return _rounded(inst, src, np.maximum(scale, src.dtype.type(SMALLEST_SCALE)))


def fake_quantize_lsq_backward_x(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the gradient where nothing was clamped, and 0 elsewhere."""
    src, scale, gradient = widened(operands, inst.dtype)
    return np.where(np.abs(_quotient(inst, src, scale)) <= LARGEST[inst.bits], gradient, 0)


def fake_quantize_lsq_backward_scale(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the gradient of the learned scale: the sum over all that shares one."""
    src, scale, gradient = widened(operands, inst.dtype)
    quotient, largest = _quotient(inst, src, scale), LARGEST[inst.bits]
    slope = np.where(np.abs(quotient) <= largest, np.rint(quotient) - quotient, np.sign(quotient) * largest)
    return _over_others(inst, np.sum, slope.astype(np.float64) * gradient)


def _along(inst: Any, values: Array, rank: int) -> Array:
    """Return one value for each index along `axis`, in the place where it is broadcast, or one for everything."""
    if inst.axis is None:
        return values.reshape((1,) * rank)
    return values.reshape([-1 if axis == inst.axis else 1 for axis in range(rank)])


def _over_others(inst: Any, function: Any, values: Array, **more: Any) -> Array:
    """Return the function of all that shares an index along `axis`, or of everything."""
    others = tuple(axis for axis in range(values.ndim) if axis != inst.axis)
    return np.asarray(function(values, axis=others, **more)).reshape(-1)


def _scales_of(inst: Any, src: Array) -> Array:
    largest = _over_others(inst, np.fmax.reduce, np.abs(src), initial=0)
    return np.asarray(np.maximum(largest / src.dtype.type(LARGEST[inst.bits]), src.dtype.type(SMALLEST_SCALE)))


def _kept_scales(inst: Any, src: Array, state: Array) -> Array:
    kept = state.astype(src.dtype)
    if inst.scale_mode == "fixed":
        return np.asarray(np.maximum(kept, src.dtype.type(SMALLEST_SCALE)))
    measured = _scales_of(inst, src)
    return np.where(kept <= 0, measured, inst.decay * kept + (1 - inst.decay) * measured)


def _quotient(inst: Any, src: Array, scale: Array) -> Array:
    return np.asarray(src / _along(inst, np.maximum(scale, src.dtype.type(SMALLEST_SCALE)), src.ndim))


def _rounded(inst: Any, src: Array, scales: Array) -> Array:
    each, largest = _along(inst, scales, src.ndim), LARGEST[inst.bits]
    return np.asarray(np.clip(np.rint(src / each), -largest, largest) * each)
