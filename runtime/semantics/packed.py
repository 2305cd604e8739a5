"""Products with weights that are packed codes, or entries of a codebook.

Dtypes: codes are decoded exactly, and everything is computed in f64.
Source: ggml library, ggml-quants.c, for the blocks of GGUF; OCP 8-bit Floating Point Specification.

Deliberately absent: schemes of GGUF whose blocks are grids, or blocks of blocks; they are refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import ml_dtypes
import numpy as np

from runtime.interpreter.errors import InterpreterError
from runtime.packed import GGUF, HALVES, NVFP4_BLOCK
from runtime.semantics import Array
from runtime.semantics.matmuls import by_expert, expert_indices

E2M1: Final = np.arange(16, dtype=np.uint8).view(ml_dtypes.float4_e2m1fn).astype(np.float64)
_FLOATS: Final[Mapping[str, Any]] = {"fp8_e4m3": ml_dtypes.float8_e4m3fn, "fp8_e5m2": ml_dtypes.float8_e5m2}


def matmul(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the product with the decoded weights."""
    src, weights, scale, zero_point, global_scale = operands
    rows = src.astype(np.float64, copy=False)
    if inst.scheme in GGUF:
        decoded, summed = gguf(inst.scheme, weights), src.shape[1]
        columns = decoded.size // summed if summed else inst.shape[1]
        return np.asarray(rows @ decoded.reshape(columns, summed).T)
    codes = _codes(inst.scheme, weights, (src.shape[1], (scale if inst.scheme in HALVES else weights).shape[1]))
    if zero_point is not None:
        codes = codes - _along(zero_point, len(codes), inst.block_size)
    if scale is not None:
        codes = codes * _scales(inst, scale, len(codes))
    if global_scale is not None:
        codes = codes * global_scale.astype(np.float64)
    return np.asarray(rows @ codes)


def _codes(scheme: str, weights: Array, shape: tuple[int, int]) -> Array:
    """Return the numbers that the codes stand for, before any scale.

    Shapes: [K, N].
    """
    if scheme in HALVES:
        halves = np.stack([weights.ravel() & 15, weights.ravel() >> 4], 1).ravel()[: shape[0] * shape[1]]
        return (E2M1[halves] if scheme == "nvfp4_block" else halves.astype(np.float64)).reshape(shape)
    return (weights.view(_FLOATS[scheme]) if scheme in _FLOATS else weights).astype(np.float64)


def _scales(inst: Any, scale: Array, rows: int) -> Array:
    if inst.scheme in _FLOATS:
        return scale.astype(np.float64)
    if inst.scheme == "nvfp4_block":
        return _along(scale.view(ml_dtypes.float8_e4m3fn), rows, NVFP4_BLOCK)
    return _along(scale, rows, inst.block_size)


def _along(blocks: Array, rows: int, block: int) -> Array:
    return np.repeat(blocks.astype(np.float64), block, axis=0)[:rows]


def grouped_matmul(inst: Any, operands: Sequence[Any]) -> Array:
    """Return each row times the decoded matrix of its expert."""
    src, weights, experts = operands
    slab = GGUF[inst.scheme].bytes * (src.shape[1] * inst.shape[1] // GGUF[inst.scheme].elements)
    slabs = weights.reshape(-1, slab) if slab else weights[:0].reshape(0, 0)
    chosen = expert_indices(experts, len(slabs))
    rows = src.astype(np.float64, copy=False)
    return by_expert(
        rows, chosen, inst.shape[1], lambda expert: gguf(inst.scheme, slabs[expert]).reshape(-1, src.shape[1]).T
    )


def expert_weights(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the decoded matrices of all experts.

    Shapes: [E, K, N], from bytes in the order of [E, N, K].
    """
    experts, summed, columns = inst.shape
    return gguf(inst.scheme, operands[0]).reshape(experts, columns, summed).transpose(0, 2, 1)


def codebook_matmul(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the product with the rows that the entries of the codebook make up."""
    src, indices, codebook = operands
    if indices.size and (indices.min() < 0 or indices.max() >= len(codebook)):
        wrong = indices.max() if indices.max() >= len(codebook) else indices.min()
        raise InterpreterError(f"{wrong} is no index of the codebook, which has {len(codebook)} entries")
    weights = codebook.astype(np.float64)[indices.astype(np.int64)].reshape(len(indices), src.shape[1])
    return np.asarray(src.astype(np.float64, copy=False) @ weights.T)


def gguf(scheme: str, packed: Array) -> Array:
    """Return the numbers in blocks of GGUF, in order.

    Raises: InterpreterError where it is not said how the scheme is decoded.
    """
    decode = _DECODERS.get(scheme)
    if decode is None:
        known = ", ".join(_DECODERS)
        raise InterpreterError(f"nothing says how {scheme} is decoded; these are decoded: {known}")
    return decode(np.ascontiguousarray(packed).reshape(-1, GGUF[scheme].bytes)).ravel()


def _halves(block: Array) -> Array:
    """Return the lower four bits of all bytes of each block, then the upper ones."""
    return np.concatenate([block & 15, block >> 4], axis=1).astype(np.float64)


def _number(block: Array, at: int) -> Array:
    return np.ascontiguousarray(block[:, at : at + 2]).view(np.float16).astype(np.float64)


def _fifth_bits(block: Array, at: int) -> Array:
    """Return 16 where a bit of a word of 32 is set, for each element of each block."""
    bits = np.unpackbits(np.ascontiguousarray(block[:, at : at + 4]), axis=1, bitorder="little")
    return np.asarray(bits.astype(np.float64) * 16)


def _q4_0(block: Array) -> Array:
    return (_halves(block[:, 2:]) - 8) * _number(block, 0)


def _q4_1(block: Array) -> Array:
    return _halves(block[:, 4:]) * _number(block, 0) + _number(block, 2)


def _q5_0(block: Array) -> Array:
    return (_halves(block[:, 6:]) + _fifth_bits(block, 2) - 16) * _number(block, 0)


def _q5_1(block: Array) -> Array:
    return (_halves(block[:, 8:]) + _fifth_bits(block, 4)) * _number(block, 0) + _number(block, 2)


def _q8_0(block: Array) -> Array:
    return np.ascontiguousarray(block[:, 2:]).view(np.int8).astype(np.float64) * _number(block, 0)


def _mxfp4(block: Array) -> Array:
    codes = np.concatenate([block[:, 1:] & 15, block[:, 1:] >> 4], axis=1)
    return np.asarray(E2M1[codes] * np.exp2(block[:, :1].astype(np.float64) - 127))


_DECODERS: Final[Mapping[str, Callable[[Array], Array]]] = {
    "gguf_q4_0": _q4_0,
    "gguf_q4_1": _q4_1,
    "gguf_q5_0": _q5_0,
    "gguf_q5_1": _q5_1,
    "gguf_q8_0": _q8_0,
    "gguf_mxfp4": _mxfp4,
}
