"""How far values are from those that they stand for, as counts and sums that add up over many runs."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.dtypes import DType, f64, holds
from runtime.rounding import natural_dtype

Array = NDArray[Any]
Floats = NDArray[np.float64]
_LARGEST = frozenset({"largest", "reference_largest", "reference_norm", "ulps"})  # all others are summed


@dataclass(frozen=True, slots=True)
class Difference:
    """The distance of elements from a reference, over one run or several.

    Sums and maxima are over elements that are finite in both; the others are counted.
    """

    elements: int = 0
    differing: int = 0
    largest: float = 0.0  # absolute
    squares: float = 0.0  # the sum of the squared distances
    norms: float = 0.0  # the sum over all runs of the root of `squares`
    ulps: float = 0.0  # the largest distance in units of the last place, in the dtype of the result
    reference_largest: float = 0.0
    reference_squares: float = 0.0
    reference_norm: float = 0.0  # the largest over all runs
    overflowed: int = 0  # finite in the reference, infinite or NaN here
    other_special: int = 0  # infinite or NaN in the reference, and not the same here
    vanished: int = 0  # zero here, but not in the reference

    def joined(self, other: Difference) -> Difference:
        """Return the difference over the runs of both."""
        pairs = [(one.name, getattr(self, one.name), getattr(other, one.name)) for one in fields(self)]
        return Difference(**{name: max(a, b) if name in _LARGEST else a + b for name, a, b in pairs})

    @property
    def relative(self) -> float:
        """The root of the mean square of the distance, beside that of the reference."""
        return _ratio(sqrt(self.squares), sqrt(self.reference_squares))

    @property
    def largest_beside_largest(self) -> float:
        """The largest distance beside the largest magnitude of the reference."""
        return _ratio(self.largest, self.reference_largest)

    @property
    def added_up(self) -> float:
        """The same if each run adds its distance to what all runs before have left, as in an accumulation."""
        return _ratio(self.norms, self.reference_norm)

    @property
    def special(self) -> int:
        """Elements that became infinite or NaN, or are so in the reference and no longer."""
        return self.overflowed + self.other_special

    def as_data(self) -> dict[str, float]:
        """Return the fields, and what follows from them, by name."""
        data: dict[str, float] = {one.name: getattr(self, one.name) for one in fields(self)}
        return {**data, "relative": self.relative, "added_up": self.added_up}


@np.errstate(all="ignore")  # a distance may overflow
def difference(value: Any, reference: Any, dtype: DType | None) -> Difference | None:
    """Return how far a value, which is of this dtype, is from its reference; None where the two have no distance.

    Sequences are compared one by one. Texts are equal or differ, by no distance.
    """
    if isinstance(value, list) and isinstance(reference, list) and len(value) == len(reference):
        found = [difference(a, b, dtype) for a, b in zip(value, reference, strict=True)]
        total = Difference()
        for each in found:
            if each is None:
                return None
            total = total.joined(each)
        return total
    wide, wide_reference = as_f64(value), as_f64(reference)
    if wide is None and wide_reference is None:
        return _of_texts(value, reference)
    if wide is None or wide_reference is None or wide.shape != wide_reference.shape:
        return None
    return _of_floats(wide, wide_reference, dtype or natural_dtype(np.asarray(value).dtype))


@np.errstate(all="ignore")
def largest_relative(value: Any, reference: Any) -> float:
    """Return the largest distance of an element beside its reference, over those that are finite in both and not zero.

    Both are arrays of numbers of one shape, or sequences of such, which have a `difference`.
    """
    if isinstance(value, list):
        return max((largest_relative(*pair) for pair in zip(value, reference, strict=True)), default=0.0)
    wide, wide_reference = as_f64(value), as_f64(reference)
    assert wide is not None and wide_reference is not None
    counted = np.isfinite(wide) & np.isfinite(wide_reference) & (wide_reference != 0)
    distance = np.abs(wide[counted] - wide_reference[counted])
    return float(np.max(distance / np.abs(wide_reference[counted]), initial=0.0))


def finite_in_both(value: Any, reference: Any) -> int:
    """Return how many elements have a distance: those that are finite in both.

    Both are arrays of numbers of one shape, or sequences of such, which have a `difference`.
    """
    if isinstance(value, list):
        return sum(finite_in_both(*pair) for pair in zip(value, reference, strict=True))
    wide, wide_reference = as_f64(value), as_f64(reference)
    assert wide is not None and wide_reference is not None
    return int(np.count_nonzero(np.isfinite(wide) & np.isfinite(wide_reference)))


def as_f64(value: Any) -> Floats | None:
    """Return numbers as f64, 64-bit integers rounded; None for what is no array of numbers."""
    if not isinstance(value, np.ndarray | np.generic) or natural_dtype(value.dtype) is None:
        return None
    return np.asarray(value).astype(np.float64)


def _of_texts(value: Any, reference: Any) -> Difference | None:
    """Return how many elements differ of two arrays of one shape that hold no numbers, which have no distance."""
    arrays = [one for one in (value, reference) if isinstance(one, np.ndarray | np.generic)]
    if len(arrays) != 2 or arrays[0].shape != arrays[1].shape:
        return None
    return Difference(elements=arrays[0].size, differing=int(np.count_nonzero(arrays[0] != arrays[1])))


def _of_floats(wide: Floats, reference: Floats, dtype: DType | None) -> Difference:
    finite, finite_reference = np.isfinite(wide), np.isfinite(reference)
    if finite.all() and finite_reference.all():
        overflowed = other_special = 0
        kept, kept_reference = wide, reference
    else:
        both = finite & finite_reference
        kept, kept_reference = wide[both], reference[both]
        overflowed = int(np.count_nonzero(finite_reference & ~finite))
        same = (wide == reference) | (np.isnan(wide) & np.isnan(reference))
        other_special = int(np.count_nonzero(~finite_reference & ~same))
    distance = np.abs(kept - kept_reference)
    magnitude = np.abs(kept_reference)
    squares, reference_squares = _squared(distance), _squared(magnitude)
    return Difference(
        elements=wide.size,
        differing=int(np.count_nonzero(distance)) + overflowed + other_special,
        largest=float(distance.max(initial=0.0)),
        squares=squares,
        norms=sqrt(squares),
        ulps=_largest_in_ulps(distance, magnitude, dtype),
        reference_largest=float(magnitude.max(initial=0.0)),
        reference_squares=reference_squares,
        reference_norm=sqrt(reference_squares),
        overflowed=overflowed,
        other_special=other_special,
        vanished=int(np.count_nonzero((kept == 0) & (kept_reference != 0))),
    )


def _squared(values: Floats) -> float:
    return float(np.dot(values.reshape(-1), values.reshape(-1)))


def _largest_in_ulps(distance: Floats, magnitude: Floats, dtype: DType | None) -> float:
    """Return the largest distance in units of the last place that a dtype has at the reference."""
    if dtype is None or not dtype.is_float or not holds(f64, dtype) or not distance.any():
        return 0.0
    lowest = int(np.frexp(dtype.smallest_normal)[1])
    exponents = np.clip(np.frexp(magnitude)[1], lowest, int(np.frexp(dtype.largest)[1]))
    return float(np.max(distance / np.ldexp(1.0, exponents - dtype.precision)))


def _ratio(distance: float, reference: float) -> float:
    if not distance:
        return 0.0
    return distance / reference if reference else inf
