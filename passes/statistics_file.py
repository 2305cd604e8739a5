"""`--stats=FILE`: what each pass took, changed and counted; text, or JSON where the name ends in `.json`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from passes.arguments import ALL
from passes.framework.pass_run import PassRun
from passes.report import run_json, run_report
from runtime.program_files import STREAM, file_written_around


def is_file(name: str | None) -> bool:
    """Whether a value of the option names a file."""
    return name not in (None, ALL, STREAM)


@contextmanager
def statistics_written(name: str | None, runs: Sequence[PassRun]) -> Iterator[None]:
    """Write the statistics to a file, where one is named: all of it before the body, put in its place after.

    Raises: DiagnosticsError where it cannot be written.
    """
    if name is None or not is_file(name):
        yield
        return
    text = run_json(runs) if name.lower().endswith(".json") else run_report(runs)
    with file_written_around(name, lambda file: print(text, file=file)):
        yield
