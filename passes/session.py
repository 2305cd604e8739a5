"""One run of the command line, as far as it is known before the first pass: what is read, made, checked and told.

Mistakes in the usage come before those in the file, and nothing is written before all of it is known.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from passes.chosen_steps import steps_of, target_named
from passes.debugging.failing import FollowUp, Numerics
from passes.debugging.printing import Printing, printing_of
from passes.debugging.reproducer import check_place as check_folder
from passes.framework.pass_manager import Check, Judge, Step
from passes.framework.rewrite_limit import RewriteLimit
from passes.given_files import arrays_of, check_files
from passes.measuring.report_file import check_report_place
from passes.model_options import ReadProgram, ask, check_model_options, read_model
from passes.precision.policy_file import ReadTree
from passes.precision.policy_option import PolicyFiles, precision_steps
from passes.precision.report_file import check_report, precision_passes
from passes.statistics_file import is_file
from passes.verified_model import VerifiedModel
from runtime.array_files import read_arrays
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.front_ends import WHAT_THEY_COMPUTE, WHICH_TYPES, FrontEnds, hang_signatures
from runtime.functions import Module
from runtime.further_classes import instruction_classes
from runtime.instruction_set import InstructionSet
from runtime.program_files import Program, check_place, complain, read_program
from runtime.targets import Target
from runtime.text.parser import parse
from runtime.verifier import verify


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
    target: Target | None
    is_measured: bool  # whether a report of what the passes do to the program is asked for
    measured_on: Mapping[str, Any] | None  # inputs; None: they are generated
    verified: VerifiedModel | None  # the program before a conversion, where its errors are asked for

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
    """Make everything ready for a run; `read_tree` reads the YAML of files with policies.

    Raises: DiagnosticsError for mistakes in the usage, then in the program.
    """
    asked = _Asked.of(given, read_tree)
    read = _read_program(asked, front_ends)
    module, target, steps = read.program.module, asked.target, asked.steps
    know_operators = _knowing(given, steps, front_ends)
    know_operators(module)
    if target is not None:
        module.target = target.name
    elif module.target is not None:
        target = target_named(module.target)
        steps = asked.steps_on(target)
    requests = ask(given, steps, module, read.notes)
    numerics = None if given.verify_numerics is None else Numerics(asked.verified_on, given.seed or 0)
    gave_up = _skipping if given.numerics_if_possible else None
    return Session(
        given,
        module,
        steps,
        check=None if given.no_check else _check_of(read.program, target),
        judge=None if numerics is None else numerics.judge(gave_up),
        printing=asked.printing,
        limit=RewriteLimit(given.rewrite_limit),
        follow_up=FollowUp(
            given.reproducer,
            given.bisect,
            target,
            not given.no_check,
            numerics,
            tuple(given.classes),
            given.rewrite_limit,
            lambda text: _read(text, asked.classes, know_operators),
            asked.files,
            requests,
        ),
        target=target,
        is_measured=asked.is_measured,
        measured_on=asked.measured_on,
        verified=None if given.verify is None else VerifiedModel(given, module, front_ends, read.source),
    )


@dataclass(frozen=True)
class _Asked:
    """What the words of a command line ask for, as far as they say it without the program."""

    given: argparse.Namespace
    target: Target | None  # None: that of the program
    classes: InstructionSet
    files: PolicyFiles | None
    policy: tuple[Step, ...]  # of `--policy`
    steps: tuple[Step, ...]  # all of them
    printing: Printing
    is_measured: bool
    verified_on: Mapping[str, Any] | None
    measured_on: Mapping[str, Any] | None

    @classmethod
    def of(cls, given: argparse.Namespace, read_tree: ReadTree | None) -> _Asked:
        """Raises: DiagnosticsError for mistakes in the usage."""
        target = target_named(given.target)
        classes = instruction_classes(given.classes)
        files = None if read_tree is None else PolicyFiles(read_tree, classes, given.policies or {})
        policy = precision_steps(given.policy, files)
        steps = (*steps_of(given, target, files), *policy)
        printing = printing_of(given, steps)
        is_measured = given.sweep is not None or (given.report is not None and not any(precision_passes(steps)))
        _check_places(given, steps, is_measured)
        arrays = arrays_of(given.verify_numerics)
        measured_on = read_arrays(given.input) if given.input else arrays
        check_model_options(given, steps)
        return cls(given, target, classes, files, policy, steps, printing, is_measured, arrays, measured_on)

    def steps_on(self, target: Target | None) -> tuple[Step, ...]:
        """Return the steps for the target of the program."""
        return (*steps_of(self.given, target, self.files), *self.policy)


def _check_places(given: argparse.Namespace, steps: Sequence[Step], is_measured: bool) -> None:
    """Check that all that is to be written can be, and that the report is one of what is run.

    Raises: DiagnosticsError.
    """
    if not is_measured:
        _check_unmeasured(given)
    if is_measured and given.report is not None:
        check_report_place(given.report, given.output)
    elif given.report is not None:
        check_report(given.report, given.output, steps)
    for written in (given.output, given.stats if is_file(given.stats) else None):
        if written is not None:
            check_place(written)
    if given.reproducer is not None:
        check_folder(given.reproducer)


def _read_program(asked: _Asked, front_ends: FrontEnds) -> ReadProgram:
    """Return the program, which knows its places.

    Raises: DiagnosticsError.
    """
    given = asked.given
    read = read_model(given, asked.steps, front_ends) or ReadProgram(read_program(given.file, asked.classes))
    program = read.program
    program.module.places = program.places
    check_files(given, program.module, front_ends)
    return read


def _check_unmeasured(given: argparse.Namespace) -> None:
    """Refuse options about a report that a run measures, where the report is that of a policy.

    Raises: DiagnosticsError.
    """
    used = []
    if given.input:
        used.append("--input")
    if given.seed is not None and given.verify is None and given.verify_numerics is None:
        used.append("--seed")
    help = "--verify [INPUTS.npz] runs the program before and after"
    what = "is for reports that a run measures, and that of a policy says what was decided"
    if used:
        raise DiagnosticsError([Diagnostic("P016", f"{name} {what}", help=help) for name in used])


def _knowing(given: argparse.Namespace, steps: Sequence[Step], front_ends: FrontEnds) -> Callable[[Module], None]:
    """Return what gives a program of foreign operators, wherever it came from, what the run needs to know of them."""

    def know_operators(module: Module) -> None:
        if any(precision_passes(steps)):
            hang_signatures(module, front_ends, WHICH_TYPES)
        elif given.verify_numerics is not None:
            hang_signatures(module, front_ends, WHAT_THEY_COMPUTE)

    return know_operators


def _read(text: str, classes: InstructionSet, know_operators: Callable[[Module], None]) -> Module:
    module = parse(text, classes, "the reproducer")
    know_operators(module)
    return module


def _skipping(why: str) -> None:
    complain(f"passes: warning: numerics are not verified: {why}")


def _check_of(program: Program, target: Target | None) -> Check:
    places = [program.places]  # of the file; once a pass has run, the program is no longer what stands there

    def check(module: Module) -> Sequence[Diagnostic]:
        return verify(module, target, places.pop() if places else None)

    return check
