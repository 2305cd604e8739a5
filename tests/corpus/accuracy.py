"""How far the results of a converted model are from those of the model itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from tests.corpus.signals import Array


@dataclass(frozen=True)
class Error:
    """The largest error of one output over all inputs."""

    output: str
    absolute: float
    """The largest difference; infinite where a finite value became none, a shape or a type changed."""
    relative: float
    """That divided by the largest value; of integers and booleans the share of elements that differ."""

    def __str__(self) -> str:
        return f"{self.output}: {self.relative:.2e} relative, {self.absolute:.2e} absolute"


def errors(expected: Sequence[Mapping[str, Array]], found: Sequence[Mapping[str, Array]]) -> list[Error]:
    """Return the error of each output, over the results of all sets of inputs."""
    worst: dict[str, Error] = {}
    for wanted, got in zip(expected, found, strict=True):
        for output, array in wanted.items():
            error = error_of(output, array, got.get(output))
            known = worst.get(output, Error(output, 0.0, 0.0))
            worst[output] = Error(output, max(known.absolute, error.absolute), max(known.relative, error.relative))
    return list(worst.values())


def error_of(output: str, expected: Array, found: Array | None) -> Error:
    """Return the error of one result."""
    if found is None or found.shape != expected.shape or found.dtype != expected.dtype:
        return Error(output, float("inf"), float("inf"))
    if not _is_float(expected):
        differ = found != expected
        return Error(output, float(differ.max(initial=0)), float(differ.mean()) if differ.size else 0.0)
    wide, other = expected.astype(np.float64), found.astype(np.float64)
    same = (wide == other) | (np.isnan(wide) & np.isnan(other))
    with np.errstate(invalid="ignore"):
        difference = np.where(same, 0.0, np.abs(other - wide))
    absolute = float(np.nan_to_num(difference, nan=np.inf, posinf=np.inf).max(initial=0))
    largest = float(np.abs(wide[np.isfinite(wide)]).max(initial=0))
    return Error(output, absolute, 0.0 if absolute == 0 else absolute / largest if largest else float("inf"))


def _is_float(array: Any) -> bool:
    return bool(np.issubdtype(array.dtype, np.floating)) or array.dtype == ml_dtypes.bfloat16
