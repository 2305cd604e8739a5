"""Running a function of a module on numpy arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from runtime.diagnostics import did_you_mean
from runtime.functions import Function, Module
from runtime.instructions import Instruction
from runtime.interpreter.errors import InputError, InterpreterError, MissingSemanticsError, label_of, shown
from runtime.interpreter.inputs import Input, by_printed_name, check_inputs, inputs_of
from runtime.interpreter.machine import Evaluator, Interpreter, Watcher
from runtime.interpreter.memory import Memory
from runtime.interpreter.results import wide_tensors
from runtime.names import Names
from runtime.quoting import described
from runtime.rounding import TO_NEAREST, Rounding
from runtime.semantics import OutOfBounds
from runtime.tensors import Tensor
from runtime.values import Value

_EVALUATORS = {
    "onnx": "module.signatures = frontends.onnx.SIGNATURES lets ONNX nodes run; frontends.onnx.load sets it",
    "builtin": "run asks its evaluator, where it is given one, about opaque instructions",
}
"""By dialect: who computes what has no meaning here. The front ends are named, not imported."""


def run(
    module: Module,
    inputs: Mapping[str, Any],
    *,
    function: str | None = None,
    skip_rounding: Set[Instruction] = frozenset(),
    evaluator: Evaluator | None = None,
    rounding: Rounding = TO_NEAREST,
    out_of_bounds: OutOfBounds = "error",
) -> dict[int | str, Any]:
    """Run `function`, or the root function, and return what comes out: returned values by position, tensors by name.

    `inputs` holds numpy arrays of exactly the dtypes and shapes that the program states: for each argument and input
    tensor under its name, plain or as it prints, for each `graph.input` and `graph.param` under its label. The result
    has the operands of `return` under 0, 1, ..., since a pass may rename them, then the output tensors under their
    names.

    Each result of an instruction is rounded once, to its dtype: to nearest even, overflow to infinity, unless
    `rounding` says otherwise (`runtime/number_formats.md` has the rules). An evaluator that rounds by itself does so by
    the rules of its own language. For the instructions in `skip_rounding`, a narrowing from float to float is left out:
    the value stays as it was computed, f32 as a rule, and so does a tensor that they write, which nothing else may
    write then.

    `evaluator(inst, operands)` is asked first, for instructions without a meaning of their own; it returns the result
    (a tuple where there are several), or None where it knows none either. It is not asked about instructions whose
    semantics use the machine, such as regions. Marked with `runtime.semantics.uses_machine`, it gets the machine as a
    third argument, to run the regions of what it is asked about. Where none is given, that of the front end is asked
    which the module came from.

    An argument that has a `default` may be left out.

    `out_of_bounds` says what becomes of a run-time index that leads out of its tensor: `error`, `skip` or `clamp`.

    Raises: InterpreterError, with the text of the instruction at fault.
    """
    started = start(module, inputs, function, skip_rounding, evaluator, out_of_bounds, rounding=rounding)
    return started.finish()


@dataclass(frozen=True)
class Started:
    """A run whose inputs are checked and in place, and of which nothing is executed yet."""

    function: Function
    names: Names
    wanted: tuple[Input, ...]
    given: Mapping[Value, Any]
    interpreter: Interpreter

    @property
    def arguments(self) -> list[Any]:
        """What the function's arguments hold."""
        return [self.given[argument] for argument in self.function.args]

    def finish(self) -> dict[int | str, Any]:
        """Run all of it, and return what comes out.

        Raises: InterpreterError.
        """
        with np.errstate(all="ignore"):  # overflow, NaN and division by zero are results here, not accidents
            return self.results(self.interpreter.run(self.function.body, self.arguments))

    def results(self, returned: Sequence[Any]) -> dict[int | str, Any]:
        """Return what comes out at the end: what the function returned by position, output tensors by name."""
        results: dict[int | str, Any] = dict(enumerate(returned))
        results.update((self.names.of(t), _output(self.interpreter, t)) for t in self.function.outputs)
        return results


