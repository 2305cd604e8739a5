"""Programs in files of foreign forms: read by front ends, which a driver names by the ending of the file.

    front_ends = {".onnx": load_the_front_end}
    program = read_foreign("model.onnx", front_ends)
    hang_signatures(module, front_ends, WHAT_THEY_COMPUTE)  # of one that came from text

Deliberately absent: the front ends. They need libraries that the IR does not, so one is loaded when a file asks, and
only drivers (`runtime/__main__.py`, `passes/__main__.py`) know where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.generic import ONNX_DOMAIN
from runtime.program_files import Program

if TYPE_CHECKING:
    from runtime.functions import Module
    from runtime.signatures import Signatures


Runner = Callable[["Module", Mapping[str, Any]], "list[Any] | str"]
"""Runs a program on a runtime of its form, on arrays by name; returns its outputs, or why there are none."""


@dataclass(frozen=True, kw_only=True)
class FrontEnd:
    """How a foreign form is read and written; `error` is what both raise. `save` writes all of a file or nothing.

    `broken` are those errors that say that what was read is at fault, whenever that shows; `data_files` names the files
    beside its own that a program fetches its weights from. `run` has a runtime of others run it.
    """

    load: Callable[[str], Module]
    save: Callable[[Module, str], None]
    error: type[Exception]
    signatures: Signatures | None = None  # of the operators that programs of this form hold
    broken: tuple[type[Exception], ...] = ()
    data_files: Callable[[Module], Iterable[Path]] = lambda module: ()
    run: Runner | None = None
    name_values: Callable[[Module], None] | None = None  # gives each value the name that it has in a file


FrontEnds = Mapping[str, Callable[[], FrontEnd]]
"""By the ending of a file's name, in lower case."""

WHICH_TYPES: Final = "which types the operators of the program may have"
WHAT_THEY_COMPUTE: Final = "what the operators of the program compute"

ENDING_OF_DOMAIN: Final = {ONNX_DOMAIN: ".onnx"}
"""Whose front end knows the operators of a domain."""


def read_foreign(name: str, front_ends: FrontEnds) -> Program | None:
    """Read a program in a foreign form; None where the name is not that of one.

    Raises: DiagnosticsError where the file cannot be read, or what it holds is no program.
    """
    end = front_end_of(name, front_ends)
    if end is None:
        return None
    with reporting("P010", "cannot be read", name, end):
        return Program(end.load(name), None)


def hang_signatures(module: Module, front_ends: FrontEnds, what: str) -> None:
    """Give a program of foreign operators that came from text or BIR what their front end knows of them.

    Raises: DiagnosticsError where that needs a library that is not installed; `what` is asked for.
    """
    if module.signatures is None:
        end = front_end_within(module, front_ends, what)
        module.signatures = None if end is None else end.signatures


@contextmanager
def fetching_from(sources: Iterable[str], front_ends: FrontEnds) -> Iterator[None]:
    """Say which program is at fault where that shows while its tensors are fetched from files.

    Raises: DiagnosticsError.
    """
    ends = [(name, end) for name in sources if (end := front_end_of(name, front_ends)) is not None]
    broken = tuple(error for _, end in ends for error in end.broken)
    try:
        yield
    except broken as error:
        raise unreadable(" or ".join(name for name, _ in ends), error) from error


def unreadable(source: str, error: Exception) -> DiagnosticsError:
    """Return what is said of a program that turns out to be at fault after it was read."""
    return DiagnosticsError([Diagnostic("P010", f"{source} cannot be read: {error}")])


def front_end_within(module: Module, front_ends: FrontEnds, what: str) -> FrontEnd | None:
    """Return the front end that knows the operators of a program; None where it has none of any.

    Raises: DiagnosticsError where that needs a library that is not installed; `what` needs it.
    """
    domains = {domain for function in module.functions.values() for domain in function.operator_sets}
    endings = [ending for domain, ending in ENDING_OF_DOMAIN.items() if domain in domains and ending in front_ends]
    try:
        return front_ends[endings[0]]() if endings else None
    except ImportError as error:
        message = f"{what} needs a library that is not installed: {error.name}"
        raise DiagnosticsError([Diagnostic("P012", message, help=f"install the extra {endings[0][1:]}")]) from error


def front_end_of(name: str, front_ends: FrontEnds) -> FrontEnd | None:
    """Return the front end that reads and writes files of a name; None where the name asks for none.

    Raises: DiagnosticsError where that needs a library that is not installed.
    """
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
def reporting(code: str, what: str, name: str, end: FrontEnd) -> Iterator[None]:
    """Say what went wrong while a front end was at work, as a mistake with this code.

    Raises: DiagnosticsError.
    """
    try:
        yield
    except OSError as error:
        raise DiagnosticsError([Diagnostic(code, f"{name} {what}: {error.strerror or error}")]) from error
    except UnicodeEncodeError as error:
        message = f"{name} {what}: a name or text in it holds {error.object[error.start]!a}, which is no character"
        raise DiagnosticsError([Diagnostic(code, message)]) from error
    except end.error as error:
        if code == "P011" and isinstance(error, end.broken):
            raise  # what was read is at fault, and `fetching` knows its name
        reason = str(error).removeprefix(f"{Path(name).name}: ")
        raise DiagnosticsError([Diagnostic(code, f"{name} {what}: {reason}")]) from error
