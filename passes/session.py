"""One run of the command line, as far as it is known before the first pass: what is read, made, checked and told.

Mistakes in the usage come before those in the file, and nothing is written before all of it is known.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from passes.arguments import ALL
from passes.autocast.shorthand import auto_cast_steps
from passes.build import build_pipeline, known_names
from passes.debugging.failing import FollowUp, Numerics
from passes.debugging.printing import EVERY_PASS, Printing
from passes.debugging.reproducer import check_place
from passes.foreign_files import FrontEnds, check_overwriting, evaluator_for, hang_signatures, read_foreign
from passes.framework.pass_manager import Check, Judge, Step, passes_of
from passes.framework.rewrite_limit import RewriteLimit
from passes.precision.policy_file import ReadTree
from passes.precision.policy_option import precision_steps
from passes.precision.report_file import check_report, precision_passes
from passes.statistics_file import is_file
from runtime.array_files import read_arrays
from runtime.diagnostics import Diagnostic, DiagnosticsError, did_you_mean, either
from runtime.embedded_arrays import read_embedded
from runtime.functions import Module
from runtime.further_classes import instruction_classes
from runtime.instruction_set import InstructionSet
from runtime.program_files import STREAM, Program, complain, read_program
from runtime.targets import Target, UnknownTargetError, parse_target
from runtime.text.parser import parse
from runtime.verifier import verify

_ARRAYS = (".npz", ".npy")


@dataclass(frozen=True)
class Session:
    """What a run of passes needs."""

    given: argparse.Namespace
    module: Module
    steps: tuple[Step, ...]
    check: Check | None
    judge: Judge | None
    printing: Printing
    limit: RewriteLimit
    follow_up: FollowUp

    @property
    def is_told(self) -> bool:
        """Whether statistics are printed."""
        stats, verbose = self.given.stats, self.given.verbose
        return (verbose or stats is not None) and not is_file(stats)

    @property
    def is_limited(self) -> bool:
        """Whether rewrites are counted."""
        return self.given.rewrite_limit is not None or self.given.bisect


def open_session(given: argparse.Namespace, front_ends: FrontEnds, read_tree: ReadTree | None = None) -> Session:
    """Make everything ready for a run.

    Raises: DiagnosticsError for mistakes in the usage, then in the program.
    """
    target = target_named(given.target)
    classes = instruction_classes(given.classes)
    policy = precision_steps(given.policy, read_tree, classes)
    steps = (*_steps(given, target), *policy)
    printing = _printing(given, steps)
    if given.report is not None:
        check_report(given.report, given.output, steps)
    if given.reproducer is not None:
        check_place(given.reproducer)
    arrays = _arrays(given.verify_numerics)
    program = read_foreign(given.file, front_ends) or read_program(given.file, classes)
    module = program.module
    module.places = program.places
    _check_files(given, module, front_ends)
    if any(precision_passes(steps)):
        hang_signatures(module, front_ends)
    if target is not None:
        module.target = target.name
    elif module.target is not None:
        target = target_named(module.target)
        steps = (*_steps(given, target), *policy)
    numerics = None
    if given.verify_numerics is not None:
        numerics = Numerics(arrays, given.seed or 0, evaluator_for(module, front_ends))
    gave_up = _skipping if given.numerics_if_possible else None
    return Session(
        given,
        module,
        steps,
        check=None if given.no_verify else _check_of(program, target),
        judge=None if numerics is None else numerics.judge(gave_up),
        printing=printing,
        limit=RewriteLimit(given.rewrite_limit),
        follow_up=FollowUp(
            given.reproducer,
            given.bisect,
            target,
            not given.no_verify,
            numerics,
            tuple(given.classes),
            given.rewrite_limit,
            lambda text: _read(text, classes, front_ends, steps),
        ),
    )


def _read(text: str, classes: InstructionSet, front_ends: FrontEnds, steps: Sequence[Step]) -> Module:
    module = parse(text, classes, "the reproducer")
    if any(precision_passes(steps)):
        hang_signatures(module, front_ends)
    return module


def target_named(name: str | None) -> Target | None:
    """Return the target of a name.

    Raises: DiagnosticsError where there is none.
    """
    try:
        return None if name is None else parse_target(name)
    except UnknownTargetError as error:
        message, _, help = str(error).partition("; ")
        raise DiagnosticsError([Diagnostic("P006", message, help=help)]) from error


def _skipping(why: str) -> None:
    complain(f"passes: warning: numerics are not verified: {why}")


def _steps(given: argparse.Namespace, target: Target | None) -> tuple[Step, ...]:
    return (
        *auto_cast_steps(given.auto_cast, given.auto_cast_type, target),
        *build_pipeline(given.passes, target, "--passes"),
    )


def _check_of(program: Program, target: Target | None) -> Check:
    places = [program.places]  # of the file; once a pass has run, the program is no longer what stands there

    def check(module: Module) -> Sequence[Diagnostic]:
        return verify(module, target, places.pop() if places else None)

    return check


def _printing(given: argparse.Namespace, steps: Sequence[Step]) -> Printing:
    """Return what is printed between passes.

    Raises: DiagnosticsError for a name that is not that of a pass which runs.
    """
    running = list(dict.fromkeys(each.pass_name for each in passes_of(steps)))
    mistakes: list[Diagnostic] = []

    def chosen(value: str | None, option: str) -> Sequence[str]:
        if value is None or value == ALL:
            return () if value is None else EVERY_PASS
        names = [name.strip() for name in value.split(",")]
        for name in names:
            if name not in running:
                help = did_you_mean(name, running) or f"it runs {either(running, 'and') or 'none'}"
                what = "the pipeline does not run" if name in known_names() else "there is no pass"
                mistakes.append(Diagnostic("P015", f'{option}: {what} "{name}"', help=help))
        return names

    printing = Printing(
        chosen(given.print_ir_before, "--print-ir-before"),
        chosen(given.print_ir_after, "--print-ir-after"),
        chosen(given.print_ir_after_change, "--print-ir-after-change"),
        given.elide,
    )
    if mistakes:
        raise DiagnosticsError(mistakes)
    return printing


def _arrays(value: str | None) -> dict[str, Any] | None:
    """Return the inputs that `--verify-numerics` names; None where they are to be generated.

    Raises: DiagnosticsError where they cannot be read.
    """
    if value is None or value == ALL:
        return None
    if value.lower().endswith(_ARRAYS):
        return read_arrays([value])
    try:
        with open(value, encoding="utf-8", errors="replace") as file:
            found = read_embedded(file.read(), value)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DiagnosticsError([Diagnostic("P032", f"{value} cannot be read: {reason}")]) from error
    if found is None:
        help = "inputs are a .npz, or a .npy as NAME=FILE"
        raise DiagnosticsError([Diagnostic("P032", f"{value} holds no inputs", help=help)])
    return found


def _check_files(given: argparse.Namespace, module: Module, front_ends: FrontEnds) -> None:
    """Refuse to write what would overwrite something that is needed, or two things to one file.

    Raises: DiagnosticsError.
    """
    stats = given.stats if is_file(given.stats) else None
    named = ((given.report, "P014", "report"), (stats, "P014", "statistics"), (given.output, "P011", "program"))
    for name, code, what in named:
        if name is not None and name != STREAM:
            check_overwriting(module, given.file, name, front_ends, code, what)
    for name, what in ((given.output, "the program"), (given.report, "the report")):
        if stats is not None and name not in (None, STREAM) and os.path.realpath(stats) == os.path.realpath(name):
            message = f"the statistics and {what} would both be written to {stats}"
            raise DiagnosticsError([Diagnostic("P014", message)])
