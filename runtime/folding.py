"""What small constants give when they are computed with: the arithmetic that facts about foreign operators may name.

For passes that must judge a value before the program runs. Each function takes the elements of the operands, in the
dtypes that the program has for them, and gives those of the result. Of other words, such as `periodic`, there is none.

`arrange` does so for operations that move elements by their attributes: an element that is picked out of a table of
constants is a constant.

Deliberately absent: operators, and exactness. What a program computes is for the interpreter, with one rounding each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from runtime.rounding import cast_array, natural_dtype
from runtime.small_arrays import MOST_ELEMENTS
from runtime.types import Type

Array = NDArray[Any]


def fold(word: str, arrays: Sequence[Array], type: Type) -> Array | None:
    """Return the elements of the result, whose type is `type`; None where they cannot be told."""
    function = _FUNCTIONS.get(word)
    if function is None:
        return None
    try:
        with np.errstate(all="ignore"):
            return function(arrays, type)
    except (ValueError, TypeError):  # shapes or types that do not fit: there is no result
        return None


def arrange(word: str, arrays: Sequence[Array | None], attributes: Mapping[str, Any]) -> Array | None:
    """Return the elements where a word of `ARRANGEMENTS` moves them, None where they cannot be told.

    An operand that is absent is None. Attributes are those of ONNX, or of the graph where these have other names.
    """
    function = _ARRANGEMENTS.get(word)
    if function is None or not arrays:
        return None
    try:
        return function(arrays, attributes)
    except (ValueError, TypeError, IndexError):
        return None


def _same(arrays: Sequence[Array], type: Type) -> Array | None:
    """Return the elements where they are only arranged in another way, or repeated."""
    (array,) = arrays
    dims = type.shape or ()
    known = [dim for dim in dims if isinstance(dim, int)]
    is_known = type.shape is not None and len(known) == len(dims)
    if is_known and prod(known) == array.size:
        return array.reshape(known)
    if array.size == 1:
        return array.reshape(())
    return np.broadcast_to(array, known) if is_known and prod(known) <= MOST_ELEMENTS else None


def _concatenated(arrays: Sequence[Array | None], attributes: Mapping[str, Any]) -> Array:
    return np.concatenate([_there(one) for one in arrays], attributes.get("axis", 1))


def _gathered(arrays: Sequence[Array | None], attributes: Mapping[str, Any]) -> Array:
    table, indices = map(_there, arrays)
    picked: Array = np.take(table, indices, attributes.get("axis", 0))
    return picked


def _sliced(arrays: Sequence[Array | None], attributes: Mapping[str, Any]) -> Array:
    source, *given = arrays
    table = _there(source)
    stated = given or [attributes.get(name) for name in ("starts", "ends", "axes")]
    starts, ends, axes, steps = [*stated, None, None, None][:4]
    first, last = np.ravel(_there(starts)).tolist(), np.ravel(_there(ends)).tolist()
    along = [*range(len(first))] if axes is None else np.ravel(axes).tolist()
    by = [1] * len(first) if steps is None else np.ravel(steps).tolist()
    where = [slice(None)] * table.ndim
    for start, end, axis, step in zip(first, last, along, by, strict=True):
        is_whole = step < 0 and end < -table.shape[axis]  # numpy takes -1 for the last one, and nothing lies before it
        where[axis] = slice(start, None if is_whole else end, step)
    cut: Array = table[tuple(where)]
    return cut


def _transposed(arrays: Sequence[Array | None], attributes: Mapping[str, Any]) -> Array:
    (array,) = arrays
    return np.transpose(_there(array), attributes.get("perm", attributes.get("permutation")))


def _there(held: Any) -> Any:
    """Return what must be there.

    Raises: TypeError where it is absent.
    """
    if held is None:
        raise TypeError
    return held


def _convert(arrays: Sequence[Array], type: Type) -> Array | None:
    (array,) = arrays
    source, target = natural_dtype(array.dtype), type.dtype
    if source is None or target is None:
        return None
    return cast_array(np.trunc(array) if source.is_float and target.is_int else array, source, target)


def _divide(a: Array, b: Array) -> Array:
    if a.dtype.kind in "iub":
        raise TypeError  # rounded in a way of its own
    divided: Array = np.divide(a, b)
    return divided


def _elementwise(function: Callable[..., Any]) -> Callable[[Sequence[Array], Type], Array | None]:
    return lambda arrays, type: np.asarray(function(*arrays))


def _of_any_number(function: Callable[..., Any]) -> Callable[[Sequence[Array], Type], Array | None]:
    return lambda arrays, type: np.asarray(reduce(function, arrays))


_FUNCTIONS: Final[dict[str, Callable[[Sequence[Array], Type], Array | None]]] = {
    "absolute": _elementwise(np.abs),
    "add": _of_any_number(np.add),
    "convert": _convert,
    "divide": _elementwise(_divide),
    "exp": _elementwise(np.exp),
    "log": _elementwise(np.log),
    "maximum": _of_any_number(np.maximum),
    "minimum": _of_any_number(np.minimum),
    "multiply": _elementwise(np.multiply),
    "negative": _elementwise(np.negative),
    "power": _elementwise(np.power),
    "reciprocal": _elementwise(np.reciprocal),
    "relu": _elementwise(lambda array: np.maximum(array, 0)),
    "same": _same,
    "select": _elementwise(lambda chosen, one, other: np.where(chosen, one, other)),
    "sqrt": _elementwise(np.sqrt),
    "subtract": _elementwise(np.subtract),
}

ARITHMETIC: Final = frozenset(_FUNCTIONS)
"""The words that `fold` takes."""

_ARRANGEMENTS: Final[dict[str, Callable[[Sequence[Array | None], Mapping[str, Any]], Array]]] = {
    "concatenate": _concatenated,
    "gather": _gathered,
    "slice": _sliced,
    "transpose": _transposed,
}

ARRANGEMENTS: Final = frozenset(_ARRANGEMENTS)
"""The words that `arrange` takes."""
