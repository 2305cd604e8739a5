"""On which inputs the program before a pass and the one after it are run.

Deliberately absent: a silent choice. What cannot be run is said, and on what it was run stands in every message.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from runtime.array_files import as_declared
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.dtypes import DType
from runtime.functions import Function, Module
from runtime.generated_inputs import KINDS, generated_inputs
from runtime.interpreter.errors import InputError, InterpreterError
from runtime.interpreter.inputs import inputs_of
from runtime.interpreter.run import function_named, start
from runtime.names import Names
from runtime.rounding import cast_array, natural_dtype

GIVE = "give inputs that it can be run on: --verify-numerics INPUTS.npz"


@dataclass(frozen=True)
class InputSet:
    """The inputs of one function."""

    function: str
    called: str  # "generated inputs, ordinary values, seed 0"
    arrays: Mapping[str, Any]
    may_fail: bool  # whether a program that cannot be run on these is no reason to complain


def given_inputs(module: Module, arrays: Mapping[str, Any]) -> InputSet:
    """Return inputs from a file for the function that a caller runs.

    Raises: DiagnosticsError where there is none.
    """
    try:
        function = function_named(module, None)
    except InputError as error:
        raise unrunnable(error, given=True) from error
    wanted = list(inputs_of(function, Names(function)))
    return InputSet(function.name, "the inputs given", as_declared(arrays, wanted), may_fail=False)


def check_given(module: Module, arrays: Mapping[str, Any], option: str) -> None:
    """Check that inputs are those of the function that a caller runs; `option` is where they come from.

    Raises: DiagnosticsError with all that is wrong.
    """
    try:
        start(module, arrays)
    except InputError as error:
        parts = [line.partition("; ") for line in error.message.splitlines()]
        found = [Diagnostic("P067", f"{option}: {message}", help=help) for message, _, help in parts]
        raise DiagnosticsError(found) from error
    except InterpreterError as error:
        raise DiagnosticsError([Diagnostic("P067", f"{option}: the program cannot be run: {error}")]) from error


def chosen_inputs(module: Module, arrays: Mapping[str, Any] | None, seed: int) -> tuple[InputSet | None, str]:
    """Return inputs for the function that a caller runs: those that are given, else ordinary ones, which are generated.

    None where nothing can be run, and why.

    Raises: DiagnosticsError where the inputs that are given are not those of the program.
    """
    try:
        made = sets_of(function_named(module, None), seed)
        chosen = next(made) if arrays is None else given_inputs(module, arrays)
        start(module, chosen.arrays, chosen.function)
    except InputError as error:
        if arrays is not None:
            raise unrunnable(error, given=True) from error
        return None, str(error)
    except InterpreterError as error:
        return None, str(error)
    except DiagnosticsError as error:
        if arrays is not None:
            raise
        return None, "; ".join(problem.message for problem in error.diagnostics)
    return chosen, ""


def completed(module: Module, arrays: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return inputs for the function that a caller runs: those that it takes of `arrays`, and generated ones.

    Raises: DiagnosticsError where there can be none.
    """
    try:
        function = function_named(module, None)
        made = generated_inputs(function, seed)
        declared = as_declared(arrays, inputs_of(function, Names(function)))
    except InputError as error:
        raise unrunnable(error, given=True) from error
    return {name: declared.get(name, array) for name, array in made.items()}


def sets_of(function: Function, seed: int) -> Iterator[InputSet]:
    """Yield generated inputs of a function.

    Raises: DiagnosticsError where there can be none.
    """
    try:
        for kind in KINDS:
            called = f"generated inputs, {kind} values, seed {seed}"
            yield InputSet(function.name, called, generated_inputs(function, seed, kind), may_fail=kind != KINDS[0])
    except InputError as error:
        lines = [f"@{function.name}: {line}" for line in error.message.splitlines()]
        raise DiagnosticsError([Diagnostic("P034", line, help=GIVE) for line in lines]) from error


def unrunnable(error: InterpreterError, *, given: bool, after: str | None = None) -> DiagnosticsError:
    """Return what is said of a program that cannot be run: before any pass, or `after` one."""
    if isinstance(error, InputError) and after is None:
        parts = [line.partition("; ") for line in error.message.splitlines()]
        return DiagnosticsError([Diagnostic("P032", message, help=help) for message, _, help in parts])
    when = "the program" if after is None else f"after the pass {after} the program"
    first, *more = str(error).splitlines()
    help = "" if given or more else GIVE
    text = "\n".join([f"{when} cannot be run, so its numerics cannot be verified: {first}", *more])
    return DiagnosticsError([Diagnostic("P033", text, help=help)])


def for_runtime(module: Module, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return inputs by their plain names, in the floats that a version of the program takes."""
    function = module.root_function
    taken = as_taken(module, arrays)
    return {str(one.value.name): taken[one.name] for one in inputs_of(function, Names(function)) if one.name in taken}


def as_taken(module: Module, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return inputs by the names that a version of the program prints, in the floats that it takes."""
    function = module.root_function
    wanted = [one for one in inputs_of(function, Names(function)) if one.name in arrays]
    return {one.name: _taken(arrays[one.name], one.type.dtype) for one in wanted}


def _taken(array: Any, dtype: DType | None) -> Any:
    own = natural_dtype(array.dtype) if hasattr(array, "dtype") else None
    if dtype is None or own is None or own is dtype or not (own.is_float and dtype.is_float):
        return array
    return cast_array(array, own, dtype)
