"""Drawing indices with given probabilities.

Deliberately absent: a generator of random numbers. They come as an operand; without one, only what is certain is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array
from runtime.semantics.widening import in_f64

Floats = NDArray[np.float64]

_COLDEST: Final = 1e-6


def sample(inst: Any, operands: Sequence[Any]) -> Array:
    """Return an index for each row of logits. Shapes: [N, C] and [N] give [N].

    Raises: InterpreterError where a row has no probabilities, or there is a choice and no random number from 0 to 1.
    """
    logits, uniforms = in_f64(operands)
    probabilities = _nucleus(_softmax(logits / max(inst.temperature, _COLDEST), inst.top_k), inst.top_p)
    possible = probabilities > 0
    if uniforms is None:
        if (possible.sum(axis=1) > 1).any():
            raise InterpreterError("draws random numbers of its backend's own; give them as `uniforms`, or top_p = 0")
        return np.asarray(possible.argmax(axis=1))
    if not ((uniforms >= 0) & (uniforms < 1)).all():
        raise InterpreterError("uniforms are to be at least 0 and below 1")
    below = (np.cumsum(probabilities, axis=1) <= uniforms[:, None]).sum(axis=1)
    last = logits.shape[1] - 1 - possible[:, ::-1].argmax(axis=1)  # of which the sum may be rounded to less than 1
    return np.asarray(np.minimum(below, last))


def _softmax(logits: Floats, top_k: int) -> Floats:
    """Return the probabilities of the `top_k` largest logits of each row, and of those as large as the last of them."""
    count = logits.shape[1]
    if 0 < top_k < count:
        smallest = np.partition(logits, count - top_k, axis=1)[:, count - top_k, None]
        logits = np.where(logits < smallest, -np.inf, logits)
    with np.errstate(invalid="ignore"):
        powers = np.exp(logits - logits.max(axis=1, keepdims=True, initial=-np.inf))
        probabilities: Floats = powers / powers.sum(axis=1, keepdims=True)
    wrong = np.flatnonzero(~np.isfinite(probabilities).all(axis=1) | (count == 0))
    if wrong.size:
        raise InterpreterError(f"logits[{wrong[0]}] have no probabilities: they are none, or NaN, or infinite")
    return probabilities


def _nucleus(probabilities: Floats, top_p: float) -> Floats:
    """Return the probabilities of the fewest, most probable first, that reach `top_p`, scaled to a sum of 1."""
    if top_p >= 1 or not probabilities.size:
        return probabilities
    order = np.argsort(-probabilities, axis=1, kind="stable")
    sums = np.cumsum(np.take_along_axis(probabilities, order, axis=1), axis=1)
    before = np.concatenate([np.full_like(sums[:, :1], -1), sums[:, :-1]], axis=1)  # so that the first one always stays
    stays = np.zeros(probabilities.shape, bool)
    np.put_along_axis(stays, order, before < top_p, axis=1)
    kept: Floats = np.where(stays, probabilities, 0)
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))
