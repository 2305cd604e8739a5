"""The same done to many small arrays at once: numpy takes about a microsecond a call, whatever there is to do.

A model has thousands of scales and biases, and each needs a few calls. Here they are laid end to end, so that all of
them together need these calls, and one each to be cut out again.

Deliberately absent: large arrays, which would be copied for nothing; each is treated by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from runtime.dtypes import DType
from runtime.rounding import cast_array

Array = NDArray[Any]
MOST_ELEMENTS: Final = 1024
"""Of an array that counts as small."""


def largest_magnitudes(arrays: Sequence[Array]) -> list[float]:
    """Return the largest magnitude in each of some arrays of one float, none of them empty; NaN where there is one."""
    if not arrays:
        return []
    starts = [0, *accumulate([array.size for array in arrays[:-1]])]
    found: list[float] = np.maximum.reduceat(np.abs(_end_to_end(arrays)), starts).tolist()
    return found


def cast_arrays(arrays: Sequence[Array], source: DType, target: DType) -> list[Array]:
    """Return what `cast_array` gives for each of some arrays; small ones share memory."""
    small = [array for array in arrays if array.size <= MOST_ELEMENTS]
    if len(small) < 2:
        return [cast_array(array, source, target) for array in arrays]
    flat, end = cast_array(_end_to_end(small), source, target), 0
    found = []
    for array in arrays:
        if array.size > MOST_ELEMENTS:
            found.append(cast_array(array, source, target))
            continue
        start, end = end, end + array.size
        found.append(flat[start:end].reshape(array.shape))
    return found


def _end_to_end(arrays: Sequence[Array]) -> Array:
    return np.concatenate([array.reshape(-1) for array in arrays])
