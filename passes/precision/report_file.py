"""`--report FILE`: what the precision pass decided, where a user asks for it, and warnings, which nobody asks for.

The ending says which form it is: JSON where the name ends in `.json`, text for all others. `-` is standard output where
the program goes to a file, and standard error where the program is printed.

Deliberately absent: a summary that nobody asked for. A run says nothing unless a policy did not reach a part of the
program.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from passes.framework.dot_transform import DotTransform
from passes.framework.pass_manager import Fixpoint, Step
from passes.measuring.report_file import check_report_place
from passes.precision.report import PrecisionReport
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.program_files import STREAM, complain, file_written_around, write_out


def precision_passes(steps: Iterable[Step]) -> Iterator[DotTransform]:
    """Yield the passes among steps that make a precision report, those that are repeated included."""
    for step in steps:
        if isinstance(step, Fixpoint):
            yield from precision_passes(step.steps)
        elif isinstance(getattr(step, "report", None), PrecisionReport):
            yield step


def reports_of(steps: Iterable[Step]) -> list[PrecisionReport]:
    """Return what the precision passes among steps say of their last runs."""
    return [getattr(each, "report") for each in precision_passes(steps)]  # noqa: B009  # by that it was found


def check_report(name: str, output: str | None, steps: Sequence[Step]) -> None:
    """Refuse a report that could not be written, before anything is done.

    Raises: DiagnosticsError.
    """
    found = len(list(precision_passes(steps)))
    if found != 1:
        message = f"--report is about the decisions of one precision pass, and this run has {found or 'none'}"
        raise DiagnosticsError([Diagnostic("P014", message, help="" if found else "ask for one with --policy")])
    check_report_place(name, output)


@contextmanager
def telling(steps: Iterable[Step], name: str | None, output: str | None) -> Iterator[None]:
    """Say what the precision passes among steps did: warnings always, on standard error; all of it where asked for.

    The body writes the program. A file is all written before, and put in its place after: there are both or neither.

    Raises: DiagnosticsError where the report cannot be written.
    """
    reports = reports_of(steps)
    text = "" if name is None else _text_of(*reports, is_json=name.lower().endswith(".json"))
    if name is None or name == STREAM:
        yield
    else:
        with file_written_around(name, lambda file: print(text, file=file)):
            yield
    if name != STREAM or output is not None:
        for report in reports:
            for warning in report.warnings:
                complain(f"passes: warning: {report.policy}: {warning}")
    if name == STREAM and output is None:
        complain(text)
    elif name == STREAM:
        write_out(f"{text}\n")


def _text_of(report: PrecisionReport, *, is_json: bool) -> str:
    text = json.dumps(report.to_json(), indent=1, ensure_ascii=False) if is_json else str(report)
    return text.encode(errors="backslashreplace").decode()  # a name may hold half of a surrogate pair
