"""Where the report of a pipeline goes: a file, JSON where its name ends in `.json`, or a stream.

Without a name, or with `-`, it is standard error where the program is printed, standard output where that goes to a
file or there is none.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.program_files import STREAM, check_place, complain, file_written_around, write_out


def check_report_place(name: str, output: str | None) -> None:
    """Refuse a report that could not be written, before anything is done.

    Raises: DiagnosticsError.
    """
    if name == STREAM:
        return
    if output is not None and os.path.realpath(name) == os.path.realpath(output):
        raise DiagnosticsError([Diagnostic("P014", f"the report and the program would both be written to {name}")])
    check_place(name)


@contextmanager
def report_written(name: str, text: Callable[[bool], str], *, is_printed: bool) -> Iterator[None]:
    """Write a report: a file before the body, put in its place after, so that there are both or neither.

    `text` is asked for JSON, or not. `is_printed` is whether standard output holds a program already.

    Raises: DiagnosticsError where it cannot be written.
    """
    if name != STREAM:
        with file_written_around(name, lambda file: print(text(name.lower().endswith(".json")), file=file)):
            yield
        return
    yield
    if is_printed:
        complain(text(False))
    else:
        write_out(f"{text(False)}\n")
