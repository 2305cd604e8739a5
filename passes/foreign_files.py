"""Programs in files of foreign forms: read and written by front ends, which the driver names by the ending of the file.

Deliberately absent: the front ends. They need libraries that the passes do not, so one is loaded when a file asks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from passes.framework.failure import PassFailure
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.generic import ONNX_DOMAIN
from runtime.program_files import STREAM, Program, is_bir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runtime.functions import Module
    from runtime.interpreter.machine import Evaluator
    from runtime.signatures import Signatures


Runner = Callable[["Module", Mapping[str, Any]], "list[Any] | str"]
"""Runs a program on a runtime of its form, on arrays by name; returns its outputs, or why there are none."""


@dataclass(frozen=True)
class FrontEnd:
    """How a foreign form is read and written; `error` is what both raise. `save` writes all of a file or nothing.

    `broken` are those errors that say that what was read is at fault, whenever that shows; `data_files` names the files
    beside its own that a program fetches its weights from. `evaluator` makes what computes the operators of a program,
    `run` has a runtime of others run it.
    """

    load: Callable[[str], Module]
    save: Callable[[Module, str], None]
    error: type[Exception]
    signatures: Signatures | None = None  # of the operators that programs of this form hold
    broken: tuple[type[Exception], ...] = ()
    data_files: Callable[[Module], Iterable[Path]] = lambda module: ()
    evaluator: Callable[[Module], Evaluator] | None = None
    load_raised: Callable[[str, int], Module] | None = None  # in a newer operator set
    run: Runner | None = None
    name_values: Callable[[Module], None] | None = None  # gives each value the name that it has in a file


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


def raise_foreign(name: str, operator_set: int, front_ends: FrontEnds) -> Program:
    """Read a program in a foreign form, and raise it to a newer operator set.

    Raises: DiagnosticsError where the file cannot be read, or the program not raised.
    """
    end = _front_end_of(name, front_ends)
    if end is None or end.load_raised is None:
        raise DiagnosticsError([Diagnostic("P065", f"{name} has no operator set that could be raised")])
    with _reporting("P065", f"cannot be had in operator set {operator_set}", name, end):
        return Program(end.load_raised(name, operator_set), None)


def write_foreign(module: Module, name: str, front_ends: FrontEnds) -> bool:
    """Write a module in a foreign form, and return whether the name is that of one.

    Raises: DiagnosticsError where it cannot be written.
    """
    end = _front_end_of(name, front_ends)
    if end is None:
        return False
    if not module.functions:
        raise DiagnosticsError([Diagnostic("P011", f"{name} cannot be written: the program has no function")])
    with _reporting("P011", "cannot be written", name, end):
        end.save(module, name)
    return True


def check_overwriting(module: Module, source: str, name: str, front_ends: FrontEnds, code: str, what: str) -> None:
    """Refuse to write `what` to a file that the program needs: its source in another form, or data that it fetches.

    Raises: DiagnosticsError.
    """
    end = _front_end_of(source, front_ends)
    in_place = what == "program" and _form_of(source, front_ends) == _form_of(name, front_ends)
    if not in_place and source != STREAM and _is_same(name, source):
        raise DiagnosticsError([Diagnostic(code, f"the {what} would overwrite {source}, which it is made from")])
    for file in () if end is None else end.data_files(module):
        if _is_same(name, file):
            raise DiagnosticsError([Diagnostic(code, f"the {what} would overwrite {file}, data of {source}")])


def hang_signatures(module: Module, front_ends: FrontEnds) -> None:
    """Give a program of foreign operators that came from text or BIR what their front end knows of their types.

    Raises: DiagnosticsError where that needs a library that is not installed.
    """
    if module.signatures is None:
        end = _front_end_within(module, front_ends, "which types the operators of the program may have")
        module.signatures = None if end is None else end.signatures


def evaluator_for(module: Module, front_ends: FrontEnds) -> Callable[[Module], Evaluator] | None:
    """Return what makes the evaluator of a program of foreign operators, wherever it came from; None for others.

    Raises: DiagnosticsError where that needs a library that is not installed.
    """
    end = _front_end_within(module, front_ends, "what the operators of the program compute")
    return None if end is None else end.evaluator


def runner_for(module: Module, front_ends: FrontEnds) -> Runner | None:
    """Return what runs a program of foreign operators on a runtime of others; None where there is none."""
    end = _front_end_within(module, front_ends, "running the program")
    return None if end is None else end.run


def named_as_written(module: Module, front_ends: FrontEnds) -> Module:
    """Return a copy of a program whose values have the names that its file would have, where these are known."""
    end, twin = _front_end_within(module, front_ends, "naming its values"), module.clone()
    if end is not None and end.name_values is not None:
        with suppress(end.error):
            end.name_values(twin)
    return twin


def _front_end_within(module: Module, front_ends: FrontEnds, what: str) -> FrontEnd | None:
    """Return the front end that knows the operators of a program; None where it has none of any."""
    domains = {domain for function in module.functions.values() for domain in function.operator_sets}
    endings = [ending for domain, ending in ENDING_OF_DOMAIN.items() if domain in domains and ending in front_ends]
    try:
        return front_ends[endings[0]]() if endings else None
    except ImportError as error:
        message = f"{what} needs a library: {error.name}"
        raise DiagnosticsError([Diagnostic("P012", message, help=f"install the extra {endings[0][1:]}")]) from error


@contextmanager
def fetching(source: str, name: str | None, front_ends: FrontEnds) -> Iterator[None]:
    """Say that the program from `source` is at fault where it turns out so while it is converted and written to `name`.

    Raises: DiagnosticsError where a front end cannot fetch the contents of a tensor, in a pass or afterwards.
    """
    ends = [_front_end_of(each, front_ends) for each in (source, name) if each is not None]
    broken = tuple(error for end in ends if end is not None for error in end.broken)
    try:
        yield
    except PassFailure as failure:
        if not isinstance(failure.cause, broken):
            raise
        raise _unreadable(source, failure.cause) from failure
    except broken as error:
        raise _unreadable(source, error) from error


def _unreadable(source: str, error: Exception) -> DiagnosticsError:
    return DiagnosticsError([Diagnostic("P010", f"{source} cannot be read: {error}")])


def _is_same(name: str, file: str | Path) -> bool:
    with suppress(OSError):
        return os.path.samefile(name, file)
    return os.path.realpath(name) == os.path.realpath(file)


def _form_of(name: str, front_ends: FrontEnds) -> str:
    """Return the ending that says the form, one for all of BIR; an empty one is the text form."""
    ending = Path(name).suffix.lower()
    return ".bir" if is_bir(name) else ending if ending in front_ends else ""


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
    except UnicodeEncodeError as error:
        message = f"{name} {what}: a name or text in it holds {error.object[error.start]!a}, which is no character"
        raise DiagnosticsError([Diagnostic(code, message)]) from error
    except end.error as error:
        if code == "P011" and isinstance(error, end.broken):
            raise  # what was read is at fault, and `fetching` knows its name
        reason = str(error).removeprefix(f"{Path(name).name}: ")
        raise DiagnosticsError([Diagnostic(code, f"{name} {what}: {reason}")]) from error
