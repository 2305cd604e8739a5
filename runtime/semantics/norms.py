"""Normalisations and their gradients.

Dtypes: everything is computed in f64, whatever the operands are, and rounded once, by the interpreter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.semantics import Array
from runtime.semantics.broadcasting import summed_onto
from runtime.semantics.widening import in_f64

Floats = NDArray[np.float64]


def layer_norm(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the layer normalisation along `axis` and all dimensions behind it."""
    src, gamma, beta = in_f64(operands)
    return _affine(_centred(src, _axes(src, inst.axis), inst.epsilon)[0], gamma, beta)


def rms_norm(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the RMS normalisation along `axis` and all dimensions behind it."""
    src, gamma, beta = in_f64(operands)
    return _affine(_uncentred(src, _axes(src, inst.axis), inst.epsilon)[0], gamma, beta)


def group_norm(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the normalisation of each group of channels.

    Shapes: [N, C, ...], [C] and [C] give [N, C, ...].
    """
    src, gamma, beta = in_f64(operands)
    grouped = src.reshape(src.shape[0], inst.groups, math.prod(src.shape[1:]) // inst.groups)
    normal = _centred(grouped, (2,), inst.epsilon)[0].reshape(src.shape)
    by_channel = (-1, *(1,) * (src.ndim - 2))
    return _affine(normal, gamma.reshape(by_channel), beta.reshape(by_channel))


def fused_residual_layer_norm(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the layer normalisation of `src + residual + bias` along the last dimension."""
    total, gamma, beta = _residual(operands)
    return _affine(_centred(total, (-1,), inst.epsilon)[0], gamma, beta)


def fused_residual_rms_norm(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the RMS normalisation of `src + residual + bias` along the last dimension."""
    total, gamma, beta = _residual(operands)
    return _affine(_uncentred(total, (-1,), inst.epsilon)[0], gamma, beta)


def ada_layer_norm(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the normalisation along the last dimension, times `1 + scale`, plus `shift`."""
    src, scale, shift = in_f64(operands)
    return _affine(_by_kind(inst, src)[0], 1 + scale, shift)


def ada_layer_norm_backward(inst: Any, operands: Sequence[Any]) -> tuple[Array, Array, Array]:
    """Return the gradients of `src`, `scale` and `shift`."""
    src, scale, _, gradient = in_f64(operands)
    normal, inverse = _by_kind(inst, src)
    of_src = _through(normal, inverse, gradient * (1 + scale), (-1,), centred=inst.norm == "layer_norm")
    return of_src, summed_onto(gradient * normal, scale.shape), summed_onto(gradient, scale.shape)


def layer_norm_backward_input(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the gradient of a layer normalisation with respect to what is normalised."""
    src, gamma, gradient = in_f64(operands)
    axes = _axes(src, inst.axis)
    normal, inverse = _centred(src, axes, inst.epsilon)
    return _through(normal, inverse, gradient * gamma, axes, centred=True)


def layer_norm_backward_gamma(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the gradient of a layer normalisation with respect to its factors."""
    src, gradient = in_f64(operands)
    axes = _axes(src, inst.axis)
    normal, _ = _centred(src, axes, inst.epsilon)
    return np.asarray((gradient * normal).sum(axis=tuple(range(axes[0]))))


def _axes(src: Floats, axis: int) -> tuple[int, ...]:
    return tuple(range(axis % src.ndim, src.ndim))


def _centred(src: Floats, axes: tuple[int, ...], epsilon: float) -> tuple[Floats, Floats]:
    """Return what a layer normalisation makes of `src`, and the reciprocal of what it divides by."""
    if not src.size:
        return src, src
    with np.errstate(invalid="ignore", divide="ignore"):  # infinite elements, or a variance and an epsilon of 0: NaN
        deviations = src - src.mean(axis=axes, keepdims=True)
        return _divided(deviations, deviations, axes, epsilon)


def _uncentred(src: Floats, axes: tuple[int, ...], epsilon: float) -> tuple[Floats, Floats]:
    """Return what an RMS normalisation makes of `src`, and the reciprocal of what it divides by."""
    if not src.size:
        return src, src
    with np.errstate(invalid="ignore", divide="ignore"):
        return _divided(src, src, axes, epsilon)


def _divided(src: Floats, squared: Floats, axes: tuple[int, ...], epsilon: float) -> tuple[Floats, Floats]:
    inverse = 1 / np.sqrt(np.square(squared).mean(axis=axes, keepdims=True) + epsilon)
    return src * inverse, inverse


def _by_kind(inst: Any, src: Floats) -> tuple[Floats, Floats]:
    return (_centred if inst.norm == "layer_norm" else _uncentred)(src, (-1,), inst.epsilon)


def _residual(operands: Sequence[Any]) -> tuple[Floats, Floats, Floats]:
    src, residual, bias, gamma, beta = in_f64(operands)
    total = src + residual
    return (total if bias is None else total + bias), gamma, beta


def _affine(normal: Floats, gamma: Floats, beta: Floats | None) -> Array:
    scaled = normal * gamma
    return scaled if beta is None else scaled + beta


def _through(normal: Floats, inverse: Floats, weighted: Floats, axes: tuple[int, ...], *, centred: bool) -> Array:
    """Return the gradient of what is normalised, from that of what the normalisation gives."""
    if not normal.size:
        return normal
    less: Floats = normal * (weighted * normal).mean(axis=axes, keepdims=True)
    if centred:
        less = less + weighted.mean(axis=axes, keepdims=True)
    return inverse * (weighted - less)
