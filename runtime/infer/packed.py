"""Products with weights that are packed codes, or entries of a codebook."""

from __future__ import annotations

from runtime.packed import GGUF, HALVES
from runtime.types import Dim, Type


def dequant_matmul_type(src: Type, weights: Type, scale: Type | None, scheme: str) -> Type:
    """Return the type of a product with packed weights.

    Shapes: [M, K] gives [M, N]. N is the last extent of the weights, of their scales where two codes share a byte, or
    follows from the number of bytes.
    """
    if src.shape is None or len(src.shape) != 2:
        return Type.tensor(src.dtype, None)
    return Type.tensor(src.dtype, (src.shape[0], _columns(src.shape[1], weights, scale, scheme)))


def _columns(summed: Dim, weights: Type, scale: Type | None, scheme: str) -> Dim:
    if scheme in GGUF:
        count = weights.shape[0] if weights.shape else None
        elements = GGUF[scheme].count(count) if isinstance(count, int) else None
        known = elements is not None and isinstance(summed, int) and summed > 0
        return elements // summed if known and elements is not None and isinstance(summed, int) else None
    last = scale if scheme in HALVES else weights
    return last.shape[-1] if last is not None and last.shape else None


def synth_matmul_type(src: Type, indices: Type) -> Type:
    """Return the type of a product with weights from a codebook: [M, K] and [N, K / D] give [M, N]."""
    if src.shape is None or indices.shape is None or len(src.shape) != 2 or len(indices.shape) != 2:
        return Type.tensor(src.dtype, None)
    return Type.tensor(src.dtype, (src.shape[0], indices.shape[0]))
