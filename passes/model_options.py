"""The options of a conversion: `--keep`, `--no-keep-io`, `--opset`, `--calibrate`, and what they make of a run.

Deliberately absent: `--verify`, which looks at what came of the run (`verified_model.py`).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from passes.debugging.progress import Progress
from passes.foreign_files import raise_foreign
from passes.framework.dot_transform import DotTransform
from passes.framework.pass_manager import Step
from passes.numerics.inputs import check_given, given_inputs
from passes.precision.calibration import measured_values
from passes.precision.operator_sets import needed_operator_set, what_it_allows
from passes.precision.reach import OLDEST
from passes.precision.report_file import precision_passes
from passes.precision.requests import Requests, check_patterns, unmatched
from runtime.array_files import read_arrays
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.front_ends import FrontEnds, read_foreign
from runtime.functions import Module
from runtime.interpreter import InterpreterError
from runtime.program_files import Program, complain


def check_model_options(given: argparse.Namespace, steps: Sequence[Step]) -> None:
    """Refuse options of a conversion where there is none, or not one.

    Raises: DiagnosticsError.
    """
    named = {
        "--keep-io": given.keep_io,
        "--no-keep-io": given.no_keep_io,
        "--keep": given.keep,
        "--calibrate": given.calibrate,
        "--verify": given.verify,
    }
    used = [name for name, value in named.items() if value]
    found = len(list(precision_passes(steps)))
    if used and found != 1:
        why = f"{used[0]} is for one precision pass, and this run has {found or 'none'}"
        raise DiagnosticsError([Diagnostic("P016", why, help="" if found else "ask for one with --policy")])


def read_model(given: argparse.Namespace, steps: Sequence[Step], front_ends: FrontEnds) -> tuple[Program | None, str]:
    """Read a program in a foreign form, in the operator set that is asked for, or that its types need.

    Returns the program, None where the file is of no foreign form, and what is to be said of it.

    Raises: DiagnosticsError.
    """
    program = read_foreign(given.file, front_ends)
    if program is None:
        if given.opset is not None:
            raise DiagnosticsError([Diagnostic("P065", f"--opset is for models, and {given.file} is none")])
        return None, ""
    if given.opset is not None:
        return raise_foreign(given.file, given.opset, front_ends), ""
    transform, *_ = (*precision_passes(steps), None)
    policy = getattr(transform, "policy", None)
    needed = None if policy is None else needed_operator_set(program.module, policy, OLDEST)
    if policy is None or needed is None:
        return program, ""
    version, operators = needed
    what = what_it_allows(version, operators, policy)
    try:
        raised = raise_foreign(given.file, version, front_ends)
    except DiagnosticsError as error:
        why = error.diagnostics[0].message
        return program, f"stays as it is, and is not raised to {what}: {why}"
    return raised, f"was raised to {what}"


def ask(given: argparse.Namespace, steps: Sequence[Step], module: Module, note: str) -> Requests:
    """Tell the precision passes among steps what the user asks for, and return that, as copies of the program need it.

    Raises: DiagnosticsError for a pattern that means nothing, and for inputs that the program does not run on.
    """
    if note:
        complain(f"passes: note: {given.file}: {note.removeprefix('was ')}")
    notes = (f"the program {note}",) if note else ()
    requests = Requests(tuple(given.keep), {}, not given.no_keep_io, notes)
    passes = list(precision_passes(steps))
    patterns = [*requests.keep, *(pattern for each in passes for pattern in requests_of(each).keep)]
    if given.beside is None:
        check_patterns(dict.fromkeys(patterns), module)
    else:  # a reproducer may hold a part of the program in which they meant something
        check_patterns(given.beside.keep, module)
        for pattern, _ in unmatched(dict.fromkeys(patterns), module):
            complain(f'passes: warning: --keep: nothing in what {given.file} holds is called "{pattern}"')
    if given.calibrate:
        requests = replace(requests, measured=_measured(given.calibrate, module))
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


def _measured(files: Sequence[str], module: Module) -> dict[Any, float]:
    """Return the largest magnitude of each value over the runs on the inputs of each file."""
    runs = [(file, given_inputs(module, read_arrays([file])).arrays) for file in files]
    for file, inputs in runs:  # all of them, before the first run
        check_given(module, inputs, f"--calibrate {file}")
    found: dict[Any, float] = {}
    with Progress() as progress:
        for file, inputs in runs:
            progress.say(f"--calibrate {file}: running the program")
            try:
                measured = measured_values(module, inputs)
            except InterpreterError as error:
                message = f"--calibrate {file}: the program cannot be run: {error}"
                raise DiagnosticsError([Diagnostic("P067", message)]) from error
            for value, largest in measured.items():
                found[value] = max(found.get(value, 0.0), largest)
    return found
