"""Attentions, their gradients, and rotations by places.

Dtypes: everything is computed in f64, whatever the operands are, and rounded once, by the interpreter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.semantics import Array

UNSEEN = float(np.finfo(np.float64).min)  # finite, so that a query that sees no key weighs all of them alike


def attention(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the weighed values of each head."""
    query, key, value = (by_head(operand, inst.layout, inst.num_heads) for operand in operands[:3])
    scale = inst.head_dim**-0.5 if inst.score_scale is None else inst.score_scale
    scores = query @ key.swapaxes(-1, -2) * scale
    if inst.attn_logit_softcap is not None:
        scores = inst.attn_logit_softcap * np.tanh(scores / inst.attn_logit_softcap)
    weights = softmax(masked(scores, inst.mask_kind, inst.window, operands[3]))
    return together(weights @ value, inst.layout, operands[0].ndim)


def attention_backward(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the gradient of one operand, from weights that are computed again."""
    query, key, value, gradient = (by_head(operand, inst.layout, inst.num_heads) for operand in operands[:4])
    scale = inst.head_dim**-0.5
    scores = masked(query @ key.swapaxes(-1, -2) * scale, inst.mask_kind, inst.window, operands[4])
    weights = softmax(scores)
    if inst.wrt == "value":
        return together(weights.swapaxes(-1, -2) @ gradient, inst.layout, operands[2].ndim)
    of_weights = gradient @ value.swapaxes(-1, -2)
    of_scores = weights * (of_weights - (weights * of_weights).sum(axis=-1, keepdims=True)) * scale
    of_scores = np.where(scores == UNSEEN, 0, of_scores)
    found = of_scores @ key if inst.wrt == "query" else of_scores.swapaxes(-1, -2) @ query
    return together(found, inst.layout, operands[0].ndim)


def by_head(array: Array, layout: str, heads: int) -> Array:
    """Return a value as [B, heads, S, elements], in f64."""
    wide = array.astype(np.float64, copy=False)
    if wide.ndim == 3:
        wide = wide.reshape(*wide.shape[:2], heads, -1 if wide.size else wide.shape[2] // heads)
        return wide.swapaxes(1, 2)
    return wide if layout == "bhsd" else wide.swapaxes(1, 2)


def together(array: Array, layout: str, rank: int) -> Array:
    """Return what is [B, heads, S, elements] in the order that an operand of `rank` dimensions has."""
    if rank == 4:
        return array if layout == "bhsd" else array.swapaxes(1, 2)
    batch, heads, places, elements = array.shape
    return array.swapaxes(1, 2).reshape(batch, places, heads * elements)


def masked(scores: Array, kind: str, window: int | None, mask: Array | None) -> Array:
    """Return the scores of each query, with `UNSEEN` for the keys that it does not see.

    Shapes: [B, heads, queries, keys].
    """
    if kind == "bias":
        return np.asarray(scores + mask.astype(np.float64)) if mask is not None else scores
    if kind == "custom":
        return scores if mask is None else np.where((mask < 0.5)[:, None, None, :], UNSEEN, scores)
    if kind == "none":
        return scores
    queries, keys = scores.shape[-2:]
    own = np.arange(queries)[:, None] + max(0, keys - queries)
    every = np.arange(keys)[None, :]
    unseen = every > own
    if kind == "sliding_window" and window is not None:
        unseen |= every < own - window
    return np.where(unseen, UNSEEN, scores)


def softmax(scores: Array) -> Array:
    """Return exponentials over their sum along the last dimension; of no elements there are none."""
    if not scores.size:
        return scores
    with np.errstate(invalid="ignore"):  # nothing but -inf, or inf: NaN
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def rope(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the value with the first elements of each head rotated."""
    src, cos, sin = operands
    each = src.reshape(*src.shape[:2], src.shape[2] // inst.head_dim, inst.head_dim) if src.ndim == 3 else src
    heads = by_head(each, "bshd" if src.ndim == 3 else inst.layout, 0)
    return together(rotated(heads, cos, sin, inst.n_rot, inst.style), inst.layout, src.ndim)


def rotated(array: Array, cos: Array, sin: Array, count: int, style: str) -> Array:
    """Return [B, heads, S, elements] with the first `count` elements rotated by tables [S, ...] or [B, S, ...]."""
    half = count // 2
    first, second = (
        (slice(0, half), slice(half, count)) if style == "neox" else (slice(0, count, 2), slice(1, count, 2))
    )
    c, s = (np.expand_dims(table.astype(np.float64)[..., :half], -3) for table in (cos, sin))
    result = array.copy()
    left, right = array[..., first], array[..., second]
    result[..., first] = left * c - right * s
    result[..., second] = right * c + left * s
    return result


def axial_rope2d(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the value with one half of each head rotated by the column, the other by the row."""
    (src,) = operands
    heads = by_head(src, "bshd", inst.num_heads)
    place = np.arange(src.shape[1]) // inst.repeat_factor
    half = inst.head_dim // 2
    frequencies = inst.theta ** (-4 * np.arange(inst.head_dim // 4) / inst.head_dim)
    parts = []
    for at, part in ((place % inst.end_x, heads[..., :half]), (place // inst.end_x, heads[..., half:])):
        angles = at[:, None] * frequencies
        parts.append(rotated(part, np.cos(angles), np.sin(angles), half, "gptj"))
    return together(np.concatenate(parts, axis=-1), "bshd", 3)
