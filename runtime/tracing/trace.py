"""Running a function while somebody looks: a record of the range of each value, in program order.

In loops, what an instruction gives in all iterations is one record, unless a record for each iteration is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from runtime.affine import Axis
from runtime.functions import Function, Module
from runtime.instructions import Instruction
from runtime.interpreter.errors import InterpreterError, line_of
from runtime.interpreter.machine import Evaluator, Interpreter, Watcher
from runtime.interpreter.run import Started, start
from runtime.names import Names
from runtime.rounding import TO_NEAREST, Rounding
from runtime.semantics import OutOfBounds
from runtime.tracing.ranges import Range, range_of
from runtime.tracing.table import aligned, count, cut, number
from runtime.values import Value

_HEAD = ("runs", "elements", "low", "high", "nan", "inf", "subnormal", "value")


@dataclass(frozen=True, slots=True)
class Record:
    """What one value was like: an input, a result, or what an instruction wrote to a tensor."""

    function: str
    value: Value  # the instruction whose result or write it is, or what takes the input in
    result: int  # which of its results
    line: str  # the statement as text
    runs: int
    range: Range
    iteration: tuple[tuple[str, int], ...] = ()  # axes and what they were, where each iteration has its record

    def as_data(self) -> dict[str, Any]:
        """Return the record as JSON has it."""
        own = {"function": self.function, "line": self.line, "result": self.result, "runs": self.runs}
        return {**own, "iteration": dict(self.iteration), "range": self.range.as_data()}


@dataclass(frozen=True)
class Trace:
    """The ranges of all values of a run; its text is a table."""

    records: tuple[Record, ...]
    outputs: Mapping[int | str, Any] = field(default_factory=dict)  # as `run` returns them

    def __str__(self) -> str:
        lines: list[str] = []
        for name in dict.fromkeys(record.function for record in self.records):
            rows = [_row(record) for record in self.records if record.function == name]
            lines += [f"@{name}", *aligned([_HEAD, *rows])]
        return "\n".join(lines)

    def as_data(self) -> list[dict[str, Any]]:
        """Return the records as JSON has them."""
        return [record.as_data() for record in self.records]


def trace(
    module: Module,
    inputs: Mapping[str, Any],
    *,
    function: str | None = None,
    evaluator: Evaluator | None = None,
    out_of_bounds: OutOfBounds = "error",
    rounding: Rounding = TO_NEAREST,
    per_iteration: bool = False,
) -> Trace:
    """Run a function as `run` does, and return the range of every value: inputs, results, and what is written.

    Records come in program order, one for each value; with `per_iteration` one for each time that it was computed, in
    the order of execution.

    Raises: InterpreterError; its `trace` has what was seen until then.
    """
    watcher = _RangeWatcher(per_iteration)
    started = start(module, inputs, function, frozenset(), evaluator, out_of_bounds, watcher, rounding)
    try:
        with np.errstate(all="ignore"):
            outputs = started.results(started.interpreter.run(started.function.body, started.arguments))
    except InterpreterError as error:
        error.trace = Trace(tuple(_records(module, started, watcher)))
        raise
    return Trace(tuple(_records(module, started, watcher)), outputs)


@dataclass(slots=True)
class _Seen:
    """What has been seen of one value until now."""

    runs: int
    range: Range


_Key = tuple[Instruction, int, tuple[tuple[Axis, int], ...]]


class _RangeWatcher(Watcher):
    """Keeps the ranges, by instruction, result and iteration."""

    def __init__(self, per_iteration: bool) -> None:
        self.per_iteration = per_iteration
        self.seen: dict[_Key, _Seen] = {}

    def after(self, inst: Instruction, machine: Interpreter, values: tuple[Any, ...]) -> None:
        iteration = tuple(machine.axes.items()) if self.per_iteration else ()
        for at, value in enumerate(values):
            found = self.seen.get((inst, at, iteration))
            if found is None:
                self.seen[inst, at, iteration] = _Seen(1, range_of(value))
            else:
                found.runs += 1
                found.range = found.range.joined(range_of(value))


def _records(module: Module, started: Started, watcher: _RangeWatcher) -> Iterator[Record]:
    names: dict[Function | None, Names] = {started.function: started.names}
    for one in started.wanted:
        if not isinstance(one.value, Instruction):
            line = f"{one.kind} %{one.name}: {one.type}"
            yield Record(started.function.name, one.value, 0, line, 1, range_of(started.given[one.value]))
    keys = list(watcher.seen)
    if not watcher.per_iteration:
        keys.sort(key=_program_order(module, started.function))
    for inst, at, iteration in keys:
        function, seen = inst.parent_function, watcher.seen[inst, at, iteration]
        if function not in names:
            names[function] = Names(function)
        line = line_of(inst, names[function])
        axes = tuple((axis.name, value) for axis, value in iteration)
        yield Record(function.name if function else "?", inst, at, line, seen.runs, seen.range, axes)


def _program_order(module: Module, first: Function) -> Any:
    """Return the place of a key in the program, the function that was run first."""
    functions = [first, *(function for function in module.functions.values() if function is not first)]
    places = {inst: place for place, inst in enumerate(inst for function in functions for inst in function.insts)}
    return lambda key: (places[key[0]], key[1])


def _row(record: Record) -> tuple[str, ...]:
    seen = record.range
    where = ", ".join(f"%{axis} = {value}" for axis, value in record.iteration)
    line = cut(record.line) + (f"  // result {record.result}" if record.result else "")
    return (
        str(record.runs),
        str(seen.elements),
        number(seen.low),
        number(seen.high),
        count(seen.nan),
        count(seen.infinite),
        count(seen.subnormal),
        f"{line}  // {where}" if where else line,
    )
