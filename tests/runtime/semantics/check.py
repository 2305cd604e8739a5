"""What an instruction computes beside what somebody else computes, and how far they are apart.

The checks stand in `agreement/`, a module for each family, as `CHECKS`. `python -m tests.runtime.semantics` prints all
of them with the largest error found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import runtime

Array = NDArray[Any]
Pairs = Iterable[tuple[Any, Any]]

AGREEMENT = Path(__file__).with_name("agreement")
STEP = 1e-5  # of a central difference in f64: its square and the rounding over it are both about 1e-10


@dataclass(frozen=True)
class Check:
    """One instruction against an independent source.

    `pairs` gives what the interpreter found and what was expected, for as many shapes, options and edge cases as the
    instruction has. `bound` is the largest error that is right, by the measure of `error_of`; 0 asks for equal bits.
    """

    mnemonic: str
    against: str
    pairs: Callable[[], Pairs]
    bound: float = 1e-12

    def largest_error(self) -> float:
        """Return the largest error of all pairs.

        Raises: AssertionError where two of them do not even have the same shape.
        """
        errors = [error_of(found, expected) for found, expected in self.pairs()]
        assert errors, f"{self.mnemonic}: a check without a pair"
        return max(errors)


def all_checks() -> Iterator[Check]:
    """Return the checks of all families, in the order of the families' names."""
    for file in sorted(AGREEMENT.glob("*.py")):
        yield from import_module(f"{__package__}.agreement.{file.stem}").CHECKS


def error_of(found: Any, expected: Any) -> float:
    """Return the largest difference beside the largest magnitude that is expected, or beside 1 where that is less.

    Infinite where a NaN or an infinity stands in one of them only. Zeros of either sign are equal.
    """
    got, wanted = np.asarray(found), np.asarray(expected)
    assert got.shape == wanted.shape, f"shape {got.shape} in place of {wanted.shape}"
    left, right = _wide(got), _wide(wanted)
    finite = np.isfinite(right)
    if not np.array_equal(left[~finite], right[~finite], equal_nan=True) or not np.isfinite(left[finite]).all():
        return float("inf")
    if not finite.any():
        return 0.0
    largest = np.abs(left[finite] - right[finite]).max()
    return float(largest / max(1, np.abs(right[finite]).max()))


def _wide(array: Array) -> Array:
    """Wide enough that differences are exact where two arrays of integers are compared."""
    exact = array.dtype.kind in "iub" and array.dtype.itemsize < 8
    return array.astype(np.float64) if exact or array.dtype.kind not in "iub" else array.astype(np.longdouble)


def outputs(text: str, /, **inputs: Any) -> list[Array]:
    """Return what a program returns for these inputs; a program that is not valid fails the test."""
    module = runtime.parse(text, "check.txt")
    problems = runtime.verify(module)
    assert not problems, "\n".join(map(str, problems))
    found = runtime.run(module, inputs)
    return [found[index] for index in range(len(found))]


def gradients(
    text: str, inputs: Mapping[str, Array], cotangents: Sequence[Array], wrt: str, step: float = STEP
) -> Array:
    """Return the derivative of `sum(cotangent * output)` by one f64 input, by central differences.

    `text` is the program of a forward instruction, which returns as many values as there are cotangents.
    """
    at = np.asarray(inputs[wrt], np.float64)
    slopes = np.empty_like(at)
    for place in np.ndindex(at.shape):
        ends = []
        for sign in (1, -1):
            moved = at.copy()
            moved[place] += sign * step
            found = outputs(text, **{**inputs, wrt: moved})
            ends.append(sum(float(np.sum(np.asarray(c) * y)) for c, y in zip(cotangents, found, strict=True)))
        slopes[place] = (ends[0] - ends[1]) / (2 * step)
    return slopes
