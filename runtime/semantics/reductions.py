"""Reductions: numbers that follow from all elements along some axes.

Dtypes: floats are computed in f64, whatever they are, and rounded once, by the interpreter; integers modulo 2 to their
width, a mean of integers towards zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from runtime.arithmetic import word
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array
from runtime.semantics.widening import widened, wrapped

_REDUCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "sum": np.sum,
    "mean": np.mean,
    "max": np.max,
    "min": np.min,
    "prod": np.prod,
}


def reduce(inst: Any, operands: Sequence[Any]) -> Array:
    """Return one number from all elements along `axes`."""
    (src,) = widened(operands, inst.dtype)
    axes = tuple(inst.axes)
    if not axes:
        return src
    if inst.op in ("max", "min", "mean") and not all(src.shape[axis] for axis in axes):
        raise InterpreterError(f"no {inst.op} of no elements: src has the shape {list(src.shape)}")
    if src.dtype.kind == "f":
        return np.asarray(
            word(_REDUCTIONS, inst.op)(src.astype(np.float64, copy=False), axis=axes, keepdims=inst.keepdims)
        )
    if inst.op == "mean":
        return wrapped(_integer_mean(src, axes, inst.keepdims), inst.dtype)
    if inst.op in ("max", "min"):
        return np.asarray(word(_REDUCTIONS, inst.op)(src, axis=axes, keepdims=inst.keepdims))
    exact = word(_REDUCTIONS, inst.op)(src, axis=axes, keepdims=inst.keepdims, dtype=src.dtype)
    return wrapped(np.asarray(exact), inst.dtype)


def softmax(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the exponentials along `axis`, divided by their sum."""
    (src,) = widened(operands, inst.dtype)
    if not src.size:
        return src
    exponents = src.astype(np.float64, copy=False)
    with np.errstate(invalid="ignore"):  # nothing but -inf, or inf, along the axis: NaN
        powers = np.exp(exponents - exponents.max(axis=inst.axis, keepdims=True))
        return np.asarray(powers / powers.sum(axis=inst.axis, keepdims=True))


def _integer_mean(src: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    count = int(np.prod([src.shape[axis] for axis in axes]))
    total = np.sum(src.astype(object), axis=axes, keepdims=keepdims)
    towards_zero = np.vectorize(lambda value: abs(value) // count * (1 if value >= 0 else -1), otypes=[object])
    return np.asarray(towards_zero(total)).astype(src.dtype)
