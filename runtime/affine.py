"""Loop axes, and offsets that are affine in them.

Deliberately absent: division, remainder and products of axes. An access that needs them is not affine, and the passes
that rely on affine accesses must not meet it.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import index

from runtime.names import Names
from runtime.quoting import described


class Axis:
    """What a loop counts: `lower, lower + step, ...`, `trip_count` values in all. Compared by identity.

    Units: elements of whatever the axis indexes; the access pattern that uses it multiplies.
    """

    __slots__ = ("lower", "name", "step", "trip_count")

    def __init__(self, name: str, trip_count: int, lower: int = 0, step: int = 1) -> None:
        if not isinstance(name, str):
            raise TypeError(f"the name of an axis is text, not {described(name)}")
        self.name = name
        self.lower = whole_number(lower, "the lower bound of an axis")
        self.trip_count = whole_number(trip_count, "the trip count of an axis")
        self.step = whole_number(step, "the step of an axis")

    @property
    def values(self) -> range:
        """The values that the axis takes, in order."""
        return range(self.lower, self.lower + self.trip_count * self.step, self.step) if self.step else range(0)

    def __repr__(self) -> str:
        return f"<Axis %{self.name} = {self.lower} step {self.step} times {self.trip_count}>"


class Affine:
    """A constant plus whole multiples of axes. Immutable; equal when constant and terms are equal."""

    __slots__ = ("constant", "terms")

    constant: int
    terms: tuple[tuple[Axis, int], ...]  # coefficient of each axis, none of them 0, in the order of first mention

    def __init__(self, constant: int = 0, terms: tuple[tuple[Axis, int], ...] = ()) -> None:
        merged: dict[Axis, int] = {}
        for axis, coefficient in terms:
            merged[axis] = merged.get(axis, 0) + coefficient
        self.constant = constant
        self.terms = tuple((axis, coefficient) for axis, coefficient in merged.items() if coefficient)

    @classmethod
    def of(cls, value: Affine | Axis | int) -> Affine:
        """Return the affine form of a constant, an axis or an affine form."""
        if isinstance(value, Affine):
            return value
        if isinstance(value, Axis):
            return cls(0, ((value, 1),))
        return cls(whole_number(value, "what stands in an affine form", "an axis, such as that of build.loop, or a"))

    def __add__(self, other: Affine | Axis | int) -> Affine:
        more = Affine.of(other)
        return Affine(self.constant + more.constant, self.terms + more.terms)

    def __mul__(self, factor: int) -> Affine:
        return Affine(self.constant * factor, tuple((axis, coefficient * factor) for axis, coefficient in self.terms))

    def with_axes(self, replacement: Mapping[Axis, Axis]) -> Affine:
        """Return the same form over other axes; axes that `replacement` does not name stay."""
        return Affine(self.constant, tuple((replacement.get(axis, axis), factor) for axis, factor in self.terms))

    def evaluate(self, values: Mapping[Axis, int]) -> int:
        """Return the value where each axis has the value given."""
        return self.constant + sum(coefficient * values[axis] for axis, coefficient in self.terms)

    @property
    def bounds(self) -> tuple[int, int]:
        """Smallest and largest value over all iterations of the axes, both included."""
        low = high = self.constant
        for axis, coefficient in self.terms:
            if axis.trip_count > 0:
                ends = (coefficient * axis.lower, coefficient * (axis.lower + (axis.trip_count - 1) * axis.step))
                low, high = low + min(ends), high + max(ends)
        return low, high

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Affine) and self.constant == other.constant and dict(self.terms) == dict(other.terms)

    def __hash__(self) -> int:
        return hash((self.constant, frozenset(self.terms)))

    def use_str(self, names: Names | None = None) -> str:
        """Return `constant + coefficient*%axis + ...`; `names` are those of the whole text, if there is one."""
        names = names or Names()
        return " + ".join([str(self.constant), *(f"{factor}*%{names.of(axis)}" for axis, factor in self.terms)])

    def __str__(self) -> str:
        return self.use_str()

    def __repr__(self) -> str:
        return f"<Affine {self}>"


def whole_number(given: object, what: str, expected: str = "a") -> int:
    """Return a whole number of Python or numpy as an int.

    Raises: TypeError for anything else, which says that `what` is `expected` whole number.
    """
    try:
        return index(given)  # type: ignore[arg-type]  # where it is none, that is said
    except TypeError:
        raise TypeError(f"{what} is {expected} whole number, not {described(given)}") from None
