"""What small constants give when they are computed with: the arithmetic that facts about foreign operators may name.

For passes that must judge a value before the program runs. Each function takes the elements of the operands, in the
dtypes that the program has for them, and gives those of the result. Of other words, such as `periodic`, there is none.

Deliberately absent: operators, and exactness. What a program computes is for the interpreter, with one rounding each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from runtime.rounding import cast_array, natural_dtype
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


def _same(arrays: Sequence[Array], type: Type) -> Array | None:
    """Return the elements where they are only arranged in another way, or one is repeated."""
    (array,) = arrays
    dims = type.shape or ()
    known = [dim for dim in dims if isinstance(dim, int)]
    if type.shape is not None and len(known) == len(dims) and prod(known) == array.size:
        return array.reshape(known)
    return array.reshape(()) if array.size == 1 else None


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
    "sqrt": _elementwise(np.sqrt),
    "subtract": _elementwise(np.subtract),
}

ARITHMETIC: Final = frozenset(_FUNCTIONS)
"""The words that `fold` takes."""
