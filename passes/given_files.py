"""The files that a command line names, beside the program: inputs, and what is written."""

from __future__ import annotations

import argparse
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from passes.arguments import ALL
from passes.foreign_files import check_overwriting
from passes.statistics_file import is_file
from runtime.array_files import read_arrays
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.embedded_arrays import read_embedded
from runtime.front_ends import FrontEnds
from runtime.functions import Module
from runtime.program_files import STREAM

ARRAYS: Final = (".npz", ".npy")
_OPTIONS: Final = {"report": "report", "statistics": "stats"}
_FIRST_WORDS: Final = ("func @", "target ", '{"format": "brewer-bir"')
_START: Final = 4096  # characters, of which comments may be the first ones


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


def _is_program(name: str, front_ends: FrontEnds) -> bool:
    """Whether there is a file of this name that holds a program, as its ending or its first line says."""
    if name == STREAM or not os.path.isfile(name):
        return False
    if Path(name).suffix.lower() in front_ends:
        return True
    with suppress(OSError), open(name, encoding="utf-8", errors="replace") as file:
        start = file.read(_START)
        lines = (line.strip() for line in start.splitlines())
        first = next((line for line in lines if line and not line.startswith("//")), "")
        return first.startswith(_FIRST_WORDS)
    return False


def check_files(given: argparse.Namespace, module: Module, front_ends: FrontEnds) -> None:
    """Refuse to write what would overwrite something that is needed, or two things to one file.

    Raises: DiagnosticsError.
    """
    stats = given.stats if is_file(given.stats) else None
    named = ((given.report, "P014", "report"), (stats, "P014", "statistics"), (given.output, "P011", "program"))
    for name, code, what in named:
        if name is not None and name != STREAM:
            check_overwriting(module, given.file, name, front_ends, code, what)
        if name is not None and what != "program" and _is_program(name, front_ends):
            message = f"the {what} would overwrite {name}, which is a program"
            help = f"where it is the one to run, it goes in front of --{_OPTIONS[what]}"
            raise DiagnosticsError([Diagnostic(code, message, help=help)])
    for name, what in ((given.output, "the program"), (given.report, "the report")):
        if stats is not None and name not in (None, STREAM) and os.path.realpath(stats) == os.path.realpath(name):
            message = f"the statistics and {what} would both be written to {stats}"
            raise DiagnosticsError([Diagnostic("P014", message)])
