"""The offloaded memory intrinsics: what copies, conversions and changes of shape make of a whole tensor.

An element whose dtype does not change keeps its bits. One whose dtype changes goes through f32, as DMA converts, and is
rounded once on the way out.
Source: third-party study of the compiler, the offloaded-primitive IR; AWS Neuron documentation, `nki.isa.dma_copy`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from runtime.arithmetic import widen
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array


def copy(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the source in the shape of the result, in row-major order."""
    return _reshaped(operands[0], inst.shape)


def cast(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the source in f32, for the interpreter to round."""
    return _reshaped(widen(operands[0]), inst.shape)


def bitcast(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the bits of the source as elements of the result's dtype, the first one in the lowest bytes.

    Raises: InterpreterError where a rounding was skipped, so that the source does not have the bits that it should.
    """
    (src,) = operands
    stated, dtype = inst.src.dtype, inst.dtype
    if src.dtype != stated.numpy:
        raise InterpreterError(f"src is kept in {src.dtype} instead of {stated}, so it has no bits as {dtype}")
    words = np.ascontiguousarray(src).reshape(-1).view(np.uint8)
    elements: Array = words.view(dtype.numpy)
    return elements.reshape(inst.shape)


def concat(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the sources one behind the other along `dim`."""
    return np.concatenate(operands[0], axis=inst.dim)


def transpose(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the source, taken in the shape `src_shape`, with its dimensions permuted.

    Shapes: dimension `permutation[i]` becomes dimension `i`; the result may have another shape of as many elements.
    """
    (src,) = operands
    shaped = src if inst.src_shape is None else _reshaped(src, inst.src_shape)
    return _reshaped(np.transpose(shaped, inst.permutation), inst.shape)


def broadcast(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the source, repeated along `broadcast_dims` of the result."""
    (src,) = operands
    extents = [1 if dim in inst.broadcast_dims else extent for dim, extent in enumerate(inst.shape)]
    return np.broadcast_to(_reshaped(src, tuple(extents)), inst.shape)


def fill(inst: Any, operands: Sequence[Any]) -> Array:
    """Return a tensor of nothing but `value`."""
    return np.full(inst.shape, inst.value, np.float64)


def fma(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the sum of the sources, each multiplied with its scale.

    Dtypes: f32; every product and every sum is rounded to f32.
    """
    (srcs,) = operands
    products = [np.float32(scale) * widen(src) for scale, src in zip(inst.scales, srcs, strict=True)]
    total: Array = products[0]
    for product in products[1:]:
        total = total + product
    return total


def _reshaped(array: Array, shape: tuple[int, ...]) -> Array:
    """Return the elements in another shape, in row-major order."""
    if array.shape != shape and array.size != prod(shape):
        raise InterpreterError(f"copies {array.size} elements to {prod(shape)}")
    return array.reshape(shape)
