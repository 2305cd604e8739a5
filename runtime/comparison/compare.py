"""`compare`: run two versions of a program in lock step, and rank the instructions by the error that they introduce."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from runtime.comparison.carried import carried
from runtime.comparison.difference import Difference, difference
from runtime.comparison.lockstep import Account, FirstWatcher, Ledger, SecondWatcher, run_in_step
from runtime.comparison.matching import Matching, match_modules
from runtime.comparison.result import Compared, Comparison
from runtime.diagnostics import listed
from runtime.functions import Function, Module
from runtime.instructions import Instruction
from runtime.interpreter.errors import InputError, line_of
from runtime.interpreter.inputs import Input, inputs_of
from runtime.interpreter.machine import MakeEvaluator
from runtime.interpreter.run import Started, evaluator_of, function_named, start
from runtime.names import Names
from runtime.rounding import cast_array, natural_dtype
from runtime.semantics import OutOfBounds


def compare(
    first: Module,
    second: Module,
    inputs: Mapping[str, Any],
    *,
    function: str | None = None,
    evaluator: MakeEvaluator | None = None,
    out_of_bounds: OutOfBounds = "error",
) -> Comparison:
    """Run two versions of a program on the same inputs, and return where they part: `print` it, or read `ranking`.

    `inputs` are those of the first version, as for `run`. The second version gets them by name, or by position where it
    calls them otherwise, rounded to its own dtypes where those are other floats.

    `evaluator` makes the evaluator of a module, for foreign instructions; where none is given, that of the front end is
    asked which the module came from.

    Raises: InterpreterError, which says in which version.
    """
    functions = function_named(first, function), function_named(second, function)
    matching = match_modules(first, second, functions)
    ledger = Ledger(matching.counterparts, frozenset(matching.inserted))
    make = evaluator or evaluator_of
    evaluators = (make(first), make(second))
    again = (evaluators[0], make(second))
    watcher = FirstWatcher(ledger, first, functions[0], again)
    with _of_version("first"):
        started = start(first, inputs, function, frozenset(), evaluators[0], out_of_bounds, watcher)
    notes: list[str] = []
    for_second = dict(_inputs_of_second(started, inputs, functions[1], notes))
    with _of_version("second"):
        beside = start(second, for_second, function, frozenset(), evaluators[1], out_of_bounds, SecondWatcher(ledger))
    returned = run_in_step(started, beside)
    if ledger.unpaired:
        notes.append(f"{ledger.unpaired} executions have no counterpart: the versions run different numbers of times")
    outputs = _outputs(started.results(returned[0]), beside.results(returned[1]), notes)
    return _comparison(matching, ledger, outputs, notes)


@contextmanager
def _of_version(version: str) -> Iterator[None]:
    """Say which version it is that the inputs do not fit."""
    try:
        yield
    except InputError as error:
        lines = [f"the {version} version: {line}" for line in error.message.splitlines()]
        raise InputError("\n".join(lines), error.inst) from error


def _inputs_of_second(
    started: Started, inputs: Mapping[str, Any], second: Function, notes: list[str]
) -> Iterator[tuple[str, Any]]:
    """Yield the inputs of the second version."""
    wanted = list(inputs_of(second, Names(second)))
    names = {one.name for one in wanted}
    strangers = iter([one for one in started.wanted if one.name not in names])
    own = {one.name: one for one in started.wanted}
    for one in wanted:
        source = own.get(one.name) or next(strangers, None)
        if source is None:
            if one.name in inputs:
                yield one.name, inputs[one.name]
            continue
        if source.name != one.name:
            notes.append(f"input {one.called} of the second version gets what {source.called} of the first one gets")
        yield one.name, _as_taken(started.given[source.value], one, notes)


def _as_taken(value: Any, one: Input, notes: list[str]) -> Any:
    """Return an input in the dtype that the second version takes it in, where both are floats."""
    dtype = one.type.dtype if one.type.is_tensor else None
    own = natural_dtype(value.dtype) if isinstance(value, np.ndarray) else None
    if dtype is None or own is None or dtype.numpy == own.numpy or not (dtype.is_float and own.is_float):
        return value
    rounded = cast_array(value, own, dtype)
    found = difference(rounded, value, dtype)
    if found is not None and found.differing:
        notes.append(f"input {one.called} is rounded to {dtype} for the second version")
    return rounded


def _outputs(
    first: Mapping[int | str, Any], second: Mapping[int | str, Any], notes: list[str]
) -> dict[int | str, Difference | None]:
    missing = [str(name) for name in (*first, *second) if name not in first or name not in second]
    if missing:
        notes.append(f"only one of the versions has the output {listed(missing)}")
    return {name: difference(second[name], first[name], None) for name in first if name in second}


def _comparison(
    matching: Matching, ledger: Ledger, outputs: dict[int | str, Difference | None], notes: list[str]
) -> Comparison:
    lines = _Lines()
    on_the_way_round: dict[Function | None, frozenset[Instruction]] = {}
    compared = []
    for (inst, at), account in ledger.accounts.items():
        function = inst.parent_function
        if function not in on_the_way_round:
            on_the_way_round[function] = frozenset() if function is None else carried(function)
        first = ledger.counterparts.get(inst)
        compared.append(_compared(inst, first, at, account, lines, inst in on_the_way_round[function]))
    compared.sort(key=lambda one: (-one.score, one.order))
    return Comparison(
        tuple(compared),
        outputs,
        tuple(lines.all(matching.only_first)),
        tuple(lines.all(matching.only_second)),
        tuple(lines.all(matching.removed)),
        tuple(notes),
        tuple((lines.of(inst), lines.of(matching.counterparts[inst])) for inst in matching.rewired),
    )


def _compared(
    inst: Instruction, first: Instruction | None, at: int, account: Account, lines: _Lines, is_carried: bool
) -> Compared:
    function = inst.parent_function
    return Compared(
        first,
        inst,
        at,
        function.name if function else "?",
        lines.of(inst),
        None if first is None else lines.of(first),
        inst.dst.type.dtype if inst.dst is not None else inst.results[at].type.dtype,
        account.order,
        account.runs,
        is_carried,
        account.first_parted,
        account.introduced,
        account.inherited,
        account.total,
        account.first_range,
        account.second_range,
        account.why_not,
    )


class _Lines:
    """Instructions as text; the names of a function are made once."""

    def __init__(self) -> None:
        self._names: dict[Function | None, Names] = {}

    def of(self, inst: Instruction) -> str:
        function = inst.parent_function
        if function not in self._names:
            self._names[function] = Names(function)
        return line_of(inst, self._names[function])

    def all(self, insts: Iterable[Instruction]) -> Iterator[str]:
        return (self.of(inst) for inst in insts)
