"""The options of a conversion: `--keep`, `--opset`, `--calibrate`, `--tolerance` ..., and what they make of a run.

Deliberately absent: `--verify`, which looks at what came of the run (`verified_model.py`).
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from passes.debugging.progress import Progress
from passes.framework.dot_transform import DotTransform
from passes.framework.pass_manager import Step
from passes.numerics.inputs import check_given, given_inputs
from passes.precision.calibration import calibrated
from passes.precision.preparation import prepared, raised_to
from passes.precision.report_file import precision_passes
from passes.precision.requests import Requests, check_patterns, unmatched
from runtime.array_files import read_arrays
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.front_ends import FrontEnds, read_foreign
from runtime.functions import Module
from runtime.program_files import Program, complain


def check_model_options(given: argparse.Namespace, steps: Sequence[Step]) -> None:
    """Refuse options of a conversion where there is none, or not one.

    Raises: DiagnosticsError.
    """
    named = {
        "--keep-io": given.keep_io,
        "--no-keep-io": given.no_keep_io,
        "--keep": given.keep,
        "--keep-functions": given.keep_functions,
        "--calibrate": given.calibrate,
        "--tolerance": given.tolerance,
        "--verify": given.verify,
    }
    used = [name for name, value in named.items() if value]
    found = len(list(precision_passes(steps)))
    if used and found != 1:
        why = f"{used[0]} is for one precision pass, and this run has {found or 'none'}"
        raise DiagnosticsError([Diagnostic("P016", why, help="" if found else "ask for one with --policy")])
    if given.tolerance is not None and not given.calibrate:
        help = "give inputs of the range that the program is for: --calibrate INPUTS.npz"
        raise DiagnosticsError([Diagnostic("P016", "--tolerance is for the inputs of --calibrate", help=help)])


@dataclass(frozen=True)
class ReadProgram:
    """A program as it is to be converted, and as it was in its file, where that was changed first."""

    program: Program
    notes: tuple[str, ...] = ()  # what is to be said of the change
    source: Module | None = None


def read_model(given: argparse.Namespace, steps: Sequence[Step], front_ends: FrontEnds) -> ReadProgram | None:
    """Read a program in a foreign form, as it is to be converted: functions inlined, the operator set raised.

    Returns None where the file is of no foreign form.

    Raises: DiagnosticsError.
    """
    program = read_foreign(given.file, front_ends)
    if program is None:
        if given.opset is not None:
            raise DiagnosticsError([Diagnostic("P065", f"--opset is for models, and {given.file} is none")])
        return None
    transform, *_ = (*precision_passes(steps), None)
    policy = getattr(transform, "policy", None)
    module, called = program.module, given.file
    if policy is None or transform is None:
        return ReadProgram(program if given.opset is None else Program(raised_to(module, given.opset, called), None))
    keep = (*given.keep, *requests_of(transform).keep)
    found, notes = prepared(
        module, policy, keep=keep, opset=given.opset, keep_functions=given.keep_functions, called=called
    )
    return ReadProgram(program, notes) if found is module else ReadProgram(Program(found, None), notes, module)


def ask(given: argparse.Namespace, steps: Sequence[Step], module: Module, notes: tuple[str, ...]) -> Requests:
    """Tell the precision passes among steps what the user asks for, and return that, as copies of the program need it.

    Raises: DiagnosticsError for a pattern that means nothing, and for inputs that the program does not run on.
    """
    for note in notes:
        complain(f"passes: note: {given.file}: {note.removeprefix('the program ').removeprefix('was ')}")
    requests = Requests(tuple(given.keep), keep_io=not given.no_keep_io, notes=notes)
    passes = list(precision_passes(steps))
    patterns = [*requests.keep, *(pattern for each in passes for pattern in requests_of(each).keep)]
    if given.beside is None:
        check_patterns(dict.fromkeys(patterns), module)
    else:  # a reproducer may hold a part of the program in which they meant something
        check_patterns(given.beside.keep, module)
        for pattern, _ in unmatched(dict.fromkeys(patterns), module):
            complain(f'passes: warning: --keep: nothing in what {given.file} holds is called "{pattern}"')
    if given.calibrate:
        runs = _runs(given.calibrate, module)
        policy = getattr(passes[0], "policy")  # noqa: B009  # those have one
        asked = requests_of(passes[0]).also(requests)
        with Progress() as progress:
            found = calibrated(asked, module, policy, runs, given.tolerance, progress.say)
        for note in found.notes[len(notes) :]:
            complain(f"passes: note: {given.file}: {note}")
        requests = replace(found, keep=requests.keep, keep_io=requests.keep_io)
    for transform in passes:
        add_requests(transform, requests)
    is_run_again = given.reproducer is not None or given.bisect or given.sweep is not None
    if not is_run_again or not requests.measured:
        return requests
    return requests.for_copies(module, getattr(passes[0], "policy").low)  # noqa: B009  # those have one


def requests_of(transform: DotTransform) -> Requests:
    """Return what is asked of a precision pass."""
    found: Requests = transform.requests  # type: ignore[attr-defined]  # those have them
    return found


def add_requests(transform: DotTransform, requests: Requests) -> None:
    """Ask more of a precision pass."""
    transform.requests = requests_of(transform).also(requests)  # type: ignore[attr-defined]  # as above


def _runs(files: Sequence[str], module: Module) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the inputs in each file, as the program names them, each with the option that it came from.

    Raises: DiagnosticsError where they are not those of the program.
    """
    runs = [(f"--calibrate {file}", given_inputs(module, read_arrays([file])).arrays) for file in files]
    for option, inputs in runs:  # all of them, before the first run
        check_given(module, inputs, option)
    return runs
