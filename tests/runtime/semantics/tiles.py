"""Programs of one instruction of the engines, for checks: arrays in, what it gives and what it writes out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.dtypes import DTYPES
from tests.runtime.semantics.check import outputs

Array = Any  # of numpy

_NAMES = {dtype.numpy: dtype.name for dtype in reversed(DTYPES)}  # f32 for what tf32 shares with it
_NAMES[next(dtype.numpy for dtype in DTYPES if dtype.name == "f32")] = "f32"


def type_of(array: Array) -> str:
    """Return the type of an array as it is printed."""
    return f"{_NAMES[array.dtype]}[{','.join(map(str, array.shape))}]"


def tile(
    statement: str,
    result: str,
    /,
    *before: str,
    writes: Mapping[str, str] | None = None,
    target: str = "",
    **arrays: Any,
) -> list[Array]:
    """Return what `statement` gives, of the type `result`, and what it writes to tensors in SBUF.

    `arrays` are arguments of the program, by name; `writes` are types of tensors, by name; `before` are statements in
    front.
    """
    written = dict(writes or {})
    arguments = ", ".join(f"%{name}: {type_of(array)}" for name, array in arrays.items())
    lines = [f"  tensor %{name}: {type} sbuf" for name, type in written.items()]
    lines += [f"  {one}" for one in before]
    lines += [f"  %_y: {result} = {statement}"]
    lines += [f"  %_{name}: {type} = tensor_copy %{name}" for name, type in written.items()]
    returned = ", ".join(["%_y", *(f"%_{name}" for name in written)])
    head = f"target {target}\n" if target else ""
    text = f"{head}func @main({arguments}) {{\n" + "\n".join(lines) + f"\n  return {returned}\n}}"
    return outputs(text, **arrays)


def on_tensor(statement: str, held: Array, /, **arrays: Array) -> Array:
    """Return what a tensor `%t` that held these elements holds after `statement` has written it."""
    arguments = ", ".join(f"%{name}: {type_of(array)}" for name, array in arrays.items())
    kind = type_of(held)
    text = (
        f"func @main({arguments}) {{\n  tensor %t: {kind} sbuf input\n  %t = {statement}\n"
        f"  %_y: {kind} = tensor_copy %t\n  return %_y\n}}"
    )
    return outputs(text, t=held, **arrays)[0]
