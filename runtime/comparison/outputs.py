"""Whether two runs gave the same, to the bit, and where they first part.

Deliberately absent: tolerance. What may differ is left out before: a rounding that is allowed is skipped in both runs.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_IS_BIG = sys.byteorder == "big"


@dataclass(frozen=True)
class OutputDifference:
    """The first output in which two runs differ. Units: elements."""

    output: int | str  # its position among what is returned, or the name of a tensor
    message: str  # "[0,3] was 1.5 (0x3fc0) and is 2.0 (0x4000)"
    differing: int = 0  # 0 where it is not of the same kind, dtype or shape
    elements: int = 0

    @property
    def label(self) -> str:
        """What the output is called."""
        return f"result {self.output}" if isinstance(self.output, int) else f"%{self.output}"


def first_difference(first: Mapping[int | str, Any], second: Mapping[int | str, Any]) -> OutputDifference | None:
    """Return the first output that is not, bit for bit, the same; outputs correspond by their order."""
    for (name, was), found in zip(first.items(), second.values(), strict=False):
        difference = _difference(name, was, found)
        if difference is not None:
            return difference
    if len(first) != len(second):
        name = [*first, *second][min(len(first), len(second))] if len(first) > len(second) else list(second)[len(first)]
        return OutputDifference(name, f"there were {len(first)} outputs and are {len(second)}")
    return None


def _difference(name: int | str, was: Any, found: Any) -> OutputDifference | None:
    if isinstance(was, list | tuple) and isinstance(found, list | tuple):
        return _in_sequence(name, was, found)
    was, found = (np.asarray(one) if isinstance(one, np.generic) else one for one in (was, found))
    if not isinstance(was, np.ndarray) or not isinstance(found, np.ndarray):
        same = was is None and found is None
        return None if same else OutputDifference(name, f"it was {_kind(was)} and is {_kind(found)}")
    if was.dtype != found.dtype or was.shape != found.shape:
        return OutputDifference(name, f"it was {_kind(was)} and is {_kind(found)}")
    differs = np.asarray(was != found) if was.dtype.hasobject else (_bits(was) != _bits(found)).any(axis=-1)
    if not differs.any():
        return None
    place = np.unravel_index(int(np.argmax(differs)), differs.shape)
    index = ",".join(str(int(at)) for at in place)
    message = f"[{index}] was {_shown(was[place], was.dtype)} and is {_shown(found[place], found.dtype)}"
    return OutputDifference(name, message, int(np.count_nonzero(differs)), was.size)


def _in_sequence(name: int | str, was: Any, found: Any) -> OutputDifference | None:
    if len(was) != len(found):
        return OutputDifference(name, f"it was {_kind(was)} and is {_kind(found)}")
    for at, (one, other) in enumerate(zip(was, found, strict=True)):
        difference = _difference(name, one, other)
        if difference is not None:
            message = f"item {at}: {difference.message}"
            return OutputDifference(name, message, difference.differing, difference.elements)
    return None


def _bits(array: NDArray[Any]) -> NDArray[np.uint8]:
    """Return the bytes of each element. Shapes: those of the array, then the bytes of an element."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(np.uint8).reshape(*array.shape, array.dtype.itemsize)


def _shown(element: Any, dtype: np.dtype[Any]) -> str:
    """Return an element and its bits, the highest first."""
    return repr(element) if dtype.hasobject else f"{element} (0x{element.tobytes()[:: 1 if _IS_BIG else -1].hex()})"


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}[{','.join(map(str, value.shape))}]"
    return (
        "nothing" if value is None else f"a sequence of {len(value)}" if hasattr(value, "__len__") else "another value"
    )
