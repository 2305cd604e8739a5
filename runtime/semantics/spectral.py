"""Functions of symmetric matrices through their eigenvalues, and the adjoints of these functions.

The symmetric part of a matrix is taken, so that an adjoint is symmetric. Divided differences have a closed form where
the quotient would cancel: no two eigenvalues are too near to each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from runtime.semantics import Array


@dataclass(frozen=True)
class Function:
    """A function of one number, and its divided difference at two, which is its derivative where they are equal."""

    value: Callable[[Array], Array]
    difference: Callable[[Array, Array], Array]

    def of_at_least(self, least: float) -> Function:
        """Return this function of numbers that are raised to `least` first; it is flat below."""

        def difference(a: Array, b: Array) -> Array:
            high, low = np.maximum(a, least), np.maximum(b, least)
            raised = np.where(a == b, a > least, (high - low) / np.where(a == b, 1, a - b))
            return self.difference(high, low) * raised

        return Function(lambda w: self.value(np.maximum(w, least)), difference)


def _log_difference(a: Array, b: Array) -> Array:
    near, apart = np.abs(a - b) < b / 2, np.where(a == b, 1, a - b)
    logarithm = np.where(near, np.log1p((a - b) / b), np.log(a) - np.log(b))
    return np.where(a == b, 1 / a, logarithm / apart)


def _exp_difference(a: Array, b: Array) -> Array:
    apart = np.abs(a - b)
    return np.exp(np.maximum(a, b)) * np.where(apart == 0, 1, -np.expm1(-apart) / np.where(apart == 0, 1, apart))


def _inverse_root_difference(a: Array, b: Array) -> Array:
    left, right = np.sqrt(a), np.sqrt(b)
    return np.asarray(-1 / (left * right * (left + right)))


IDENTITY: Final = Function(lambda w: w, lambda a, b: np.ones(np.broadcast_shapes(a.shape, b.shape)))
LOG: Final = Function(np.log, _log_difference)
EXP: Final = Function(np.exp, _exp_difference)
ROOT: Final = Function(np.sqrt, lambda a, b: 1 / (np.sqrt(a) + np.sqrt(b)))
INVERSE_ROOT: Final = Function(lambda w: 1 / np.sqrt(w), _inverse_root_difference)

FUNCTIONS: Final[Mapping[str, Function]] = {"logm": LOG, "expm": EXP, "sqrtm": ROOT, "invsqrtm": INVERSE_ROOT}
"""By the words of the vocabulary."""


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues and eigenvectors of symmetric matrices.

    Shapes: [..., N] and [..., N, N], vectors in columns.
    """

    values: Array
    vectors: Array

    @classmethod
    def of(cls, matrices: Array) -> Spectrum:
        """Return those of the symmetric parts of matrices, in ascending order; NaN of a matrix that is not finite.

        The element of the largest magnitude of a vector is positive, the first one of those that are equal but for
        rounding.
        """
        wide = symmetric(matrices)
        finite = np.asarray(np.isfinite(wide).all((-2, -1), keepdims=True))
        values, vectors = np.linalg.eigh(np.where(finite, wide, 0))
        if vectors.size:
            sizes = np.abs(vectors)
            first = (sizes >= sizes.max(-2, keepdims=True) * (1 - 1e-9)).argmax(-2, keepdims=True)
            largest = np.take_along_axis(vectors, first, -2)
            vectors = vectors * np.where(largest < 0, -1.0, 1.0)
        return cls(np.where(finite[..., 0], values, np.nan), np.where(finite, vectors, np.nan))

    def apply(self, function: Function) -> Array:
        """Return the function of the matrices; NaN where it has none of an eigenvalue."""
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            scaled = self.vectors * function.value(self.values)[..., None, :]
            return np.asarray(scaled @ transposed(self.vectors))

    def adjoint(self, function: Function, cotangents: Array) -> Array:
        """Return the cotangents of the matrices from those of the function of them (Daleckii and Krein)."""
        turned = transposed(self.vectors) @ symmetric(cotangents) @ self.vectors
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            middle = function.difference(self.values[..., :, None], self.values[..., None, :]) * turned
            return symmetric(self.vectors @ middle @ transposed(self.vectors))


def symmetric(matrices: Array) -> Array:
    """Return the symmetric parts of matrices, in f64."""
    wide = matrices.astype(np.float64, copy=False)
    return np.asarray((wide + transposed(wide)) / 2)


def transposed(matrices: Array) -> Array:
    """Return each matrix of a batch with rows in place of columns."""
    return np.swapaxes(matrices, -1, -2)
