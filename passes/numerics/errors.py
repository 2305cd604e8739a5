"""How far what a program gives is from its reference, output by output.

Deliberately absent: a verdict. How large an error may be depends on the program; a table says how large it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from runtime.comparison.difference import as_f64, difference


@dataclass(frozen=True)
class OutputError:
    """The error of one output. Largest ones are over the elements that are finite in both."""

    output: str  # %name of a tensor, or `result 0`
    elements: int
    absolute: float  # the largest distance
    relative: float  # the largest distance beside the element of the reference, where that is not zero
    rms: float  # the root of the mean square of the distance, beside that of the reference
    special: int  # elements that are infinite or NaN in one of them only

    def to_json(self) -> dict[str, Any]:
        """Return the fields by name; a number that JSON does not have is text."""
        return {name: value if np.isfinite(value) else str(value) for name, value in _numbers(self).items()} | {
            "output": self.output
        }


def _numbers(error: OutputError) -> dict[str, float]:
    return {name: value for name, value in asdict(error).items() if name != "output"}


def errors_of(found: Mapping[int | str, Any], reference: Mapping[int | str, Any]) -> tuple[OutputError, ...]:
    """Return the error of every output that is an array of numbers, or a sequence of such; they go by their order."""
    errors = []
    for name, (value, expected) in zip(found, zip(found.values(), reference.values(), strict=True), strict=True):
        distance = difference(value, expected, None)
        if distance is not None:
            label = f"result {name}" if isinstance(name, int) else f"%{name}"
            relative = _largest_relative(value, expected)
            errors.append(
                OutputError(label, distance.elements, distance.largest, relative, distance.relative, distance.special)
            )
    return tuple(errors)


def _largest_relative(value: Any, expected: Any) -> float:
    if isinstance(value, list):
        return max((_largest_relative(*pair) for pair in zip(value, expected, strict=True)), default=0.0)
    wide, reference = as_f64(value), as_f64(expected)
    assert wide is not None and reference is not None
    counted = np.isfinite(wide) & np.isfinite(reference) & (reference != 0)
    return float(np.max(np.abs(wide[counted] / reference[counted] - 1), initial=0.0))
