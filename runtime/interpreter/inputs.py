"""What a program takes in, and whether what the caller gives is that.

Deliberately absent: conversions. A list of Python floats has no dtype, and an f64 array for an f32 input is a mistake
that a silent rounding would hide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.diagnostics import did_you_mean
from runtime.dtypes import DType, f32, f32r, tf32
from runtime.functions import Function
from runtime.instructions import Instruction
from runtime.interpreter.errors import InputError
from runtime.names import Names
from runtime.quoting import spelled_name
from runtime.rounding import cast_array
from runtime.tensors import Tensor
from runtime.types import Shape, Type
from runtime.values import Value

INPUT_SEMANTICS = "graph.input"  # of inputs and of weights
INPUT_LABEL = "label"  # the attribute that has the name of the input


@dataclass(frozen=True, slots=True)
class Input:
    """One thing that a function takes in."""

    name: str
    type: Type
    value: Value  # the argument or the tensor that it fills, or the instruction that hands it on

    @property
    def kind(self) -> str:
        """What people call it."""
        if isinstance(self.value, Instruction):
            return "input"
        return "tensor" if isinstance(self.value, Tensor) else "argument"

    @property
    def called(self) -> str:
        """Its plain name in quotes, as messages have it."""
        is_quoted = not isinstance(self.value, Instruction) and self.name.startswith('"')
        return self.name if is_quoted else f'"{self.name}"'


def inputs_of(function: Function, names: Names) -> Iterator[Input]:
    """Yield what a function takes in: arguments, `graph.input` and `graph.param` instructions, input tensors.

    Arguments and tensors go by their printed names, the instructions by their labels.
    """
    for argument in function.args:
        yield Input(names.of(argument), argument.type, argument)
    for inst in function.insts:
        if inst.INFO.semantics == INPUT_SEMANTICS:
            label: str = getattr(inst, INPUT_LABEL)
            yield Input(label, inst.type, inst)
    for tensor in function.inputs:
        yield Input(names.of(tensor), tensor.type, tensor)


def by_printed_name(wanted: Iterable[Input], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is given by the names of the wanted inputs; their plain names do where those print in quotes."""
    known = {one.name for one in wanted}

    def printed(name: str) -> str:
        spelled = name if name in known or not isinstance(name, str) else spelled_name(name)
        return spelled if spelled in known and spelled not in given else name

    return {printed(name): value for name, value in given.items()}


def check_inputs(wanted: tuple[Input, ...], given: Mapping[str, Any], where: str) -> None:
    """Check that exactly the wanted inputs are given, with their dtypes and shapes.

    A symbolic extent may be anything, but the same for all inputs.

    Raises: InputError with all that is wrong.
    """
    known = {one.name for one in wanted}
    problems = [_missing(one, given, known) for one in wanted if one.name not in given]
    for name in given:
        if name not in known:
            plain = [one.called[1:-1] for one in wanted]
            help_text = did_you_mean(name, plain) or f"its inputs: {', '.join(sorted(plain)) or 'none'}"
            problems.append(f'{where} has no input "{name}"; {help_text}')
    extents: dict[str, tuple[int, str]] = {}
    for one in wanted:
        if one.name in given:
            problems.extend(_mismatches(one, given[one.name], extents))
    if problems:
        raise InputError("\n".join(dict.fromkeys(problems)))


def _missing(one: Input, given: Mapping[str, Any], known: set[str]) -> str:
    near = did_you_mean(one.called[1:-1], [name for name in given if name not in known])
    return f"{one.kind} {one.called}: {one.type} is missing" + (f"; {near}" if near else "")


def _mismatches(one: Input, value: Any, extents: dict[str, tuple[int, str]]) -> Iterator[str]:
    if not one.type.is_tensor:
        return
    label = f"{one.kind} {one.called}: {one.type}"
    if not isinstance(value, np.ndarray | np.generic):
        yield f"{label} is given a {type(value).__name__}; it takes a numpy array"
        return
    array = np.asarray(value)
    dtype = one.type.dtype
    if dtype is not None and array.dtype != dtype.numpy:
        yield f"{label} is given elements of {array.dtype}; {dtype} is {dtype.numpy}"
    elif dtype is not None and not _is_on_grid(array, dtype):
        yield f"{label} is given f32 values that are not values of {dtype}; round them with cast_array first"
    if one.type.shape is not None:
        yield from _shape_mismatches(label, one, one.type.shape, array.shape, extents)


def _shape_mismatches(
    label: str, one: Input, wanted: Shape, found: tuple[int, ...], extents: dict[str, tuple[int, str]]
) -> Iterator[str]:
    shown = f"[{','.join(map(str, found))}]"
    if len(wanted) != len(found) or any(isinstance(w, int) and w != f for w, f in zip(wanted, found, strict=True)):
        yield f"{label} is given the shape {shown}"
        return
    for dim, extent in zip(wanted, found, strict=True):
        if isinstance(dim, str):
            first, holder = extents.setdefault(dim, (extent, one.called))
            if first != extent:
                yield f"{label} is given the shape {shown}, so {dim} is {extent}; input {holder} makes it {first}"


def _is_on_grid(array: NDArray[Any], dtype: DType) -> bool:
    """Whether f32 values are all values of f32r or tf32, which numpy cannot tell from f32."""
    if dtype is not f32r and dtype is not tf32:
        return True
    return bool(np.array_equal(cast_array(array, f32, dtype), array, equal_nan=True))
