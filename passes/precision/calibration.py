"""Running a program before it is converted: `--calibrate INPUTS.npz`, and with `--tolerance` also converted ones.

Deliberately absent: releasing what a guard keeps. Inputs that nobody measured may be larger than those that somebody
did.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from passes.numerics.inputs import for_runtime
from passes.precision.policy import PrecisionPolicy
from passes.precision.requests import Requests
from passes.precision.within_tolerance import needed_for
from runtime.diagnostics import Diagnostic, DiagnosticsError, Note
from runtime.functions import Module
from runtime.interpreter import InterpreterError
from runtime.interpreter.errors import MissingSemanticsError
from runtime.tracing import trace
from runtime.tracing.ranges import range_of
from runtime.values import Operand

Runs = Sequence[tuple[str, Mapping[str, Any]]]  # what inputs are called, and themselves, by the names that are printed

_ELSEWHERE: Final = "what values are up to was measured on onnxruntime, since the interpreter does not know an operator"
_NOT_IN_REGIONS: Final = "; not measured was what is in sub-graphs"


def calibrated(
    requests: Requests,
    module: Module,
    policy: PrecisionPolicy,
    runs: Runs,
    tolerance: float | None,
    say: Callable[[str], None] = lambda what: None,
) -> Requests:
    """Return requests and what runs of a program ask for: values in f32 that are too large, or inexact.

    Raises: DiagnosticsError where it cannot be run, or not be within a tolerance.
    """
    found: dict[Operand, float] = {}
    notes: dict[str, None] = {}
    for called, inputs in runs:
        say(f"{called}: running the program")
        try:
            measured = measured_values(module, inputs)
        except MissingSemanticsError as error:
            measured = _measured_elsewhere(module, inputs, called, error)
            notes[_ELSEWHERE + (_NOT_IN_REGIONS if _has_regions(module) else "")] = None
        except InterpreterError as error:
            message = f"{called}: the program cannot be run: {error}"
            raise DiagnosticsError([Diagnostic("P067", message)]) from error
        for value, largest in measured.items():
            found[value] = max(found.get(value, 0.0), largest)
    if runs and not found:
        notes["no value was finite on the inputs to calibrate with, so nothing was measured"] = None
    asked = replace(requests, measured=found, notes=(*requests.notes, *notes))
    if tolerance is None:
        return asked
    needed = needed_for(module, policy, asked, [inputs for _, inputs in runs], tolerance, say)
    return replace(asked, exact=needed.names, notes=(*asked.notes, str(needed)))


def measured_values(module: Module, inputs: Mapping[str, Any]) -> dict[Operand, float]:
    """Return the largest finite magnitude of each value in a run, those of regions over all of their runs.

    Raises: InterpreterError where the program cannot be run on these inputs.
    """
    found: dict[Operand, float] = {}
    for record in trace(module, inputs).records:
        if record.range.low is None or record.range.high is None:
            continue
        held = record.value.results if hasattr(record.value, "results") else (record.value,)
        value = held[record.result] if record.result < len(held) else record.value
        largest = max(abs(float(record.range.low)), abs(float(record.range.high)))
        found[value] = max(found.get(value, 0.0), largest)
    return found


def _measured_elsewhere(
    module: Module, inputs: Mapping[str, Any], called: str, why: MissingSemanticsError
) -> dict[Operand, float]:
    """Return the same from a run on a runtime of others, where only that knows some operators.

    Raises: DiagnosticsError where there is none.
    """
    signatures = module.signatures
    taken = for_runtime(module, inputs)
    found = "" if signatures is None else signatures.largest_elsewhere(module, taken)
    if isinstance(found, str):
        notes = (Note(f"onnxruntime: {found}"),) if found else ()
        message = f"{called}: the program cannot be run: {why}"
        raise DiagnosticsError([Diagnostic("P067", message, notes=notes)]) from why
    for argument in module.root_function.args:
        held = range_of(taken[argument.name]) if argument.name in taken else None
        if held is not None and held.low is not None and held.high is not None:
            found[argument] = max(abs(float(held.low)), abs(float(held.high)))
    return found


def _has_regions(module: Module) -> bool:
    return any(inst.blocks for function in module.functions.values() for inst in function.insts)
