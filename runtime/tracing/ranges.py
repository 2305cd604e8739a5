"""The range of the elements of an array: the smallest and the largest, and how many of them are special."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.dtypes import DType, f32, holds
from runtime.rounding import natural_dtype

Number = int | float


@dataclass(frozen=True, slots=True)
class Range:
    """What elements, of one array or several, lie between.

    `low` and `high` are of the finite elements, None where there is none; the others are counts. A subnormal element is
    not zero, and smaller than the smallest normal value of its dtype: it has lost some of its digits.
    """

    elements: int = 0
    low: Number | None = None
    high: Number | None = None
    nan: int = 0
    infinite: int = 0
    subnormal: int = 0

    def joined(self, other: Range) -> Range:
        """Return the range of the elements of both."""
        lows = [low for low in (self.low, other.low) if low is not None]
        highs = [high for high in (self.high, other.high) if high is not None]
        return Range(
            self.elements + other.elements,
            min(lows, default=None),
            max(highs, default=None),
            self.nan + other.nan,
            self.infinite + other.infinite,
            self.subnormal + other.subnormal,
        )

    def as_data(self) -> dict[str, Number | None]:
        """Return the fields as JSON has them."""
        return {name: getattr(self, name) for name in self.__slots__}


def range_of(value: Any) -> Range:
    """Return the range of a value of a run: of an array, of all arrays of a sequence, or of nothing."""
    if isinstance(value, list | tuple):
        total = Range()
        for one in value:
            total = total.joined(range_of(one))
        return total
    if not isinstance(value, np.ndarray | np.generic) or not value.size:
        return Range()
    array = np.asarray(value)
    dtype = natural_dtype(array.dtype)
    if dtype is None:  # texts, and other things that are no numbers
        return Range(array.size)
    return _of_floats(array, dtype) if dtype.is_float else _of_integers(array)


def _of_integers(array: NDArray[Any]) -> Range:
    wide = array.astype(np.int8) if array.dtype.kind not in "iub" else array  # numpy does not know those of 4 bits
    return Range(array.size, int(wide.min()), int(wide.max()))


def _of_floats(array: NDArray[Any], dtype: DType) -> Range:
    wide = array.astype(np.float32 if holds(f32, dtype) else np.float64, copy=False)
    subnormal = np.count_nonzero(np.abs(wide) < dtype.smallest_normal) - np.count_nonzero(wide == 0)
    low, high = float(wide.min()), float(wide.max())  # NaN where there is one
    if np.isfinite(low) and np.isfinite(high):
        return Range(array.size, low, high, 0, 0, int(subnormal))
    finite = wide[np.isfinite(wide)]
    nan = int(np.count_nonzero(np.isnan(wide)))
    lowest, highest = (float(finite.min()), float(finite.max())) if finite.size else (None, None)
    return Range(array.size, lowest, highest, nan, array.size - finite.size - nan, int(subnormal))
