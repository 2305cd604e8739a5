"""Symmetric positive definite matrices: layers of networks on them, and their affine-invariant geometry.

Computed in f64. What needs a positive definite matrix and gets another one gives NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array
from runtime.semantics.spectral import (
    EXP,
    FUNCTIONS,
    IDENTITY,
    INVERSE_ROOT,
    LOG,
    ROOT,
    Function,
    Spectrum,
    symmetric,
    transposed,
)


def bi_map(inst: Any, operands: Sequence[Any]) -> Array:
    """Return W X W^T."""
    weights, src = (operand.astype(np.float64, copy=False) for operand in operands)
    return np.asarray(weights @ src @ weights.T)


def re_eig(inst: Any, operands: Sequence[Any]) -> tuple[Array, Array, Array]:
    """Return the matrix with eigenvalues of at least epsilon, and its own eigenvalues and eigenvectors."""
    return _with_spectrum(operands[0], IDENTITY.of_at_least(inst.epsilon))


def log_eig(inst: Any, operands: Sequence[Any]) -> tuple[Array, Array, Array]:
    """Return the logarithm, with eigenvalues of at least epsilon, and the matrix's eigenvalues and eigenvectors."""
    return _with_spectrum(operands[0], LOG.of_at_least(inst.epsilon))


def _with_spectrum(src: Array, function: Function) -> tuple[Array, Array, Array]:
    found = Spectrum.of(src)
    return found.apply(function), found.values, found.vectors


def batch_norm(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the matrices moved from the mean to the bias."""
    src, mean, bias = operands
    moved = Spectrum.of(bias).apply(ROOT.of_at_least(inst.epsilon)) @ Spectrum.of(mean).apply(
        INVERSE_ROOT.of_at_least(inst.epsilon)
    )
    return np.asarray(moved @ symmetric(src) @ moved.T)


def karcher_mean(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the mean of the matrices, all of which count alike."""
    (src,) = operands
    return _flow(inst, src, np.ones(len(src)))


def karcher_mean_weighted(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the weighted mean of the matrices; all count alike where the sum of the weights is 0."""
    src, weights = operands
    wide = weights.astype(np.float64)
    return _flow(inst, src, wide if wide.sum() else np.ones(len(src)))


def _flow(inst: Any, src: Array, weights: Array) -> Array:
    if not len(src):
        raise InterpreterError("no mean of no matrices")
    shares = weights / weights.sum()
    points = symmetric(src)
    mean = np.tensordot(shares, points, 1)
    for _ in range(inst.iterations):
        root, inverse = roots(Spectrum.of(mean))
        tangents = Spectrum.of(inverse @ points @ inverse).apply(LOG)
        step = np.tensordot(shares, tangents, 1)
        mean = symmetric(root @ Spectrum.of(step).apply(EXP) @ root)
        if np.linalg.norm(step) < inst.tolerance:
            break
    return mean


def log_map(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the tangent at the base that leads to the point."""
    return _seen_from(operands[0], operands[1], LOG)


def exp_map(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the point that the tangent at the base leads to."""
    return _seen_from(operands[0], operands[1], EXP)


def _seen_from(base: Array, other: Array, function: Function) -> Array:
    """Return a function of a matrix as if the base were the identity."""
    root, inverse = roots(Spectrum.of(base))
    return symmetric(root @ Spectrum.of(inverse @ symmetric(other) @ inverse).apply(function) @ root)


def parallel_transport(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the tangent moved from the start to the end."""
    start, end, tangent = operands
    root, inverse = roots(Spectrum.of(start))
    moved = root @ Spectrum.of(inverse @ symmetric(end) @ inverse).apply(ROOT) @ inverse
    return symmetric(moved @ symmetric(tangent) @ transposed(moved))


def matrix_fn_batch(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the function of each matrix."""
    return Spectrum.of(operands[0]).apply(FUNCTIONS[inst.function])


def roots(spectrum: Spectrum) -> tuple[Array, Array]:
    """Return the root of a matrix, and the inverse root."""
    return spectrum.apply(ROOT), spectrum.apply(INVERSE_ROOT)
