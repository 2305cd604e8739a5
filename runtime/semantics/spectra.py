"""What banks of filters find in spectra, on the scale of Whisper.

Dtypes: everything is computed in f64, whatever the operands are, and rounded once, by the interpreter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from runtime.semantics import Array
from runtime.semantics.widening import in_f64

Floats = NDArray[np.float64]

_LEAST_ENERGY: Final = 1e-10
_RANGE: Final = 8.0  # powers of ten below the largest energy of a frame


def log_mel(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the scaled logarithms of the energies. Shapes: [..., 2n] and [M, n / 2 + 1] give [..., M]."""
    src, filters = in_f64(operands)
    logarithms, floor = _logarithms(_energies(*_halves(src, filters), filters))
    return np.asarray((np.maximum(logarithms, floor) + 4) / 4)


def log_mel_backward(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the gradient with respect to the spectrum, of its shape; the floor of a frame is a constant."""
    src, filters, gradient = in_f64(operands)
    real, imaginary = _halves(src, filters)
    energies = _energies(real, imaginary, filters)
    logarithms, floor = _logarithms(energies)
    moves = (energies > _LEAST_ENERGY) & (logarithms > floor)
    slopes = np.where(moves, gradient / (4 * math.log(10) * np.where(moves, energies, 1)), 0)
    of_power = 2 * np.matmul(slopes, filters)
    n, bins = src.shape[-1] // 2, filters.shape[1]
    result: Floats = np.zeros_like(src)
    result[..., :bins] = of_power * real
    result[..., n : n + bins] = of_power * imaginary
    return result


def _halves(src: Floats, filters: Floats) -> tuple[Floats, Floats]:
    """Return real and imaginary parts of the bins for which there are filters."""
    n, bins = src.shape[-1] // 2, filters.shape[1]
    return src[..., :bins], src[..., n : n + bins]


def _energies(real: Floats, imaginary: Floats, filters: Floats) -> Floats:
    return np.asarray(np.matmul(np.square(real) + np.square(imaginary), filters.T))


def _logarithms(energies: Floats) -> tuple[Floats, Floats]:
    """Return the logarithms to base 10, and below what those of each frame are cut off."""
    logarithms = np.log10(np.maximum(energies, _LEAST_ENERGY))
    return logarithms, logarithms.max(axis=-1, keepdims=True, initial=-np.inf) - _RANGE
