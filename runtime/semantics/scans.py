"""Sums that go along a dimension.

Dtypes: floats are computed in f64, whatever they are, and rounded once, by the interpreter; integers modulo 2 to their
width.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.semantics import Array
from runtime.semantics.widening import widened, wrapped


def cumsum(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the sum of each element and of all in front of it along `axis`."""
    (src,) = widened(operands, inst.dtype)
    if src.dtype.kind == "f":
        src = src.astype(np.float64, copy=False)
    along = np.moveaxis(src, inst.axis, 0)
    if inst.reverse:
        along = along[::-1]
    with np.errstate(invalid="ignore"):  # inf - inf: NaN
        sums = np.cumsum(along, axis=0, dtype=src.dtype)
    if inst.exclusive and len(sums):
        sums = np.concatenate([np.zeros_like(sums[:1]), sums[:-1]])
    if inst.reverse:
        sums = sums[::-1]
    return wrapped(np.moveaxis(sums, 0, inst.axis), inst.dtype)
