"""Data movement: elements that go elsewhere as they are, bit for bit.

Where a rounding is skipped, operands that are put together may differ in width; the wider one is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.arithmetic import widen
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array
from runtime.semantics.indices import along, clamped, in_range, places


def gather(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the slices of `src` along `axis` that `indices` name."""
    src, indices = operands
    return np.asarray(np.take(src, in_range(indices, src.shape[inst.axis], inst.axis), inst.axis))


def gather_nd(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the slices of `src` at the places that `indices` give."""
    src, indices = operands
    found = np.asarray(src[places(indices, src.shape, inst.batch_dims)])
    shape = (*indices.shape[:-1], *src.shape[inst.batch_dims + indices.shape[-1] :])
    return np.broadcast_to(found, shape)  # where K is 0, the same at every place of an item of the batch


def gather_elements(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the element of `src` at each place, but for its index along `axis`."""
    src, indices = operands
    return np.asarray(src[along(indices, src.shape, inst.axis)])


def narrow(inst: Any, operands: Sequence[Any]) -> Array:
    """Return `length` slices of `src` from `start` on."""
    src: Array = operands[0]
    extent = src.shape[inst.axis]
    if inst.start + inst.length > extent:
        raise InterpreterError(f"takes elements up to {inst.start + inst.length} of {extent} along axis {inst.axis}")
    window = (slice(None),) * inst.axis + (slice(inst.start, inst.start + inst.length),)
    found: Array = src[window]
    return found


def reshape(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the elements of `src` in `new_shape`, in which at most one extent is not known."""
    (src,) = operands
    unknown = [dim for dim in inst.new_shape if not isinstance(dim, int)]
    others = int(np.prod([dim for dim in inst.new_shape if isinstance(dim, int)], dtype=object))
    fits = others == src.size if not unknown else len(unknown) == 1 and others and src.size % others == 0
    if not fits:
        shape = ",".join("?" if dim is None else str(dim) for dim in inst.new_shape)
        raise InterpreterError(f"cannot give the {src.size} elements of src the shape [{shape}]")
    left = src.size // others if unknown else 0
    return np.asarray(src).reshape([dim if isinstance(dim, int) else left for dim in inst.new_shape])


def transpose(inst: Any, operands: Sequence[Any]) -> Array:
    """Return `src` with its dimensions in the order of `permutation`."""
    return np.transpose(operands[0], inst.permutation)


def concat(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the parts behind each other along `axis`."""
    return np.concatenate(alike(operands[0]), inst.axis)


def expand(inst: Any, operands: Sequence[Any]) -> Array:
    """Return `src` broadcast with `target_shape`; an extent that is not known is the result's, else that of `src`."""
    (src,) = operands
    stated = (1,) * len(inst.target_shape) + tuple(inst.type.shape or ())  # of its type nothing may be known
    pairs = zip(inst.target_shape, stated[len(stated) - len(inst.target_shape) :], strict=True)
    target = [next((dim for dim in pair if isinstance(dim, int)), 1) for pair in pairs]
    try:
        return np.broadcast_to(src, np.broadcast_shapes(src.shape, tuple(target)))
    except ValueError:
        raise InterpreterError(f"the shapes {list(src.shape)} and {target} have no broadcast") from None


def top_k(inst: Any, operands: Sequence[Any]) -> tuple[Array, Array]:
    """Return the `k` largest or smallest elements along `axis` in order, and their indices.

    Of equal elements the first one comes first. NaN is the largest.
    """
    (src,) = operands
    extent = src.shape[inst.axis]
    if inst.k > extent:
        raise InterpreterError(f"k is {inst.k}, and src has {extent} elements along axis {inst.axis}")
    keys = src if src.dtype.kind in "iuf" else src.astype(np.float64)
    if inst.largest:  # a stable sort from the back, read from the back, has equal elements in their order
        backwards = np.argsort(np.flip(keys, inst.axis), inst.axis, kind="stable")
        order = extent - 1 - np.flip(backwards, inst.axis)
    else:
        order = np.argsort(keys, inst.axis, kind="stable")
    chosen = np.take(order, np.arange(inst.k), inst.axis)
    return np.take_along_axis(src, chosen, inst.axis), chosen


def dynamic_slice(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the window of `sizes` at `start`, which is moved back into `src` where it leaves it."""
    src: Array = operands[0]
    return src[clamped(operands[1], inst.sizes, src.shape)]


def dynamic_update_slice(inst: Any, operands: Sequence[Any]) -> Array:
    """Return `src` with `update` at `start`, which is moved back into `src` where it leaves it."""
    src, update, start = operands
    copied, window = alike((src, update))
    result = copied.copy()
    result[clamped(start, update.shape, src.shape)] = window
    return result


def alike(arrays: Sequence[Array]) -> list[Array]:
    """Return arrays of one data type: as they are where they have one, else widened."""
    if len({array.dtype for array in arrays}) == 1:
        return list(arrays)
    if any(array.dtype == np.float64 for array in arrays):
        return [array.astype(np.float64) for array in arrays]
    return [widen(array) for array in arrays]
