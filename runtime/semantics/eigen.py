"""Eigenvalues and eigenvectors of symmetric matrices, one or a batch of them, computed in f64."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.semantics import Array
from runtime.semantics.spectral import Spectrum, symmetric, transposed

_EQUAL = 1e-9  # what eigenvalues of about 1 are apart that count as equal
# Source: RLX compiler, rlx-cpu/src/spd.rs, eigh_backward_packed.


def eigh(inst: Any, operands: Sequence[Any]) -> tuple[Array, Array]:
    """Return the eigenvalues in ascending order, and the eigenvectors in columns."""
    found = Spectrum.of(operands[0])
    return found.values, found.vectors


def eigh_backward(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the cotangent of the matrix; vectors of equal eigenvalues have none."""
    values, vectors, d_values, d_vectors = (operand.astype(np.float64, copy=False) for operand in operands)
    apart = values[..., None, :] - values[..., :, None]
    largest = np.abs(values).max(-1, initial=1)[..., None, None]
    counts = np.abs(apart) > _EQUAL * largest
    middle = np.where(counts, transposed(vectors) @ d_vectors / np.where(counts, apart, 1), 0)
    diagonal = d_values[..., None] * np.eye(values.shape[-1])
    return symmetric(vectors @ (middle + diagonal) @ transposed(vectors))