def start(
    module: Module,
    inputs: Mapping[str, Any],
    function: str | None = None,
    skip_rounding: Set[Instruction] = frozenset(),
    evaluator: Evaluator | None = None,
    out_of_bounds: OutOfBounds = "error",
    watcher: Watcher | None = None,
    rounding: Rounding = TO_NEAREST,
) -> Started:
    """Check the inputs of a function and put them in place; `run` has the meaning of the arguments.

    Raises: InterpreterError.
    """
    if out_of_bounds not in get_args(OutOfBounds):
        known = ", ".join(get_args(OutOfBounds))
        raise InputError(f"out_of_bounds is one of {known}, not {out_of_bounds!r}")
    if not isinstance(rounding, Rounding):
        raise InputError(f"rounding is a Rounding, such as Rounding(saturate=True), not {described(rounding)}")
    chosen = function_named(module, function)
    names = Names(chosen)
    _check_skipped(skip_rounding, chosen)
    evaluator = evaluator or evaluator_of(module)
    if evaluator is None:
        _check_semantics(chosen)
    wanted = tuple(inputs_of(chosen, names))
    inputs = by_printed_name(wanted, inputs)
    inputs = {**_defaults(chosen, names, inputs), **inputs}
    check_inputs(wanted, inputs, f"function @{chosen.name}")
    arrays = {name: np.asarray(value) if isinstance(value, np.generic) else value for name, value in inputs.items()}
    given = {one.value: arrays[one.name] for one in wanted}
    contents = {value: array for value, array in given.items() if isinstance(value, Tensor)}
    memory = Memory(contents, wide_tensors(skip_rounding))
    interpreter = Interpreter(memory, arrays, skip_rounding, evaluator, out_of_bounds, watcher, rounding.start())
    return Started(chosen, names, wanted, given, interpreter)


def evaluator_of(module: Module) -> Evaluator | None:
    """Return what computes the foreign operators of a module, as the front end says which it came from; else None."""
    return None if module.signatures is None else module.signatures.evaluator(module)


def function_named(module: Module, name: str | None) -> Function:
    """Return the function that a run is about.

    Raises: InputError where there is none.
    """
    if name is None:
        try:
            return module.root_function
        except ValueError as error:
            raise InputError(str(error)) from None
    if name not in module.functions:
        known = ", ".join(f"@{one}" for one in module.functions) or "none"
        help_text = did_you_mean(name, module.functions) or f"its functions: {known}"
        raise InputError(f'the module has no function "{name}"; {help_text}')
    return module.functions[name]


def _defaults(function: Function, names: Names, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the arguments hold that the caller does not give."""
    missing = {names.of(argument): argument.default for argument in function.args if argument.default is not None}
    return {name: default.array for name, default in missing.items() if name not in given}


def _check_skipped(skipped: Iterable[Instruction], function: Function) -> None:
    strangers = [inst for inst in skipped if inst.parent_function is not function]
    if strangers:
        raise InputError(f"skip_rounding names what is not in function @{function.name}", strangers[0])


def _check_semantics(function: Function) -> None:
    """Refuse a function that holds instructions without semantics, wherever they stand, with the list of them."""
    lacking: dict[str, list[Instruction]] = {}
    for inst in function.insts:
        if inst.INFO.semantics is None and not inst.is_terminator:
            lacking.setdefault(label_of(inst), []).append(inst)
    if lacking:
        lines = [f"  {label}: {len(insts)}, first {shown(insts[0])}" for label, insts in sorted(lacking.items())]
        dialects = {inst.INFO.dialect for insts in lacking.values() for inst in insts}
        lines += [f"help: {help}" for dialect, help in _EVALUATORS.items() if dialect in dialects]
        raise MissingSemanticsError("\n".join(["these instructions have no semantics:", *lines]))


def _output(interpreter: Interpreter, tensor: Tensor) -> Any:
    try:
        return interpreter.memory.of(tensor).array
    except InterpreterError as error:
        raise type(error)(f"at the end, the output {error.message}") from None
