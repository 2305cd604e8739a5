"""The way back from a broadcast: what a gradient is summed over."""

from __future__ import annotations

import numpy as np

from runtime.semantics import Array


def summed_onto(whole: Array, shape: tuple[int, ...]) -> Array:
    """Return the sum over everything along which a value of `shape` was broadcast to the shape of `whole`."""
    in_front = whole.ndim - len(shape)
    along = [axis for axis, extent in enumerate(shape, in_front) if extent == 1 != whole.shape[axis]]
    return np.asarray(whole.sum(axis=(*range(in_front), *along))).reshape(shape)
