"""How far what a program gives is from its reference, output by output.

Deliberately absent: a verdict. How large an error may be depends on the program; a table says how large it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from runtime.comparison.difference import difference, finite_in_both, largest_relative


@dataclass(frozen=True)
class OutputError:
    """The error of one output. Distances are over the elements that are finite in both, None where there are none."""

    output: str  # %name of a tensor, or `result 0`
    elements: int
    absolute: float | None  # the largest distance
    relative: float | None  # the same beside the largest magnitude of the reference
    rms: float | None  # the root of the mean square of the distance, beside that of the reference
    special: int  # elements that are infinite or NaN in one of them only
    elementwise_relative: float | None  # the largest distance beside its own element, where that is not zero

    def to_json(self) -> dict[str, Any]:
        """Return the fields by name; a number that JSON does not have is text."""
        return {name: value if _is_in_json(value) else str(value) for name, value in asdict(self).items()}


def _is_in_json(value: Any) -> bool:
    return not isinstance(value, float) or isfinite(value)


def errors_of(found: Mapping[int | str, Any], reference: Mapping[int | str, Any]) -> tuple[OutputError, ...]:
    """Return the error of every output that is an array of numbers, or a sequence of such; they go by their order."""
    errors = []
    for name, (value, expected) in zip(found, zip(found.values(), reference.values(), strict=True), strict=True):
        distance = difference(value, expected, None)
        if distance is None:
            continue
        label = f"result {name}" if isinstance(name, int) else f"%{name}"
        found_errors: tuple[float | None, ...] = (None,) * 4
        if finite_in_both(value, expected):
            beside_all = distance.largest_beside_largest
            found_errors = (distance.largest, beside_all, distance.relative, largest_relative(value, expected))
        absolute, relative, rms, elementwise = found_errors
        errors.append(OutputError(label, distance.elements, absolute, relative, rms, distance.special, elementwise))
    return tuple(errors)
