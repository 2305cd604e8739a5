"""Conversions to small floats with a scale for each block of the last two dimensions.

Dtypes: magnitudes and scales are f32; quotients are f64, so that rounding them is the only one, and products.
Source: RLX compiler, CastConfig; OCP Microscaling Formats (MX) Specification, version 1.0, section 5.4, for scales that
are powers of two. Its section 6.3 takes another scale, as the definition says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.semantics import Array


def cast(inst: Any, operands: Sequence[Any]) -> tuple[Array, Array]:
    """Return the elements over their scales, and the scales."""
    src = operands[0].astype(np.float32)
    scales = _scales(src, inst.rows, inst.cols, np.float32(inst.dtype.largest))
    if inst.round_scales:
        scales = _power_of_two(scales)
    with np.errstate(all="ignore"):
        return src.astype(np.float64) / _spread(scales, src.shape, inst.rows, inst.cols), scales


def uncast(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the elements times their scales."""
    src, scales = (operand.astype(np.float64) for operand in operands)
    return np.asarray(src * _spread(scales, src.shape, inst.rows, inst.cols))


def _scales(src: Array, rows: int, cols: int, largest: np.float32) -> Array:
    """Return the largest finite magnitude of each block over the largest number, or 1."""
    *outer, height, width = src.shape
    magnitudes = np.where(np.isfinite(src), np.abs(src), np.float32(0))
    padding = [(0, 0)] * len(outer) + [(0, -height % rows), (0, -width % cols)]
    padded = np.pad(magnitudes, padding)
    tiled = padded.reshape(*outer, padded.shape[-2] // rows, rows, padded.shape[-1] // cols, cols)
    found = tiled.max(axis=(-3, -1), initial=0)
    scales = found / largest
    with np.errstate(divide="ignore", invalid="ignore"):  # of no magnitude
        too_small = (scales < np.finfo(np.float32).tiny) & (found / scales > largest)  # rounded down, by far too much
    scales = np.where(too_small, np.nextafter(scales, np.float32(1)), scales)
    return np.where(scales > 0, scales, np.float32(1)).astype(np.float32)


def _power_of_two(scales: Array) -> Array:
    """Return the powers of two that are not below, from 2 ** -127 to 2 ** 127 as f8e8m0 has them."""
    mantissa, exponent = np.frexp(scales.astype(np.float64))
    at_least = np.clip(exponent - (mantissa == 0.5), -127, 127)
    return np.asarray(np.ldexp(1.0, at_least), np.float32)


def _spread(scales: Array, shape: tuple[int, ...], rows: int, cols: int) -> Array:
    """Return the scale of each element."""
    rows_of_scales = np.repeat(scales, rows, axis=-2)
    return np.asarray(np.repeat(rows_of_scales, cols, axis=-1)[..., : shape[-2], : shape[-1]])
