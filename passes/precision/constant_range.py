"""Which constants a lower float cannot hold: judged by their values.

A finite element that would become an infinity is a reason; an infinity itself is none. A scalar, or an operand that is
a divisor, an epsilon or a bound, must not become zero or subnormal either. Small elements of a weight are no reason,
unless all of them are small: then what is multiplied by it is lost. A factor of half the largest value leaves no room
for what is multiplied.

Deliberately absent: accuracy. A constant that is rounded stays a constant of nearly the same value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from passes.precision.constants import Array, Constants
from passes.precision.requests import beyond
from runtime.dtypes import DType
from runtime.precision_facts import FACTOR, SCALARS
from runtime.small_arrays import MOST_ELEMENTS, largest_magnitudes
from runtime.values import Operand

_INFINITY = float("inf")
_ROOM = 0.5
"""How much of the range a factor may take."""


@dataclass(frozen=True, slots=True)
class Unfit:
    """Why a lower float cannot hold a constant."""

    why: str
    is_small: bool  # it would be lost; else it would become an infinity


class ConstantRange:
    """Answers for one lower float, and looks at each constant once."""

    def __init__(self, low: DType, constants: Constants) -> None:
        self.low = low
        self._limit = beyond(low)
        self._constants = constants
        self._weights: dict[Operand, Unfit | None] = {}
        self._scalars: dict[Operand, Unfit | None] = {}
        self._factors: dict[Operand, Unfit | None] = {}
        self._sizes: dict[Operand, float] = {}  # the largest magnitudes that are known

    def why_unfit(self, value: Operand, role: str | None = None) -> Unfit | None:
        """Return why a constant must not be narrowed where it serves as `role`, or None; None for what is none, too."""
        if value not in self._constants.held:
            return None
        answers = self._scalars if role in SCALARS else self._factors if role == FACTOR else self._weights
        if value not in answers:
            contents = self._constants.contents(value)
            answers[value] = None if contents is None else self._judge(contents, role)
        return answers[value]

    def within(self, values: Iterable[Operand]) -> set[Operand]:
        """Return those of some small constants that fit where they serve as no scalar: all are looked at together."""
        found = []
        for value in dict.fromkeys(values):
            held = self._constants.held.get(value)
            if held is None or value in self._weights or prod(held.shape) > MOST_ELEMENTS:  # large ones are not fetched
                continue
            contents = self._constants.contents(value)
            if contents is not None and 1 < contents.size <= MOST_ELEMENTS and contents.dtype.char == "f":
                found.append((value, contents))
        sizes = largest_magnitudes([contents for _, contents in found])
        least = self.low.smallest_normal
        rows = zip(found, sizes, strict=True)
        fitting = {value for (value, _), size in rows if size < self._limit * _ROOM and not 0 < size < least}
        self._weights.update(dict.fromkeys(fitting))
        self._factors.update(dict.fromkeys(fitting))
        self._sizes.update(zip([value for value, _ in found], sizes, strict=True))
        return fitting

    def may_reach(self, value: Operand, limit: float) -> bool:
        """Whether an element of a constant may be as large as that; what is known of it is not looked at again."""
        return not self._sizes.get(value, limit) < limit

    def why_unfit_number(self, number: float, what: str = "the constant") -> Unfit | None:
        """Return why one number must not be narrowed, or None."""
        if self._limit <= abs(number) < _INFINITY:
            return Unfit(f"{what} {number:g} is beyond the range of {self.low}", is_small=False)
        if 0 < abs(number) < self.low.smallest_normal:
            return Unfit(f"{what} {number:g} is too small for {self.low}", is_small=True)
        return None

    def is_lost_beside(self, number: float, value: Operand) -> bool:
        """Whether adding a small number to the elements of a value may matter in the lower float."""
        contents = self._constants.contents(value)
        if contents is None or not contents.size:
            return True
        smallest = float(abs(contents).min())
        return not abs(number) <= smallest * 2.0**-self.low.mantissa_bits

    def _judge(self, array: Array, role: str | None) -> Unfit | None:
        if not array.size or array.dtype.kind in "bOSU":
            return None
        if array.size == 1:
            number = float(array.item())
            if role == FACTOR and self._limit * _ROOM <= abs(number) < self._limit:
                return Unfit(f"the factor {number:g} leaves no room in the range of {self.low}", is_small=False)
            return self.why_unfit_number(number)
        largest = _largest_magnitude(array)
        if role == FACTOR and self._limit * _ROOM <= largest < self._limit:
            return Unfit(f"a constant has factors that leave no room in the range of {self.low}", is_small=False)
        if not largest < self._limit:  # as hardly any weight is not
            magnitudes = abs(array.astype("float64"))
            if ((self._limit <= magnitudes) & (magnitudes != _INFINITY)).any():
                return Unfit(f"a constant has elements beyond the range of {self.low}", is_small=False)
        if role in SCALARS and ((array != 0) & (abs(array) < self.low.smallest_normal)).any():
            return Unfit(f"a constant has elements that {self.low} would lose", is_small=True)
        if role == FACTOR and 0 < largest < self.low.smallest_normal:
            return Unfit(f"all elements of a constant are too small for {self.low}", is_small=True)
        return None


def _largest_magnitude(array: Array) -> float:
    """Return the largest magnitude, or NaN; of a large array without another one as large as it is."""
    if array.size <= MOST_ELEMENTS and array.dtype.kind == "f":
        sizes = abs(array.reshape(-1))
        return float(sizes.item(sizes.argmax()))  # a third of the time of two looks
    highest, lowest = float(array.max()), float(array.min())
    return max(highest, -lowest) if highest == highest else highest
