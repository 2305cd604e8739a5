"""The adjoints of what is computed with symmetric positive definite matrices, in f64; all of them are symmetric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.semantics import Array
from runtime.semantics.spd import roots
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


def re_eig_backward(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the cotangent of the matrix whose eigenvalues were raised."""
    return _through_spectrum(operands, IDENTITY.of_at_least(inst.epsilon))


def log_eig_backward(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the cotangent of the matrix whose logarithm was taken."""
    return _through_spectrum(operands, LOG.of_at_least(inst.epsilon))


def _through_spectrum(operands: Sequence[Array], function: Function) -> Array:
    values, vectors, upstream = (operand.astype(np.float64, copy=False) for operand in operands)
    return Spectrum(values, vectors).adjoint(function, upstream)


def matrix_fn_batch_backward(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the cotangent of each matrix."""
    src, upstream = operands
    return Spectrum.of(src).adjoint(FUNCTIONS[inst.function], upstream)


def batch_norm_backward_x(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the cotangents of the batch."""
    mean, bias, upstream = operands
    inverse, root = _centering(inst, mean, Spectrum.of(bias))
    moved = root @ inverse
    return symmetric(moved.T @ symmetric(upstream) @ moved)


def batch_norm_backward_g(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the cotangent of the bias: a sum over the batch, taken back through its root."""
    src, mean, bias, upstream = operands
    spectrum = Spectrum.of(bias)
    inverse, root = _centering(inst, mean, spectrum)
    centered, given = inverse @ symmetric(src) @ inverse, symmetric(upstream)
    one = (given @ root @ centered).sum(0)
    return spectrum.adjoint(ROOT.of_at_least(inst.epsilon), one + one.T)


def _centering(inst: Any, mean: Array, bias: Spectrum) -> tuple[Array, Array]:
    inverse = Spectrum.of(mean).apply(INVERSE_ROOT.of_at_least(inst.epsilon))
    return inverse, bias.apply(ROOT.of_at_least(inst.epsilon))


def log_map_backward(inst: Any, operands: Sequence[Any]) -> tuple[Array, Array]:
    """Return the cotangents of the base and of the point."""
    return _map_backward(operands, LOG)


def exp_map_backward(inst: Any, operands: Sequence[Any]) -> tuple[Array, Array]:
    """Return the cotangents of the base and of the tangent."""
    return _map_backward(operands, EXP)


def _map_backward(operands: Sequence[Array], function: Function) -> tuple[Array, Array]:
    """Return the cotangents of A f(W X W) A, where A is the root of the base and W its inverse."""
    base, other, upstream = (symmetric(operand) for operand in operands)
    spectrum = Spectrum.of(base)
    root, inverse = roots(spectrum)
    middle = Spectrum.of(inverse @ other @ inverse)
    d_middle = middle.adjoint(function, root @ upstream @ root)
    of_root = upstream @ root @ middle.apply(function)
    of_inverse = d_middle @ inverse @ other
    d_base = _through_roots(spectrum, of_root + of_root.T, of_inverse + of_inverse.T)
    return d_base, symmetric(inverse @ d_middle @ inverse)


def parallel_transport_backward(inst: Any, operands: Sequence[Any]) -> tuple[Array, Array, Array]:
    """Return the cotangents of the start, the end and the tangent of E V E^T, where E = A (W Q W)^(1/2) W."""
    start, end, tangent, upstream = (symmetric(operand) for operand in operands)
    spectrum = Spectrum.of(start)
    root, inverse = roots(spectrum)
    middle = Spectrum.of(inverse @ end @ inverse)
    half = middle.apply(ROOT)
    moved = root @ half @ inverse
    d_moved = 2 * upstream @ moved @ tangent
    d_middle = middle.adjoint(ROOT, root @ d_moved @ inverse)
    of_inverse = d_middle @ inverse @ end
    d_start = _through_roots(
        spectrum, d_moved @ inverse @ half, half @ root @ d_moved + of_inverse + transposed(of_inverse)
    )
    return d_start, symmetric(inverse @ d_middle @ inverse), symmetric(moved.T @ upstream @ moved)


def _through_roots(spectrum: Spectrum, of_root: Array, of_inverse: Array) -> Array:
    return spectrum.adjoint(ROOT, of_root) + spectrum.adjoint(INVERSE_ROOT, of_inverse)
