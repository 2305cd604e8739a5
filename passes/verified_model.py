"""`--verify [INPUTS.npz]`: a program before and after it was converted, on the same inputs.

    passes: verified on onnxruntime, on generated inputs, ordinary values, seed 0
      %y: nothing
      on a CPU it computes much of what is f16 in f32, and leaves roundings out
    passes: verified with one rounding for each result, on the same inputs
      %y: relative 0.00012, at most 0.0004
      most of the error comes from %c: f16[2,4] = onnx.node "ai.onnx::Conv" %x_f16, %w
        its rounding alone makes %y: relative 0.00011, at most 0.0004

Where a runtime has kernels for both, it runs them; the interpreter runs them in any case, and only it can tell where
the error comes from (`passes/numerics/alone.py`). Values are called what the written file calls them.

Deliberately absent: a verdict. How much error is too much depends on what the program is for.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from passes.arguments import ALL
from passes.foreign_files import FrontEnds, evaluator_for, named_as_written, runner_for
from passes.numerics.alone import Alone, largest_alone
from passes.numerics.inputs import InputSet, given_inputs
from passes.numerics.runs import MakeEvaluator
from runtime.array_files import read_arrays
from runtime.comparison import Comparison, Difference, compare
from runtime.comparison.difference import difference
from runtime.comparison.report import distance
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.dtypes import DType
from runtime.functions import Module
from runtime.generated_inputs import generated_inputs
from runtime.instructions import Instruction
from runtime.interpreter import InputError, InterpreterError, run
from runtime.interpreter.errors import line_of
from runtime.interpreter.inputs import inputs_of
from runtime.names import Names
from runtime.operand_slots import values_of
from runtime.rounding import cast_array, natural_dtype
from runtime.values import Value

_ON_A_CPU = "  on a CPU it computes much of what is f16 in f32, and leaves roundings out"


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
        names = _output_names(self._before)
        before = run(self._before, self._inputs.arrays, evaluator=None if make is None else make(self._before))
        lines = *self._on_runtime(module, names), *_apart(_named(names, compared.outputs))
        return "\n".join([*lines, *self._origin(module, compared, before, make)])

    def _on_runtime(self, module: Module, names: Sequence[str]) -> Iterator[str]:
        """Yield what a runtime of others makes of both versions, and how what follows was run."""
        called, exactly = self._inputs.called, "passes: verified with one rounding for each result"
        run_both = runner_for(module, self._front_ends)
        if run_both is None:
            yield f"{exactly}, on {called}"
            return
        before = run_both(self._before, _for_runtime(self._before, self._inputs.arrays))
        after = before if isinstance(before, str) else run_both(module, _for_runtime(module, self._inputs.arrays))
        if isinstance(before, str) or isinstance(after, str):
            why = before if isinstance(before, str) else after
            yield f"{exactly} (onnxruntime: {why}), on {called}"
            return
        yield f"passes: verified on onnxruntime, on {called}"
        pairs = zip(names, after, before, strict=True)
        yield from _apart({name: difference(second, first, None) for name, second, first in pairs})
        yield _ON_A_CPU
        yield f"{exactly}, on the same inputs"

    def _origin(
        self, module: Module, compared: Comparison, before: Mapping[int | str, Any], make: MakeEvaluator | None
    ) -> Iterator[str]:
        """Yield where most of the error comes from."""
        guilty = next((one for one in compared.ranking if one.score), None)
        if guilty is None:
            yield "  no instruction introduces an error"
            return
        if not any(one is None or one.differing for one in compared.outputs.values()):
            return
        lines = _Lines(module, self._front_ends)
        assert guilty.introduced is not None
        if guilty.introduced.special and any(one is not None and one.special for one in compared.outputs.values()):
            yield f"  elements first become infinite or NaN in {lines.of(guilty.second)}"
            yield f"    {distance(guilty.introduced, ulps=False)}"
            return
        found = largest_alone(compared, before, module, _as_taken(module, self._inputs.arrays), make)
        if isinstance(found, Alone):
            claim = (
                "most of the error comes from"
                if found.is_most
                else "no rounding alone makes most of the error; the largest is that of"
            )
            yield f"  {claim} {lines.of(found.inst)}"
            for name, error in _named(_output_names(self._before), found.outputs).items():
                yield f"    its rounding alone makes %{name}: {_words(error)}"
            return
        yield f"  where most of the error comes from is not known: {found}"
        yield f"  most beside its own result is introduced by {lines.of(guilty.second)}"
        yield f"    there it is {distance(guilty.introduced)}"


class _Lines:
    """Instructions as text, with the names that the written file gives to values."""

    def __init__(self, module: Module, front_ends: FrontEnds) -> None:
        named = named_as_written(module, front_ends)
        self._twins: dict[Instruction, Instruction] = dict(zip(module.insts, named.insts, strict=True))

    def of(self, inst: Instruction) -> str:
        twin = self._twins[inst]
        return line_of(twin, Names(twin.parent_function))


def _apart(outputs: Mapping[int | str, Difference | None]) -> Iterator[str]:
    for name, found in outputs.items():
        yield f"  %{name}: {_words(found)}"


def _words(found: Difference | None) -> str:
    return "of another shape or kind" if found is None else distance(found, ulps=False)


def _generated(module: Module, seed: int) -> InputSet:
    function = module.root_function
    try:
        arrays = generated_inputs(function, seed)
    except InputError as error:
        raise DiagnosticsError([Diagnostic("P067", f"--verify: {error}")]) from error
    return InputSet(function.name, f"generated inputs, ordinary values, seed {seed}", arrays, may_fail=False)


def _named(names: Sequence[str], outputs: Mapping[int | str, Difference | None]) -> dict[int | str, Difference | None]:
    return {names[at] if isinstance(at, int) else at: found for at, found in outputs.items()}


def _output_names(module: Module) -> list[str]:
    function = module.root_function
    names, end = Names(function), function.body.terminator
    return [] if end is None else [names.of(one) for one in values_of(end) if isinstance(one, Value)]


def _for_runtime(module: Module, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return inputs by their plain names, in the floats that a version takes."""
    function = module.root_function
    taken = _as_taken(module, arrays)
    return {str(one.value.name): taken[one.name] for one in inputs_of(function, Names(function)) if one.name in taken}


def _as_taken(module: Module, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return inputs by the names that a version prints, in the floats that it takes."""
    function = module.root_function
    wanted = [one for one in inputs_of(function, Names(function)) if one.name in arrays]
    return {one.name: _taken(arrays[one.name], one.type.dtype) for one in wanted}


def _taken(array: Any, dtype: DType | None) -> Any:
    own = natural_dtype(array.dtype) if hasattr(array, "dtype") else None
    if dtype is None or own is None or own is dtype or not (own.is_float and dtype.is_float):
        return array
    return cast_array(array, own, dtype)
