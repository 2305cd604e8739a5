"""Codes of small floats, and their scales.

Dtypes: codes and scales are decoded exactly. Products are summed in f64; a quotient that is encoded is taken in f32.
Source: OCP Microscaling Formats (MX) Specification, version 1.0, section 5; RLX compiler, rlx-ir/src/lowp_codec.rs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import ml_dtypes
import numpy as np

from runtime.scale_layouts import block_extent
from runtime.semantics import Array

_FORMATS: Final[Mapping[str, tuple[Any, float, int]]] = {  # the numbers, the largest finite one, and the bits of a code
    "f8e4m3": (ml_dtypes.float8_e4m3fn, 448.0, 8),
    "f8e5m2": (ml_dtypes.float8_e5m2, 57344.0, 8),
    "f8e4m3fnuz": (ml_dtypes.float8_e4m3fnuz, 240.0, 8),
    "f8e5m2fnuz": (ml_dtypes.float8_e5m2fnuz, 57344.0, 8),
    "f6e2m3": (ml_dtypes.float6_e2m3fn, 7.5, 6),
    "f6e3m2": (ml_dtypes.float6_e3m2fn, 28.0, 6),
    "f4e2m1": (ml_dtypes.float4_e2m1fn, 6.0, 4),
}


def matmul(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the product of the decoded operands, each with its last dimension summed over, plus the bias."""
    lhs, rhs, lhs_scale, rhs_scale, bias = operands
    left = _decoded(lhs, lhs_scale, inst.lhs_format, inst)
    product = left @ _decoded(rhs, rhs_scale, inst.rhs_format, inst).T
    return product if bias is None else product + bias.astype(np.float64)


def dequantize(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the numbers that codes mean, times their scales."""
    codes, scale = operands
    return _decoded(codes, scale, inst.format, inst)


def quantize(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the codes that are nearest to a value over its scales."""
    src, scale = operands
    each = _scales(scale, src.shape[-1] if src.ndim else 1, inst).astype(np.float32)
    with np.errstate(all="ignore"):
        quotient = np.where(each == 0, np.float32(0), src.astype(np.float32) / each)
    return encoded(quotient.reshape(src.shape), inst.format)


def scale(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the scales with which a value is to be quantized."""
    (src,) = operands
    magnitudes = np.abs(src.astype(np.float32))
    block = block_extent(inst.scale_layout, inst.block)
    if block is None:
        largest = np.fmax.reduce(magnitudes, axis=None, initial=0).reshape(1)
    else:
        missing = -src.shape[-1] % block
        padded = np.pad(magnitudes, [(0, 0)] * (src.ndim - 1) + [(0, missing)])
        largest = np.fmax.reduce(padded.reshape(*src.shape[:-1], padded.shape[-1] // block, block), axis=-1, initial=0)
    raw = np.where(largest > 0, largest / np.float32(_FORMATS[inst.format][1]), np.float32(1))
    if inst.scale_layout == "mx_e8m0":
        return _power_of_two(raw)
    return encoded(raw, "f8e4m3") if inst.scale_layout == "nvfp4" else np.asarray(raw)


def encoded(values: Array, name: str) -> Array:
    """Return the nearest codes; what exceeds the format goes to its largest finite number, and NaN to code 0."""
    kind, finite, _ = _FORMATS[name]
    within = np.clip(np.nan_to_num(values.astype(np.float32), nan=0, posinf=finite, neginf=-finite), -finite, finite)
    return np.ascontiguousarray(within).astype(kind).view(np.uint8)


def _decoded(codes: Array, scale: Array, name: str, inst: Any) -> Array:
    kind, _, bits = _FORMATS[name]
    within = codes & np.uint8((1 << bits) - 1)  # what is above a code in its byte does not count
    numbers = np.ascontiguousarray(within).view(kind).astype(np.float64)
    return np.asarray(numbers * _scales(scale, codes.shape[-1] if codes.ndim else 1, inst)).reshape(codes.shape)


def _scales(scale: Array, extent: int, inst: Any) -> Array:
    """Return a scale for each element along the last dimension, or one for all of them."""
    block = block_extent(inst.scale_layout, inst.block)
    if block is None:
        return np.asarray(scale.astype(np.float64))
    kind = ml_dtypes.float8_e8m0fnu if inst.scale_layout == "mx_e8m0" else ml_dtypes.float8_e4m3fn
    return np.repeat(np.ascontiguousarray(scale).view(kind).astype(np.float64), block, axis=-1)[..., :extent]


def _power_of_two(raw: Array) -> Array:
    """Return the exponents, with a bias of 127, of the powers of two that are not below; 0 where there is none."""
    mantissa, exponent = np.frexp(raw.astype(np.float64))
    at_least = exponent - (mantissa == 0.5)
    return np.where(np.isfinite(raw) & (raw > 0), np.clip(at_least + 127, 0, 254), 0).astype(np.uint8)
