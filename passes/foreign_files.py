"""Programs in files of foreign forms, as conversions need them: raised, run elsewhere, and written.

Deliberately absent: reading them (`runtime/front_ends.py`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from passes.framework.failure import PassFailure
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.front_ends import FrontEnds, Runner, front_end_of, front_end_within, reporting, unreadable
from runtime.functions import Module
from runtime.program_files import STREAM, is_bir


def write_foreign(module: Module, name: str, front_ends: FrontEnds) -> bool:
    """Write a module in a foreign form, and return whether the name is that of one.

    Raises: DiagnosticsError where it cannot be written.
    """
    end = front_end_of(name, front_ends)
    if end is None:
        return False
    if not module.functions:
        raise DiagnosticsError([Diagnostic("P011", f"{name} cannot be written: the program has no function")])
    with reporting("P011", "cannot be written", name, end):
        end.save(module, name)
    return True


def check_overwriting(module: Module, source: str, name: str, front_ends: FrontEnds, code: str, what: str) -> None:
    """Refuse to write `what` to a file that the program needs: its source in another form, or data that it fetches.

    Raises: DiagnosticsError.
    """
    end = front_end_of(source, front_ends)
    in_place = what == "program" and _form_of(source, front_ends) == _form_of(name, front_ends)
    if not in_place and source != STREAM and _is_same(name, source):
        raise DiagnosticsError([Diagnostic(code, f"the {what} would overwrite {source}, which it is made from")])
    for file in () if end is None else end.data_files(module):
        if _is_same(name, file):
            raise DiagnosticsError([Diagnostic(code, f"the {what} would overwrite {file}, data of {source}")])


def runner_for(module: Module, front_ends: FrontEnds) -> Runner | None:
    """Return what runs a program of foreign operators on a runtime of others; None where there is none."""
    end = front_end_within(module, front_ends, "running the program")
    return None if end is None else end.run


def named_as_written(module: Module, front_ends: FrontEnds) -> Module:
    """Return a copy of a program whose values have the names that its file would have, where these are known."""
    end, twin = front_end_within(module, front_ends, "naming its values"), module.clone()
    if end is not None and end.name_values is not None:
        with suppress(end.error):
            end.name_values(twin)
    return twin


@contextmanager
def fetching(source: str, name: str | None, front_ends: FrontEnds) -> Iterator[None]:
    """Say that the program from `source` is at fault where it turns out so while it is converted and written to `name`.

    Raises: DiagnosticsError where a front end cannot fetch the contents of a tensor, in a pass or afterwards.
    """
    ends = [front_end_of(each, front_ends) for each in (source, name) if each is not None]
    broken = tuple(error for end in ends if end is not None for error in end.broken)
    try:
        yield
    except PassFailure as failure:
        if not isinstance(failure.cause, broken):
            raise
        raise unreadable(source, failure.cause) from failure
    except broken as error:
        raise unreadable(source, error) from error


def _is_same(name: str, file: str | Path) -> bool:
    with suppress(OSError):
        return os.path.samefile(name, file)
    return os.path.realpath(name) == os.path.realpath(file)


def _form_of(name: str, front_ends: FrontEnds) -> str:
    """Return the ending that says the form, one for all of BIR; an empty one is the text form."""
    ending = Path(name).suffix.lower()
    return ".bir" if is_bir(name) else ending if ending in front_ends else ""
