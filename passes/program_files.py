"""Programs in files: the text form, or BIR where the name ends in `.bir` or `.json`.

Deliberately absent: guessing from the contents. A mistake in one form would be reported as one in the other.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

from runtime.bir import read_bir, write_bir
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.functions import Module
from runtime.instruction_set import standard
from runtime.text.parser import parse_with_places
from runtime.text.places import Places
from runtime.text.printer import write_module

BIR_ENDINGS: Final = (".bir", ".json")
STREAM: Final = "-"  # the name of standard input


@dataclass(frozen=True)
class Program:
    """A module, and where its parts stand in the file, which only the text form tells."""

    module: Module
    places: Places | None


def read_program(name: str) -> Program:
    """Read the program in a file, or from standard input, which is text.

    Raises: DiagnosticsError where the file cannot be read, or what it holds is no program.
    """
    text = _read_text(name)
    if is_bir(name):
        return Program(read_bir(text, standard(), name=name), None)
    parsed = parse_with_places(text, standard(), "<stdin>" if name == STREAM else name)
    return Program(parsed.module, parsed.places)


def write_program(module: Module, name: str) -> None:
    """Write a module in the form that a file of this name has, as `write_file` does.

    Raises: DiagnosticsError where it cannot be written.
    """
    write = write_bir if is_bir(name) else write_module
    write_file(name, lambda file: write(module, file))


def write_file(name: str, write: Callable[[TextIO], None]) -> None:
    """Write a file in one step: it holds its old contents or all of the new ones, whatever happens meanwhile.

    Raises: DiagnosticsError where it cannot be written.
    """
    path = Path(os.path.realpath(name))  # a link stays one
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        if path.exists() and not path.is_file():  # a terminal, a pipe, /dev/null: nothing that can be replaced
            with path.open("w", encoding="utf-8", newline="\n") as file:
                write(file)
            return
        try:
            with beside.open("w", encoding="utf-8", newline="\n") as file:
                write(file)
            if path.exists():
                beside.chmod(path.stat().st_mode & 0o7777)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise _file_error("P011", "cannot be written", name, error) from error


def is_bir(name: str) -> bool:
    """Whether a file of this name holds BIR."""
    return name.lower().endswith(BIR_ENDINGS)


def _read_text(name: str) -> str:
    try:
        data = sys.stdin.buffer.read() if name == STREAM else Path(name).read_bytes()
    except OSError as error:
        raise _file_error("P010", "cannot be read", name, error) from error
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"{name} is no text: byte 0x{data[error.start]:02x} at {error.start} is not UTF-8"
        raise DiagnosticsError([Diagnostic("P010", message)]) from error


def _file_error(code: str, what: str, name: str, error: OSError) -> DiagnosticsError:
    return DiagnosticsError([Diagnostic(code, f"{name} {what}: {error.strerror or error}")])
