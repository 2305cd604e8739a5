"""Operators that `onnx.reference` computes wrongly, computed as the specification has them.

Deliberately absent: whatever `onnx.reference` computes as specified, BatchNormalization in training mode and before
operator set 7, and low precision: operands of f16 and bf16 come in as f32, and the evaluator rounds each result.

Source: the ONNX operator specification (`docs/Changelog.md`), under the heading that each line names. The faults are
those of onnx 1.23; an operator set that gives one of these operators a new version is not corrected unseen.

- Softmax-1, Softmax-11, LogSoftmax-1, -11, Hardmax-1, -11: the operand is coerced to two dimensions at `axis`, which is
  1 where it is not given. The reference applies the rule of version 13: along `axis` alone, the last one by default.
- LRN-1, LRN-13: the sum of squares runs over the channels around each channel, for each channel, and an operand
  may have any number of dimensions behind the channels. The reference counts channels up to the batch size, and takes
  four dimensions only.
- BatchNormalization-7, -9: with one result, the given mean and variance hold ("test mode"). The reference mixes them
  with those of the operand. Version 7 also has parameters for each activation (`spatial` = 0).
- GlobalMaxPool-1, -22: the maximum over all dimensions behind the channels. The reference takes the last two, always.
- DequantizeLinear-10, -13: the reference has nothing before version 19.
- LogSoftmax-13: the reference takes the logarithm of a softmax, minus infinity where that is zero, as it soon is.
- Optional-15, -28: the reference makes a list of what is optional, and OptionalGetElement gives that list.
- Softsign-1, -22: the reference fails at an operand without dimensions.
- Upsample-7, -9 and Resize-10: element i is taken at i / scale, of the nearest ones the one before, or the one behind
  where there become fewer. The reference has no Upsample with scales as an attribute, and no Resize without a region.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from frontends.onnx.schemas import schema_of
from runtime.generic import ONNX_DOMAIN

Array = NDArray[Any]
Attributes = Mapping[str, Any]
Correction = Callable[[Attributes, Sequence[Any]], Array]


def find_correction(domain: str, op_type: str, operator_set: int | None) -> Correction | None:
    """Return what computes the one result of an operator in an operator set; None where the reference is right."""
    corrections = CORRECTIONS.get((domain, op_type))
    if corrections is None or operator_set is None:
        return None
    schema = schema_of(domain, op_type, operator_set)
    return None if schema is None else corrections.get(schema.since_version)


def softmax(attributes: Attributes, values: Sequence[Any]) -> Array:
    """Return the exponentials of each row divided by their sum."""
    (x,) = values
    rows = _rows(x, attributes)
    exponentials = np.exp(rows - _largest(rows))
    return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True)).reshape(x.shape)


def log_softmax(attributes: Attributes, values: Sequence[Any]) -> Array:
    """Return the logarithm of what `softmax` returns, without the underflow in between."""
    (x,) = values
    rows = _rows(x, attributes)
    shifted = rows - _largest(rows)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))).reshape(x.shape)


def log_softmax_along(attributes: Attributes, values: Sequence[Any]) -> Array:
    """Return the logarithm of a softmax along one axis, without the underflow in between."""
    (x,) = values
    axis = int(attributes.get("axis", -1))
    shifted = x - x.max(axis=axis, keepdims=True, initial=-np.inf)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True)))


def optional(attributes: Attributes, values: Sequence[Any]) -> Any:
    """Return what is optional, which stands for itself; None where there is nothing."""
    return values[0] if values else None


def softsign(attributes: Attributes, values: Sequence[Any]) -> Array:
    """Return `x / (1 + |x|)`."""
    (x,) = values
    return np.asarray(x / (1 + abs(x)))


def hardmax(attributes: Attributes, values: Sequence[Any]) -> Array:
    """Return 1 for the first of the largest values of each row, and 0 for all others."""
    (x,) = values
    rows = _rows(x, attributes)
    result = np.zeros_like(rows)
    if rows.size:
        result[np.arange(len(rows)), rows.argmax(axis=1)] = 1
    return result.reshape(x.shape)


def lrn(attributes: Attributes, values: Sequence[Any]) -> Array:
    """Return each value divided by a power of the mean square of the channels around it.

    Shapes: [N, C, ...] to the same.
    """
    (x,) = values
    if x.ndim < 2:
        raise ValueError(f"needs a batch and channels, the operand has the shape {list(x.shape)}")
    size, channels = int(attributes["size"]), x.shape[1]
    if size < 1:
        raise ValueError(f"a size of {size} is no number of channels")
    squares, square_sum = x * x, np.zeros_like(x)
    before, after = (size - 1) // 2, size // 2  # floor and ceiling of (size - 1) / 2
    for step in range(-min(before, channels - 1), min(after, channels - 1) + 1):
        first, end = max(0, -step), min(channels, channels - step)
        square_sum[:, first:end] += squares[:, first + step : end + step]
    alpha, beta, bias = (float(attributes.get(*pair)) for pair in (("alpha", 1e-4), ("beta", 0.75), ("bias", 1.0)))
    return np.asarray(x / (bias + alpha / size * square_sum) ** beta)


def batch_normalization(attributes: Attributes, values: Sequence[Any]) -> Array:
    """Return each channel normalised by the mean and the variance that are given.

    Shapes: [N, C, ...] and four of [C] to [N, C, ...]; where `spatial` is 0, the four are [C, ...].
    """
    x, *parameters = values
    shape = x.shape[1:] if not attributes.get("spatial", 1) else x.shape[1:2]
    wrong = [list(one.shape) for one in parameters if one.shape != shape]
    if wrong:
        raise ValueError(f"a parameter has the shape {wrong[0]}, which is not {list(shape)}")
    scale, bias, mean, variance = (one.reshape(shape + (1,) * (x.ndim - 1 - len(shape))) for one in parameters)
    return np.asarray(scale * (x - mean) / np.sqrt(variance + float(attributes.get("epsilon", 1e-5))) + bias)


def global_max_pool(attributes: Attributes, values: Sequence[Any]) -> Array:
    """Return the largest value of each channel.

    Shapes: [N, C, D1, D2, ...] to [N, C, 1, 1, ...].
    """
    (x,) = values
    return np.asarray(x.max(axis=tuple(range(2, x.ndim)), keepdims=True))


def dequantize_linear(attributes: Attributes, values: Sequence[Any]) -> Array:
    """Return the difference from the zero point, times the scale: one for all, or one for each index of `axis`.

    Dtypes: i8, u8 or i32 to f32; the difference is exact.
    """
    x, scale, zero = (*values, None)[:3]
    if scale.size != 1:
        axis = _axis(x, attributes)
        if scale.shape != x.shape[axis : axis + 1]:
            raise ValueError(f"{list(scale.shape)} scales are not one for each index of axis {axis} of {list(x.shape)}")
        shape = (-1,) + (1,) * (x.ndim - 1 - axis)
    else:
        shape = ()
    wide = x.astype(np.int64)
    if zero is not None:
        if zero.size != scale.size:
            raise ValueError(f"{zero.size} zero points for {scale.size} scales")
        wide = wide - zero.astype(np.int64).reshape(shape)
    return np.asarray(wide.astype(scale.dtype) * scale.reshape(shape))


def upsample(attributes: Attributes, values: Sequence[Any]) -> Array:
    """Return an image of another size, element i of an axis taken at i / scale."""
    x, *given = values
    scales = np.asarray(given[0] if given else attributes["scales"], np.float32)
    if len(scales) != x.ndim or not (scales > 0).all():
        raise ValueError(f"{scales.tolist()} are no scales for the {x.ndim} dimensions of the operand")
    for axis, scale in enumerate(scales):
        places = np.arange(math.floor(x.shape[axis] * scale), dtype=np.float32) / scale
        last = x.shape[axis] - 1
        if attributes.get("mode", "nearest") == "nearest":
            x = x.take(np.minimum(np.ceil(places) if scale < 1 else np.floor(places), last).astype(np.int64), axis)
            continue
        before = np.minimum(np.floor(places), last).astype(np.int64)
        part = np.minimum(places - before, 1).reshape(-1, *[1] * (x.ndim - 1 - axis)).astype(x.dtype)
        x = x.take(before, axis) * (1 - part) + x.take(np.minimum(before + 1, last), axis) * part
    return np.asarray(x)


def _rows(x: Array, attributes: Attributes) -> Array:
    """Return an operand coerced to two dimensions at `axis`."""
    axis = _axis(x, attributes)
    return x.reshape(math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))


def _axis(x: Array, attributes: Attributes) -> int:
    """Return the attribute `axis`, 1 by default, counted from the front."""
    axis = int(attributes.get("axis", 1))
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"axis {axis} is none of the {x.ndim} dimensions of the operand")
    return axis % x.ndim


def _largest(rows: Array) -> Array:
    return np.asarray(rows.max(axis=1, keepdims=True, initial=-np.inf))


# By domain and name: the versions of the operator that are corrected, and what computes each.
CORRECTIONS: Final[Mapping[tuple[str, str], Mapping[int, Correction]]] = {
    (ONNX_DOMAIN, "BatchNormalization"): dict.fromkeys((7, 9), batch_normalization),
    (ONNX_DOMAIN, "DequantizeLinear"): dict.fromkeys((10, 13), dequantize_linear),
    (ONNX_DOMAIN, "GlobalMaxPool"): dict.fromkeys((1, 22), global_max_pool),
    (ONNX_DOMAIN, "Hardmax"): dict.fromkeys((1, 11), hardmax),
    (ONNX_DOMAIN, "LRN"): dict.fromkeys((1, 13), lrn),
    (ONNX_DOMAIN, "LogSoftmax"): {1: log_softmax, 11: log_softmax, 13: log_softmax_along},
    (ONNX_DOMAIN, "Optional"): dict.fromkeys((15, 28), optional),
    (ONNX_DOMAIN, "Resize"): {10: upsample},
    (ONNX_DOMAIN, "Softmax"): dict.fromkeys((1, 11), softmax),
    (ONNX_DOMAIN, "Softsign"): dict.fromkeys((1, 22), softsign),
    (ONNX_DOMAIN, "Upsample"): dict.fromkeys((7, 9), upsample),
}
