"""Indices that are known only when a program runs: whether they are in range, and the places that they name.

Deliberately absent: results. Families that gather and scatter compute those.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array, Positions


def in_range(indices: Array, extent: int, axis: int, *, from_end: bool = True) -> Positions:
    """Return indices along one dimension, those that count from the end as they count from the start.

    Raises: InterpreterError where one is out of range.
    """
    found = indices.astype(np.int64)
    lowest = -extent if from_end else 0
    wrong = (found < lowest) | (found >= extent)
    if indices.dtype.kind == "u":
        wrong |= indices > np.asarray(np.iinfo(np.int64).max, np.uint64)
    if wrong.any():
        first = indices[wrong].reshape(-1)[0]
        wanted = f"expected {lowest} to {extent - 1}" if extent else "there are no elements"
        raise InterpreterError(f"an index along axis {axis} is {first}; {wanted}")
    return np.where(found < 0, found + extent, found)


def places(indices: Array, shape: Sequence[int], batch_dims: int = 0) -> tuple[Positions, ...]:
    """Return the first indices of the places that the last dimension of `indices` gives.

    Shapes: [batch ..., ..., K] gives batch_dims + K arrays that broadcast to [batch ..., ...].
    """
    rank = indices.ndim - 1
    batch = [np.arange(shape[axis]).reshape(*(1,) * axis, -1, *(1,) * (rank - axis - 1)) for axis in range(batch_dims)]
    found = [in_range(indices[..., at], shape[batch_dims + at], batch_dims + at) for at in range(indices.shape[-1])]
    return (*batch, *found)


def along(indices: Array, shape: Sequence[int], axis: int) -> tuple[Positions, ...]:
    """Return the indices of the elements that stand at their own places but for the index along `axis`."""
    own: list[Positions] = list(np.indices(indices.shape, sparse=True))
    own[axis] = in_range(indices, shape[axis], axis)
    return tuple(own)


def clamped(starts: Sequence[Array], sizes: Sequence[int], shape: Sequence[int]) -> tuple[slice, ...]:
    """Return the window of `sizes` that starts as near to `starts` as it can without leaving `shape`.

    Raises: InterpreterError where the window is larger than `shape`.
    """
    if len({len(starts), len(sizes), len(shape)}) != 1 or any(a > b for a, b in zip(sizes, shape, strict=True)):
        raise InterpreterError(f"a window of {list(sizes)} with {len(starts)} starts does not fit into {list(shape)}")
    found = []
    for start, size, extent in zip(starts, sizes, shape, strict=True):
        first = min(max(int(start), 0), extent - size)
        found.append(slice(first, first + size))
    return tuple(found)
