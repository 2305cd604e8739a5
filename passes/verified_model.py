"""`--verify [INPUTS.npz]`: a program before and after it was converted, on the same inputs.

    passes: verified on onnxruntime, on generated inputs, ordinary values, seed 0
      %y: relative 0.00012, at most 0.0004
      most of the error comes from %c: f16[2,4] = onnx.node "ai.onnx::Conv" %x_f16, %w

Where a runtime has kernels for both, it runs them; else the interpreter does, with one rounding for each result. Where
the error comes from, only the interpreter can tell.

Deliberately absent: a verdict. How much error is too much depends on what the program is for.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from passes.arguments import ALL
from passes.foreign_files import FrontEnds, evaluator_for, runner_for
from passes.numerics.inputs import InputSet, given_inputs
from runtime.array_files import read_arrays
from runtime.comparison import Comparison, Difference, compare
from runtime.comparison.difference import difference
from runtime.comparison.report import distance
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.dtypes import DType
from runtime.functions import Module
from runtime.generated_inputs import generated_inputs
from runtime.interpreter import InputError, InterpreterError
from runtime.interpreter.inputs import inputs_of
from runtime.names import Names
from runtime.operand_slots import values_of
from runtime.rounding import cast_array, natural_dtype
from runtime.values import Value


class VerifiedModel:
    """A program as it is before it is converted, and what it is run on."""

    def __init__(self, given: argparse.Namespace, module: Module, front_ends: FrontEnds) -> None:
        """Raises: DiagnosticsError where the inputs that are given are not those of the program."""
        if given.verify == ALL:
            self._inputs = _generated(module, given.seed or 0)
        else:
            self._inputs = given_inputs(module, read_arrays([given.verify]))
        self._before = module.clone()
        self._front_ends = front_ends

    def text(self, module: Module) -> str:
        """Return what is to be said of the program after it was converted.

        Raises: DiagnosticsError where it cannot be run.
        """
        make = evaluator_for(module, self._front_ends)
        try:
            compared = compare(self._before, module, self._inputs.arrays, evaluator=make)
        except InterpreterError as error:
            raise DiagnosticsError([Diagnostic("P067", f"--verify: the program cannot be run: {error}")]) from error
        where, outputs = self._outputs(module, compared, self._inputs)
        lines = [f"passes: verified on {where}, on {self._inputs.called}"]
        for name, found in outputs.items():
            lines.append(f"  %{name}: {'of another shape or kind' if found is None else distance(found, ulps=False)}")
        return "\n".join([*lines, *_origin(compared)])

    def _outputs(
        self, module: Module, compared: Comparison, inputs: InputSet
    ) -> tuple[str, dict[str, Difference | None]]:
        """Return where both versions ran, and what their outputs are apart."""
        names = _output_names(self._before)
        run = runner_for(module, self._front_ends)
        if run is None:
            return "the interpreter", _named(names, compared)
        before = run(self._before, _for_runtime(self._before, inputs.arrays))
        after = before if isinstance(before, str) else run(module, _for_runtime(module, inputs.arrays))
        if isinstance(before, str) or isinstance(after, str):
            why = before if isinstance(before, str) else after
            return f"the interpreter, one rounding for each result (onnxruntime: {why})", _named(names, compared)
        pairs = zip(names, after, before, strict=True)
        return "onnxruntime", {name: difference(second, first, None) for name, second, first in pairs}


def _generated(module: Module, seed: int) -> InputSet:
    function = module.root_function
    try:
        arrays = generated_inputs(function, seed)
    except InputError as error:
        raise DiagnosticsError([Diagnostic("P067", f"--verify: {error}")]) from error
    return InputSet(function.name, f"generated inputs, ordinary values, seed {seed}", arrays, may_fail=False)


def _named(names: list[str], compared: Comparison) -> dict[str, Difference | None]:
    return {names[at] if isinstance(at, int) else at: found for at, found in compared.outputs.items()}


def _output_names(module: Module) -> list[str]:
    function = module.root_function
    names, end = Names(function), function.body.terminator
    return [] if end is None else [names.of(one) for one in values_of(end) if isinstance(one, Value)]


def _for_runtime(module: Module, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return inputs by their plain names, in the floats that a version takes."""
    function = module.root_function
    wanted = [one for one in inputs_of(function, Names(function)) if one.name in arrays]
    return {str(one.value.name): _taken(arrays[one.name], one.type.dtype) for one in wanted}


def _taken(array: Any, dtype: DType | None) -> Any:
    own = natural_dtype(array.dtype) if hasattr(array, "dtype") else None
    if dtype is None or own is None or own is dtype or not (own.is_float and dtype.is_float):
        return array
    return cast_array(array, own, dtype)


def _origin(compared: Comparison) -> Iterator[str]:
    """Yield where most of the error comes from."""
    guilty = next((one for one in compared.ranking if one.score), None)
    if guilty is None:
        yield "  no instruction introduces an error"
        return
    assert guilty.introduced is not None
    yield f"  most of the error comes from {guilty.line}"
    yield f"    it introduces {distance(guilty.introduced)}"
