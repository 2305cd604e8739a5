"""Running a program before it is converted: `--calibrate INPUTS.npz`, and with `--tolerance` also converted ones.

Deliberately absent: releasing what a guard keeps. Inputs that nobody measured may be larger than those that somebody
did.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from passes.precision.policy import PrecisionPolicy
from passes.precision.requests import Requests
from passes.precision.within_tolerance import needed_for
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.functions import Module
from runtime.interpreter import InterpreterError
from runtime.tracing import trace
from runtime.values import Operand

Runs = Sequence[tuple[str, Mapping[str, Any]]]  # what inputs are called, and themselves, by the names that are printed


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
    for called, inputs in runs:
        say(f"{called}: running the program")
        try:
            measured = measured_values(module, inputs)
        except InterpreterError as error:
            message = f"{called}: the program cannot be run: {error}"
            raise DiagnosticsError([Diagnostic("P067", message)]) from error
        for value, largest in measured.items():
            found[value] = max(found.get(value, 0.0), largest)
    asked = replace(requests, measured=found)
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
