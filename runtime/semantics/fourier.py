"""Fourier transforms along the last dimension: of floats, computed in f64, and of integers in fixed point.

Shapes: the last dimension has all real parts, then all imaginary ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array

_FRACTION = 30  # bits behind the point of a twiddle factor
_WORD = np.iinfo(np.int32)


def fft(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the transform of each row."""
    src: Array = operands[0]
    real, imaginary = _halves(src.astype(np.float64, copy=False))
    if not real.size:
        return src
    transform = np.fft.ifft if inst.inverse else np.fft.fft
    norm = inst.norm if inst.norm != "unscaled" else "forward" if inst.inverse else "backward"
    found = transform(_complex(real, imaginary), norm=cast(Literal["backward", "forward", "ortho"], norm))
    return np.concatenate([found.real, found.imag], -1)


def fft_q(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the fixed-point transform of each row, as 32-bit words."""
    real, imaginary = (half.astype(np.int64) for half in _halves(operands[0]))
    n = real.shape[-1]
    if n & (n - 1) or not n:
        raise InterpreterError(f"a row has {n} complex numbers, which is no power of two")
    stages = n.bit_length() - 1
    order = [int(f"{at:0{stages}b}"[::-1], 2) if stages else 0 for at in range(n)]
    real, imaginary = real[..., order], imaginary[..., order]
    for stage in range(stages):
        real, imaginary = _stage(real, imaginary, 1 << stage, inst.inverse, saturates=inst.scaling == "saturate")
        if inst.scaling == "per_stage" or inst.scaling == "every_other" and stage % 2 == 0:
            real, imaginary = _shifted(real, 1), _shifted(imaginary, 1)
    rows = np.concatenate([real, imaginary], -1)
    if inst.norm == "ortho":
        rows = _shifted(rows * _fixed(1 / np.sqrt(n)), _FRACTION)
    elif inst.norm == ("backward" if inst.inverse else "forward"):
        rows = _shifted(rows, stages)
    return rows.astype(np.int32)


def _stage(real: Array, imaginary: Array, span: int, inverse: bool, *, saturates: bool) -> tuple[Array, Array]:
    """Return what the butterflies of one stage make of all rows; each takes elements that are `span` apart."""
    shape = real.shape
    pairs = [part.reshape(*shape[:-1], shape[-1] // (2 * span), 2, span) for part in (real, imaginary)]
    (top_real, bottom_real), (top_imaginary, bottom_imaginary) = ((p[..., 0, :], p[..., 1, :]) for p in pairs)
    angles = (1 if inverse else -1) * np.pi * np.arange(span) / span
    cos, sin = _fixed(np.cos(angles)), _fixed(np.sin(angles))
    turned = (
        _shifted(cos * bottom_real - sin * bottom_imaginary, _FRACTION),
        _shifted(cos * bottom_imaginary + sin * bottom_real, _FRACTION),
    )
    found = []
    for top, bottom in zip((top_real, top_imaginary), turned, strict=True):
        both = np.stack([top + bottom, top - bottom], -2)
        words = np.clip(both, _WORD.min, _WORD.max) if saturates else _wrapped(both)
        found.append(words.reshape(shape))
    return found[0], found[1]


def _fixed(values: Any) -> Array:
    """Return numbers in fixed point, rounded to nearest, half away from zero."""
    scaled = np.asarray(values) * (1 << _FRACTION)
    return np.asarray(np.copysign(np.floor(np.abs(scaled) + 0.5), scaled)).astype(np.int64)


def _shifted(values: Array, bits: int) -> Array:
    """Return whole numbers divided by a power of two, rounded to nearest, half up, as 32-bit words in 64 bits."""
    return _wrapped((values + (1 << bits >> 1)) >> bits)


def _wrapped(values: Array) -> Array:
    return values.astype(np.int32).astype(np.int64)


def butterfly_stage(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the state behind one stage; butterflies whose gate is 0 keep their elements bit for bit."""
    state, gate, reverse, real, imaginary = (operand.astype(np.float64) for operand in operands)
    batch, n, _ = state.shape
    span = 1 << inst.stage
    if n % (2 * span):
        raise InterpreterError(f"stage {inst.stage} takes elements {span} apart, and there are {n}")
    numbers = _complex(state[..., 0], state[..., 1]).reshape(batch, n // (2 * span), 2, span)
    top, bottom = numbers[:, :, 0], numbers[:, :, 1]
    on, turned, factor = (each.reshape(-1, span) for each in (gate != 0, reverse >= 0.5, _complex(real, imaginary)))
    with np.errstate(invalid="ignore"):  # of what is left out, too
        product = factor * bottom
        first, second = top + product, top - product
    found = np.stack([np.where(turned, second, first), np.where(turned, first, second)], 2)
    chosen = np.where(on[:, None], found, numbers).reshape(batch, n)
    return np.stack([chosen.real, chosen.imag], -1)


def _complex(real: Array, imaginary: Array) -> NDArray[np.complex128]:
    """Return complex numbers; a sum with a multiple of the imaginary unit would make NaN of infinities."""
    found = np.empty(real.shape, np.complex128)
    found.real, found.imag = real, imaginary
    return found


def _halves(rows: Array) -> tuple[Array, Array]:
    extent = rows.shape[-1]
    if extent % 2:
        raise InterpreterError(f"the last dimension has {extent} elements; real and imaginary parts are expected")
    return rows[..., : extent // 2], rows[..., extent // 2 :]
