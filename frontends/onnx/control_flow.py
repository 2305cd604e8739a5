"""The operators with regions: which region runs how often, and on what."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from runtime.generic import OnnxNode
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Machine
from runtime.types import Type

Attributes = Mapping[str, Any]
Control = Callable[[OnnxNode, Attributes, Sequence[Any], Machine], tuple[Any, ...]]


def run_if(inst: OnnxNode, attributes: Attributes, values: Sequence[Any], machine: Machine) -> tuple[Any, ...]:
    """Run one of two regions, by the condition."""
    (condition,) = values
    return machine.run(inst.region("then_branch" if condition.item() else "else_branch"))


def run_loop(inst: OnnxNode, attributes: Attributes, values: Sequence[Any], machine: Machine) -> tuple[Any, ...]:
    """Run the body as long as it says so, at most a number of times; further results are stacked, one for each time."""
    body = inst.region("body")
    count, condition, *carried = [*values, None, None][: max(len(values), 2)]
    limit = None if count is None else int(count.item())
    goes_on = condition is None or bool(condition.item())
    n_carried, steps = len(carried), 0
    stacked: list[list[Any]] = [[] for _ in range(len(inst.results) - n_carried)]
    while goes_on and (limit is None or steps < limit):
        returned = machine.run(body, [np.asarray(steps, np.int64), np.asarray(True), *carried])
        goes_on = bool(returned[0].item())
        carried = list(returned[1 : 1 + n_carried])
        for collected, value in zip(stacked, returned[1 + n_carried :], strict=True):
            collected.append(value)
        steps += 1
    scans = [_stacked(values, inst.results[n_carried + at].type) for at, values in enumerate(stacked)]
    return (*carried, *scans)


def run_scan(inst: OnnxNode, attributes: Attributes, values: Sequence[Any], machine: Machine) -> tuple[Any, ...]:
    """Run the body for each slice of the last operands, with a state; further results are stacked."""
    body = inst.region("body")
    n_scanned = int(attributes["num_scan_inputs"])
    n_state = len(values) - n_scanned
    state, scanned = list(values[:n_state]), values[n_state:]
    n_stacked = len(inst.results) - n_state
    slices = [
        _slices(value, axis, backwards)
        for value, axis, backwards in zip(
            scanned,
            _list(attributes, "scan_input_axes", n_scanned),
            _list(attributes, "scan_input_directions", n_scanned),
            strict=True,
        )
    ]
    if len({len(each) for each in slices}) != 1:
        raise InterpreterError(f"scans operands of {', '.join(str(len(each)) for each in slices)} slices together")
    stacked: list[list[Any]] = [[] for _ in range(n_stacked)]
    for step in zip(*slices, strict=True):
        returned = machine.run(body, [*state, *step])
        state = list(returned[:n_state])
        for collected, value in zip(stacked, returned[n_state:], strict=True):
            collected.append(value)
    axes = _list(attributes, "scan_output_axes", n_stacked)
    directions = _list(attributes, "scan_output_directions", n_stacked)
    scans = []
    for at, collected in enumerate(stacked):
        ordered = collected[::-1] if directions[at] else collected
        scans.append(_stacked(ordered, inst.results[n_state + at].type, axes[at]))
    return (*state, *scans)


def run_sequence_map(
    inst: OnnxNode, attributes: Attributes, values: Sequence[Any], machine: Machine
) -> tuple[Any, ...]:
    """Run the body for each element of the first operand, and of those further ones that are sequences."""
    body = inst.region("body")
    results: list[list[Any]] = [[] for _ in inst.results]
    for at in range(len(values[0])):
        returned = machine.run(body, [value[at] if isinstance(value, list) else value for value in values])
        for collected, value in zip(results, returned, strict=True):
            collected.append(value)
    return tuple(results)


CONTROL: Final[dict[str, Control]] = {
    "If": run_if,
    "Loop": run_loop,
    "Scan": run_scan,
    "SequenceMap": run_sequence_map,
}
"""By operator, of the standard ones."""


def _stacked(values: Sequence[Any], type: Type, axis: int = 0) -> Any:
    """Return the results of all steps as one array; of no steps as an empty one, of the extents that are known."""
    if values:
        return np.stack(values, axis)
    shape = [dim if isinstance(dim, int) else 0 for dim in type.shape or (0,)]
    shape[axis] = 0
    return np.zeros(shape, np.float32 if type.dtype is None else type.dtype.numpy)


def _slices(value: Any, axis: int, backwards: int) -> list[Any]:
    slices = [np.asarray(np.take(value, at, axis)) for at in range(value.shape[axis])]  # no scalars of numpy
    return slices[::-1] if backwards else slices


def _list(attributes: Attributes, name: str, count: int) -> Sequence[int]:
    held = attributes.get(name)
    return held if isinstance(held, tuple) else (0,) * count
