"""Programs in files of foreign forms: read and written by front ends, which the driver names by the ending of the file.

Deliberately absent: the front ends. They need libraries that the passes do not, so one is loaded when a file asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passes.program_files import Program
from runtime.diagnostics import Diagnostic, DiagnosticsError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runtime.functions import Module


@dataclass(frozen=True)
class FrontEnd:
    """How a foreign form is read and written; `error` is what both raise. `save` writes all of a file or nothing."""

    load: Callable[[str], Module]
    save: Callable[[Module, str], None]
    error: type[Exception]


FrontEnds = Mapping[str, Callable[[], FrontEnd]]
"""By the ending of a file's name, in lower case."""


def read_foreign(name: str, front_ends: FrontEnds) -> Program | None:
    """Read a program in a foreign form; None where the name is not that of one.

    Raises: DiagnosticsError where the file cannot be read, or what it holds is no program.
    """
    end = _front_end_of(name, front_ends)
    if end is None:
        return None
    with _reporting("P010", "cannot be read", name, end):
        return Program(end.load(name), None)


def write_foreign(module: Module, name: str, front_ends: FrontEnds) -> bool:
    """Write a module in a foreign form, and return whether the name is that of one.

    Raises: DiagnosticsError where it cannot be written.
    """
    end = _front_end_of(name, front_ends)
    if end is None:
        return False
    with _reporting("P011", "cannot be written", name, end):
        end.save(module, name)
    return True


def _front_end_of(name: str, front_ends: FrontEnds) -> FrontEnd | None:
    ending = Path(name).suffix.lower()
    if ending not in front_ends:
        return None
    try:
        return front_ends[ending]()
    except ImportError as error:
        message = f"{name}: files that end in {ending} need a library that is not installed: {error.name}"
        help = f"install the extra {ending[1:]}"
        raise DiagnosticsError([Diagnostic("P012", message, help=help)]) from error


@contextmanager
def _reporting(code: str, what: str, name: str, end: FrontEnd) -> Iterator[Any]:
    try:
        yield
    except OSError as error:
        raise DiagnosticsError([Diagnostic(code, f"{name} {what}: {error.strerror or error}")]) from error
    except end.error as error:
        raise DiagnosticsError([Diagnostic(code, f"{name} {what}: {error}")]) from error
