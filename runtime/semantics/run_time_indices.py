"""Where windows of tensors stand that run-time indices move, and which of these indices lead out of the tensor."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.access import NeuronAP
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Machine, OutOfBounds, Positions


def extents_of(access: NeuronAP) -> tuple[int, ...]:
    """Return the extents of the tensor that an access is to, in elements of the access's dtype."""
    *outer, last = access.tensor.known_shape or (1,)
    return (*outer, last * access.tensor.dtype.bits // access.dtype.bits)


def in_range(
    indices: Positions,
    window: Positions,
    extent: int,
    scale: int,
    out_of_bounds: OutOfBounds,
    most: int | None = None,
) -> tuple[Positions, NDArray[np.bool_]]:
    """Return the indices, clamped where that is asked for, and which of them keep the window inside its dimension.

    `extent` is that of the dimension, `scale` the elements from one index to the next, `most` a smaller last index.

    Raises: InterpreterError for an index that does not, unless the rule is to skip or clamp those.
    """
    if not window.size or not indices.size:
        return indices, np.ones(indices.shape, np.bool_)
    last = extent - 1 - int((window // scale % extent).max())
    last = last if most is None else min(last, most)
    if out_of_bounds == "clamp" and last >= 0:
        indices = np.clip(indices, 0, last)
    inside = (indices >= 0) & (indices <= last)
    if not inside.all() and out_of_bounds != "skip":
        wrong = indices[~inside][0]
        raise InterpreterError(f"index {wrong} is out of range: the window may be moved by 0 to {last}")
    return indices, inside


def rows_of(
    access: Any, indices: Positions, out_of_bounds: OutOfBounds, machine: Machine, most: int | None = None
) -> tuple[Positions, NDArray[np.bool_]]:
    """Return the positions of the rows of a tensor that indices choose, and which of these are in range.

    The access says what of each row is meant, and where the first one is; the step of its leading pair is ignored.

    Shapes: a row for each index, then the further extents of the access.
    Raises: InterpreterError where what is read or written is no access, or an index is out of range.
    """
    if not isinstance(access, NeuronAP):
        raise InterpreterError("run-time indices choose rows of a tensor, not of a value")
    window, extents = machine.positions(access)[:1], extents_of(access)
    scale = prod(extents[1:])
    indices, inside = in_range(indices, window, extents[0], scale, out_of_bounds, most)
    return window + (indices * scale).reshape(-1, *[1] * (window.ndim - 1)), inside


def rule_of(inst: Any, machine: Machine) -> OutOfBounds:
    """Return what becomes of an index that leads out of its tensor: where an instruction skips those, that counts."""
    return "skip" if inst.oob_mode == "skip" else machine.out_of_bounds
