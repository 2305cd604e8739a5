"""Programs in files of foreign forms: read and written by front ends, which the driver names by the ending of the file.

Deliberately absent: the front ends. They need libraries that the passes do not, so one is loaded when a file asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from passes.program_files import Program
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.generic import ONNX_DOMAIN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runtime.functions import Module
    from runtime.signatures import Signatures


@dataclass(frozen=True)
class FrontEnd:
    """How a foreign form is read and written; `error` is what both raise. `save` writes all of a file or nothing."""

    load: Callable[[str], Module]
    save: Callable[[Module, str], None]
    error: type[Exception]
    signatures: Signatures | None = None  # of the operators that programs of this form hold


FrontEnds = Mapping[str, Callable[[], FrontEnd]]
"""By the ending of a file's name, in lower case."""

ENDING_OF_DOMAIN: Final = {ONNX_DOMAIN: ".onnx"}
"""Whose front end knows the operators of a domain."""


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


def hang_signatures(module: Module, front_ends: FrontEnds) -> None:
    """Give a program of foreign operators that came from text or BIR what their front end knows of their types.

    Raises: DiagnosticsError where that needs a library that is not installed.
    """
    domains = {domain for function in module.functions.values() for domain in function.operator_sets}
    endings = [ending for domain, ending in ENDING_OF_DOMAIN.items() if domain in domains and ending in front_ends]
    if module.signatures is None and endings:
        try:
            module.signatures = front_ends[endings[0]]().signatures
        except ImportError as error:
            message = f"which types the operators of the program may have needs a library: {error.name}"
            help = f"install the extra {endings[0][1:]}"
            raise DiagnosticsError([Diagnostic("P012", message, help=help)]) from error


@contextmanager
def fetching(source: str, name: str | None, front_ends: FrontEnds) -> Iterator[None]:
    """Report what goes wrong while a program from `source` is written to `name`, where its weights are fetched.

    Raises: DiagnosticsError where the front end of `source` cannot fetch one.
    """
    end = _front_end_of(source, front_ends)
    if end is None:
        yield
        return
    with _reporting("P011", "cannot be written", name or "the program", end):
        yield


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
