"""Programs of one instruction, made from its line of text and the arrays that it is given."""

from __future__ import annotations

import numpy as np

from tests.runtime.semantics.check import Array, outputs
from tests.runtime.semantics.from_arrays import type_of


def computed(line: str, *results: str, **inputs: Array) -> list[Array]:
    """Return what an instruction makes of arrays: `%name` in the line is the array of that name.

    `results` are the types of its results, as text.
    """
    return outputs(forward(line, *results, **inputs), **inputs)


def forward(line: str, *results: str, **inputs: Array) -> str:
    """Return the text of such a program, for `gradients`."""
    arguments = ", ".join(f"%{name}: {type_of(array)}" for name, array in inputs.items())
    named = [f"%result{index}" for index in range(len(results))]
    left = ", ".join(f"{name}: {type}" for name, type in zip(named, results, strict=True))
    return f"func @main({arguments}) {{\n  {left} = {line}\n  return {', '.join(named)}\n}}"


def typed(dtype: str, shape: tuple[int, ...]) -> str:
    """Return a type as text."""
    return f"{dtype}[{','.join(map(str, np.asarray(shape, int)))}]"
