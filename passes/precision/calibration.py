"""Measuring the values of a program before it is converted: `--calibrate INPUTS.npz`.

Deliberately absent: releasing what a guard keeps. Inputs that nobody measured may be larger than those that somebody
did.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.functions import Module
from runtime.tracing import trace
from runtime.values import Operand


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
