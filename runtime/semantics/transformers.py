"""Blocks and layers of transformers, as one instruction.

Dtypes: everything is computed in f64, whatever the operands are, and rounded once, by the interpreter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.arithmetic import FUNCTIONS, evaluate, word
from runtime.semantics import Array
from runtime.semantics.attention import by_head, masked, rotated, softmax, together


def attention_block(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the attention with the projections before and after it."""
    return _attended(inst, *map(_wide, operands))


def layer(inst: Any, operands: Sequence[Any]) -> Array:
    """Return what a layer of an encoder makes of its input."""
    hidden, qkv, out, gamma1, fc1, fc2, gamma2, mask, *biases = map(_wide, operands)
    qkv_bias, out_bias, beta1, fc1_bias, fc2_bias, beta2 = biases
    middle = _norm(hidden + _attended(inst, hidden, qkv, out, mask, qkv_bias, out_bias), gamma1, beta1, inst.eps1)
    inner = evaluate(word(FUNCTIONS, inst.activation), _plus(middle @ fc1, fc1_bias))
    return _norm(middle + _plus(inner @ fc2, fc2_bias), gamma2, beta2, inst.eps2)


def _wide(operand: Any) -> Any:
    return None if operand is None else operand.astype(np.float64, copy=False)


def _attended(
    inst: Any,
    hidden: Any,
    qkv: Any,
    out: Any,
    mask: Any,
    qkv_bias: Any,
    out_bias: Any,
    cos: Any = None,
    sin: Any = None,
) -> Array:
    parts = np.split(_plus(hidden @ qkv, qkv_bias), 3, axis=-1)
    query, key, value = (by_head(part, "bshd", inst.num_heads) for part in parts)
    if cos is not None:
        query, key = (rotated(part, cos, sin, inst.head_dim, "neox") for part in (query, key))
    scores = query @ key.swapaxes(-1, -2) * inst.head_dim**-0.5
    weighed = softmax(masked(scores, "custom", None, mask)) @ value
    return _plus(together(weighed, "bshd", 3) @ out, out_bias)


def _plus(array: Array, bias: Array | None) -> Array:
    return array if bias is None else array + bias


def _norm(array: Array, gamma: Array, beta: Array | None, epsilon: float) -> Array:
    count = max(1, array.shape[-1])  # of nothing there is no mean, and none is needed
    centred = array - array.sum(axis=-1, keepdims=True) / count
    variance = np.square(centred).sum(axis=-1, keepdims=True) / count
    return _plus(np.asarray(centred / np.sqrt(variance + epsilon) * gamma), beta)
