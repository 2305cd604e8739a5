"""Programs whose types have edge shapes: rank 0, and extents that are 0, 1 or not known.

They are made from the examples of the definitions, by text: every extent of one number, all extents, or one extent of
one type becomes an edge. A run of one of them gets the inputs of the example, cut or repeated to the new shapes, and
where an extent is not known, those that the example had.

Deliberately absent: what comes out. The checks of `agreement/` judge that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import runtime
from runtime.dtypes import DTYPES
from runtime.generated_inputs import generated_inputs
from runtime.interpreter.errors import InterpreterError
from runtime.interpreter.inputs import inputs_of
from runtime.names import Names
from tests.runtime.semantics.check import Array

_NAMES = "|".join(sorted((dtype.name for dtype in DTYPES), key=len, reverse=True))
_TYPE = re.compile(rf"(?<![%\w.])({_NAMES})\[((?:\d+|\?)(?:,(?:\d+|\?))*)?\]")
_EDGES = ("0", "1", "?")
_INTO_NOTHING = re.compile(  # what no program can say: which index an input will hold
    r"is no index of|index -?\d+ is out of range|an index along axis|labels\[\d+\] is|which nothing has written"
)


def on_the_edge(text: str) -> list[str]:
    """Return the programs that one change of its types makes of a program, in a fixed order and each once."""
    types = list(dict.fromkeys(match[0] for match in _TYPE.finditer(text)))
    extents = list(dict.fromkeys(extent for type in types for extent in _extents(type)))
    found = [_changed(text, lambda _, shape: [])]
    for edge in _EDGES:
        found.append(_changed(text, lambda _, shape, edge=edge: [edge] * len(shape)))
        for old in extents:
            found.append(_changed(text, lambda _, shape, old=old, edge=edge: [edge if d == old else d for d in shape]))
    for chosen in types:
        found.append(_changed(text, lambda type, shape, chosen=chosen: [] if type == chosen else shape))
        for at in range(len(_extents(chosen))):
            for edge in _EDGES:
                found.append(
                    _changed(
                        text,
                        lambda type, shape, chosen=chosen, at=at, edge=edge: (
                            [*shape[:at], edge, *shape[at + 1 :]] if type == chosen else shape
                        ),
                    )
                )
    return [changed for changed in dict.fromkeys(found) if changed != text]


def _extents(type: str) -> list[str]:
    inner = type[type.index("[") + 1 : -1]
    return inner.split(",") if inner else []


def _changed(text: str, change: Callable[..., list[str]]) -> str:
    return _TYPE.sub(lambda match: f"{match[1]}[{','.join(change(match[0], _extents(match[0])))}]", text)


def inputs_for(text: str) -> dict[str, Array]:
    """Return inputs with which an example runs: random ones, else halves, else identities, with integers of 0."""
    module = runtime.parse(text, "example.txt")
    assert not runtime.verify(module), "\n".join(map(str, runtime.verify(module)))
    function = next(iter(module.functions.values()))
    random = generated_inputs(function, 7)
    last: Exception | None = None
    for kind in (lambda array: array, _halves, _identities):
        given = {name: kind(array) for name, array in random.items()}
        try:
            with np.errstate(all="ignore"):
                runtime.run(module, given)
            return given
        except InterpreterError as error:
            last = error
    raise AssertionError(f"no inputs for the example:\n{text}") from last


def _halves(array: Array) -> Array:
    return np.zeros_like(array) if array.dtype.kind in "iub" else np.full_like(array, 0.5)


def _identities(array: Array) -> Array:
    if array.dtype.kind in "iub" or array.ndim < 2:
        return _halves(array)
    return np.broadcast_to(np.eye(*array.shape[-2:]), array.shape).astype(array.dtype)


def why_it_fails(text: str, given: Mapping[str, Array]) -> str | None:
    """Return what goes wrong with a program that the verifier lets pass; None where it refuses it or it runs."""
    try:
        module = runtime.parse(text, "edge.txt")
    except runtime.DiagnosticsError:
        return None
    if runtime.verify(module):
        return None
    function = next(iter(module.functions.values()))
    inputs = {
        one.name: _fitted(given[one.name], one.type.shape)
        for one in inputs_of(function, Names(function))
        if one.name in given
    }
    try:
        with np.errstate(all="ignore"):
            runtime.run(module, inputs)
    except InterpreterError as error:
        return None if _INTO_NOTHING.search(str(error)) else str(error)
    return None


def _fitted(array: Array, shape: tuple[Any, ...] | None) -> Array:
    if shape is None:
        return array
    had = array.shape if len(array.shape) == len(shape) else (2,) * len(shape)
    wanted = tuple(extent if isinstance(extent, int) else old for extent, old in zip(shape, had, strict=True))
    return array if wanted == array.shape else np.resize(array, wanted)
