"""The files that a command line names, beside the program: inputs, and what is written."""

from __future__ import annotations

import argparse
import os
from typing import Any, Final

from passes.arguments import ALL
from passes.foreign_files import FrontEnds, check_overwriting
from passes.statistics_file import is_file
from runtime.array_files import read_arrays
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.embedded_arrays import read_embedded
from runtime.functions import Module
from runtime.program_files import STREAM

ARRAYS: Final = (".npz", ".npy")


def arrays_of(value: str | None) -> dict[str, Any] | None:
    """Return the inputs that `--verify-numerics` names; None where they are to be generated.

    Raises: DiagnosticsError where they cannot be read.
    """
    if value is None or value == ALL:
        return None
    if value.lower().endswith(ARRAYS):
        return read_arrays([value])
    try:
        with open(value, encoding="utf-8", errors="replace") as file:
            found = read_embedded(file.read(), value)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DiagnosticsError([Diagnostic("P032", f"{value} cannot be read: {reason}")]) from error
    if found is None:
        help = "inputs are a .npz, or a .npy as NAME=FILE"
        raise DiagnosticsError([Diagnostic("P032", f"{value} holds no inputs", help=help)])
    return found


def check_files(given: argparse.Namespace, module: Module, front_ends: FrontEnds) -> None:
    """Refuse to write what would overwrite something that is needed, or two things to one file.

    Raises: DiagnosticsError.
    """
    stats = given.stats if is_file(given.stats) else None
    named = ((given.report, "P014", "report"), (stats, "P014", "statistics"), (given.output, "P011", "program"))
    for name, code, what in named:
        if name is not None and name != STREAM:
            check_overwriting(module, given.file, name, front_ends, code, what)
    for name, what in ((given.output, "the program"), (given.report, "the report")):
        if stats is not None and name not in (None, STREAM) and os.path.realpath(stats) == os.path.realpath(name):
            message = f"the statistics and {what} would both be written to {stats}"
            raise DiagnosticsError([Diagnostic("P014", message)])
