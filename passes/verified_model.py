"""`--verify [INPUTS.npz]`: a program before and after it was converted, on the same inputs.

    passes: verified on onnxruntime, on generated inputs, ordinary values, seed 0
      %y: equal
      on a CPU it computes much of what is f16 in f32, and leaves roundings out
    passes: verified with one rounding for each result, on the same inputs
      %y: relative 0.00012, at most 0.0004, of values up to 3.4
      most of the error comes from %c: f16[2,4] = onnx.node "ai.onnx::Conv" %x_f16, %w
        its rounding alone makes %y: relative 0.00011, at most 0.0004
        in f32 with --keep conv_1 --keep softmax_1

Where a runtime has kernels for both, it runs them, the first one as it is in its file; the interpreter runs them in any
case, and only it can tell where the error comes from (`passes/numerics/alone.py`). Values are called what the written
file calls them. What only the runtime can run, such as a model whose outputs have other shapes than it states, is
verified there, and that is said.

Deliberately absent: a verdict. How much error is too much depends on what the program is for.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from passes.arguments import ALL
from passes.foreign_files import named_as_written, runner_for
from passes.numerics.alone import Alone, largest_alone
from passes.numerics.inputs import InputSet, as_taken, check_given, for_runtime, given_inputs
from passes.precision.remedy import keeping_patterns
from runtime.array_files import read_arrays
from runtime.comparison import Comparison, Difference, compare
from runtime.comparison.difference import difference
from runtime.comparison.report import distance
from runtime.diagnostics import Diagnostic, DiagnosticsError, Note
from runtime.front_ends import FrontEnds
from runtime.functions import Function, Module
from runtime.generated_inputs import generated_inputs
from runtime.instructions import Instruction
from runtime.interpreter import InputError, InterpreterError, run
from runtime.interpreter.errors import MissingSemanticsError, line_of
from runtime.names import Names
from runtime.operand_slots import values_of
from runtime.tracing.ranges import range_of
from runtime.tracing.table import number
from runtime.values import Value

_EXACTLY = "verified with one rounding for each result"
_GIVE = "give inputs that it can be run on: --verify INPUTS.npz"
_ON_A_CPU = "  on a CPU it computes much of what is f16 in f32, and leaves roundings out"


class VerifiedModel:
    """A program as it is before it is converted, and what it is run on."""

    def __init__(
        self, given: argparse.Namespace, module: Module, front_ends: FrontEnds, source: Module | None = None
    ) -> None:
        """Take a program, and what it was in its file before functions were inlined or its operator set was raised.

        Raises: DiagnosticsError where the inputs that are given are not those of the program.
        """
        self._file = None if given.verify == ALL else given.verify
        if self._file is None:
            self._inputs = _generated(module, given.seed or 0)
        else:
            self._inputs = given_inputs(module, read_arrays([self._file]))
            check_given(module, self._inputs.arrays, "--verify")
        self._before = module.clone()
        self._source = self._before if source is None else source
        self._front_ends = front_ends

    def text(self, module: Module) -> str:
        """Return what is to be said of the program after it was converted.

        Raises: DiagnosticsError where it cannot be run.
        """
        names = _output_names(self._before)
        told, why = self._on_runtime(module, names)
        try:
            compared = compare(self._before, module, self._inputs.arrays)
            before = run(self._before, self._inputs.arrays)
        except InterpreterError as error:
            return "\n".join([*told, f"passes: not {_EXACTLY}: {self._unrunnable(error, why, is_told=bool(told))}"])
        exactly = f"passes: {_EXACTLY}" + (f" (onnxruntime: {why})" if why else "")
        exactly += f", on {'the same inputs' if told else self._inputs.called}"
        lines = (
            *told,
            exactly,
            *_apart(_named(names, compared.outputs), [before.get(name) for name in compared.outputs]),
        )
        return "\n".join([*lines, *self._origin(module, compared, before)])

    def _unrunnable(self, error: InterpreterError, why: str, *, is_told: bool) -> str:
        """Return why a program cannot be run exactly.

        Raises: DiagnosticsError where it could not be run elsewhere either.
        """
        message = str(error)
        if isinstance(error, MissingSemanticsError):  # what it says begins with an operator
            message = message.removeprefix("the first version ")
        message = message.replace("the first version", "it").replace("the second version", "the result")
        if is_told:
            return message
        is_of_inputs = self._file is None and not isinstance(error, MissingSemanticsError)
        help = _GIVE if is_of_inputs else ""
        notes = (Note(f"onnxruntime: {why}"),) if why else ()
        message = f"--verify: the program cannot be run: {message}"
        raise DiagnosticsError([Diagnostic("P067", message, help=help, notes=notes)]) from error

    def _on_runtime(self, module: Module, names: Sequence[str]) -> tuple[list[str], str]:
        """Return what is to be said of both versions on a runtime of others, or why it does not run them."""
        run_both = runner_for(module, self._front_ends)
        if run_both is None:
            return [], ""
        before = run_both(self._source, for_runtime(self._source, self._inputs.arrays))
        after = before if isinstance(before, str) else run_both(module, for_runtime(module, self._inputs.arrays))
        if isinstance(before, str) or isinstance(after, str):
            return [], before if isinstance(before, str) else str(after)
        pairs = zip(names, after, before, strict=True)
        outputs = _apart({name: difference(second, first, None) for name, second, first in pairs}, before)
        return [f"passes: verified on onnxruntime, on {self._inputs.called}", *outputs, _ON_A_CPU], ""

    def _origin(self, module: Module, compared: Comparison, before: Mapping[int | str, Any]) -> Iterator[str]:
        """Yield where most of the error comes from."""
        guilty = next((one for one in compared.ranking if one.score), None)
        if guilty is None:
            yield "  no instruction introduces an error"
            return
        if not any(one is None or one.largest or one.special for one in compared.outputs.values()):
            return  # texts may differ, but by no distance that would come from anywhere
        lines = _Lines(module, self._front_ends)
        assert guilty.introduced is not None
        if guilty.introduced.special and any(one is not None and one.special for one in compared.outputs.values()):
            yield f"  elements first become infinite or NaN in {lines.of(guilty.second)}"
            yield f"    {distance(guilty.introduced, ulps=False)}"
            yield from (
                _how_in_f32(guilty.second, module.root_function)
                if self._file is None
                else [f"    in f32 with --calibrate {self._file}"]
            )
            return
        found = largest_alone(compared, before, module, as_taken(module, self._inputs.arrays))
        if isinstance(found, Alone):
            claim = (
                "most of the error comes from"
                if found.is_most
                else "no rounding alone makes most of the error; the largest is that of"
            )
            yield f"  {claim} {lines.of(found.inst)}"
            for name, error in _named(_output_names(self._before), found.outputs).items():
                yield f"    its rounding alone makes %{name}: {_words(error)}"
            yield from _how_in_f32(found.inst, module.root_function)
            return
        yield f"  which rounding makes most of the error is not known: {found}"
        yield f"  the largest error of a result in itself is that of {lines.of(guilty.second)}"
        yield f"    there it is {distance(guilty.introduced)}"


def _how_in_f32(inst: Instruction, function: Function) -> Iterator[str]:
    """Yield with which options the result of an instruction is not rounded: its node, and what reads the result."""
    patterns = keeping_patterns(inst, function)
    if patterns:
        yield f"    in f32 with {' '.join(f'--keep {shlex.quote(one)}' for one in patterns)}"


class _Lines:
    """Instructions as text, with the names that the written file gives to values."""

    def __init__(self, module: Module, front_ends: FrontEnds) -> None:
        named = named_as_written(module, front_ends)
        self._twins: dict[Instruction, Instruction] = dict(zip(module.insts, named.insts, strict=True))

    def of(self, inst: Instruction) -> str:
        twin = self._twins[inst]
        return line_of(twin, Names(twin.parent_function))


def _apart(outputs: Mapping[int | str, Difference | None], before: Sequence[Any]) -> Iterator[str]:
    """Yield how far each output is from what it was before."""
    for (name, found), value in zip(outputs.items(), before, strict=True):
        is_apart = found is not None and found.squares
        scale = f", of values up to {number(found.reference_largest)}" if found is not None and is_apart else ""
        was = range_of(value)
        special = was.infinite + was.nan
        yield f"  %{name}: {_words(found)}{scale}" + (f"; before, {special} were infinite or NaN" if special else "")


def _words(found: Difference | None) -> str:
    if found is not None and not found.differing:
        return "equal" if found.elements else "equal, without elements"
    return "of another shape or kind" if found is None else distance(found, ulps=False)


def _generated(module: Module, seed: int) -> InputSet:
    function = module.root_function
    try:
        arrays = generated_inputs(function, seed)
    except InputError as error:
        told = [f"--verify: no inputs are generated: {line}" for line in error.message.splitlines()]
        raise DiagnosticsError([Diagnostic("P067", one, help=_GIVE) for one in told]) from error
    return InputSet(function.name, f"generated inputs, ordinary values, seed {seed}", arrays, may_fail=False)


def _named(names: Sequence[str], outputs: Mapping[int | str, Difference | None]) -> dict[int | str, Difference | None]:
    return {names[at] if isinstance(at, int) else at: found for at, found in outputs.items()}


def _output_names(module: Module) -> list[str]:
    function = module.root_function
    names, end = Names(function), function.body.terminator
    return [] if end is None else [names.of(one) for one in values_of(end) if isinstance(one, Value)]
