"""What a run gave, on a terminal or in a file of a report: text, or JSON where the name ends in `.json`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from runtime.program_files import write_file, write_out
from runtime.rounding import natural_dtype
from runtime.tracing.ranges import range_of
from runtime.tracing.table import aligned, count, number

_MOST_ELEMENTS = 8  # of an array that is shown in full


class Report(Protocol):
    """What is told as text or as data."""

    def as_data(self) -> Any: ...


def write_report(report: Report, name: str | None) -> None:
    """Write a report to a file, or print it where there is no name.

    Raises: DiagnosticsError where it cannot be written.
    """
    if name is None:
        write_out(f"{report}\n")
    elif name.lower().endswith(".json"):
        text = json.dumps(_numbers(report.as_data()), indent=1, allow_nan=False)
        write_file(name, lambda file: print(text, file=file))
    else:
        write_file(name, lambda file: print(report, file=file))


def output_table(outputs: Mapping[int | str, Any]) -> str:
    """Return a line for each output: its type, its range, and its elements where they are few."""
    rows = [("output", "type", "low", "high", "nan", "inf", "elements")]
    for name, value in outputs.items():
        found = range_of(value)
        label = f"{name}" if isinstance(name, int) else f"%{name}"
        special = count(found.nan), count(found.infinite)
        rows.append((label, _type(value), number(found.low), number(found.high), *special, _elements(value)))
    return "\n".join(line.rstrip() for line in aligned(rows))


def _type(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return f"a sequence of {len(value)}" if isinstance(value, list | tuple) else "none"
    return f"{natural_dtype(value.dtype) or value.dtype}[{','.join(map(str, value.shape))}]"


def _elements(value: Any) -> str:
    if not isinstance(value, np.ndarray) or value.size > _MOST_ELEMENTS:
        return "..."
    return ", ".join(str(element) for element in value.reshape(-1))


def _numbers(data: Any) -> Any:
    """Return data in which what JSON has no number for is a text: `inf`, `nan`."""
    if isinstance(data, float) and not math.isfinite(data):
        return str(data)
    if isinstance(data, dict):
        return {key: _numbers(value) for key, value in data.items()}
    return [_numbers(value) for value in data] if isinstance(data, list) else data
