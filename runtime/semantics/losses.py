"""Cross entropies of the softmax of logits, and their gradient.

Dtypes: everything is computed in f64, whatever the operands are, and rounded once, by the interpreter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array
from runtime.semantics.widening import in_f64

Floats = NDArray[np.float64]


def softmax_cross_entropy(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the loss of each row against weights of the classes. Shapes: [N, C] and [N, C] give [N]."""
    logits, targets = in_f64(operands)
    with np.errstate(invalid="ignore"):  # a weight of 0 for a logit of -inf: NaN
        return np.asarray(_log_sum_exp(logits) - (targets * logits).sum(axis=1))


def softmax_cross_entropy_with_logits(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the loss of each row against one class. Shapes: [N, C] and [N] give [N].

    Raises: InterpreterError for a label that is no class.
    """
    logits = in_f64(operands)[0]
    chosen = logits[np.arange(len(logits)), _classes(operands[1], logits.shape[1])]
    with np.errstate(invalid="ignore"):
        return np.asarray(_log_sum_exp(logits) - chosen)


def softmax_cross_entropy_backward(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the gradient of the loss against one class. Shapes: [N, C], [N] and [N] give [N, C].

    Raises: InterpreterError for a label that is no class.
    """
    logits, _, gradient = in_f64(operands)
    classes = _classes(operands[1], logits.shape[1])
    powers, _ = _powers(logits)
    with np.errstate(invalid="ignore"):  # nothing but -inf, or inf: NaN
        slopes = powers / powers.sum(axis=1, keepdims=True)
    slopes[np.arange(len(logits)), classes] -= 1
    return np.asarray(slopes * gradient[:, None])


def _log_sum_exp(logits: Floats) -> Floats:
    powers, shift = _powers(logits)
    with np.errstate(divide="ignore"):  # nothing but -inf: -inf
        return np.asarray(np.log(powers.sum(axis=1)) + shift)


def _powers(logits: Floats) -> tuple[Floats, Floats]:
    """Return exponentials, of which the largest logit of each row was taken off first, and what was taken off."""
    largest = logits.max(axis=1, initial=-np.inf)
    shift = np.where(largest == -np.inf, 0, largest)
    with np.errstate(invalid="ignore"):  # infinity: NaN, as of a softmax
        return np.exp(logits - shift[:, None]), shift


def _classes(labels: Array, count: int) -> NDArray[np.int64]:
    """Return labels, which may be written as floats, as indices of classes."""
    numbers = labels.astype(np.float64)
    wrong = np.flatnonzero(~((numbers >= 0) & (numbers < count) & (numbers == np.floor(numbers))))
    if wrong.size:
        raise InterpreterError(f"labels[{wrong[0]}] is {numbers[wrong[0]]:g}; the {count} classes count from 0")
    return numbers.astype(np.int64)
