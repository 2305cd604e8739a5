"""The command line of the passes: read a program, run a pipeline, print what came of it."""

from __future__ import annotations

import argparse
import traceback
from collections.abc import Sequence
from contextlib import ExitStack

from passes.arguments import read_arguments
from passes.chosen_steps import why_models_stay, why_nothing_is_narrowed
from passes.debugging.failing import HELP
from passes.debugging.progress import Progress
from passes.debugging.reproducer import REPLAY, arguments_in, policies_in
from passes.foreign_files import fetching, write_foreign
from passes.framework.failure import PassFailure
from passes.framework.pass_manager import PassManager
from passes.framework.pass_run import PassRun
from passes.measured_run import MeasuredRun
from passes.measuring.measure import CastCount
from passes.measuring.report_file import report_written
from passes.pipelines import PIPELINES
from passes.precision.policy import POLICIES
from passes.precision.policy_file import ReadTree
from passes.precision.policy_table import policy_table
from passes.precision.report_file import telling
from passes.registry import load_all
from passes.report import pass_table, pipeline_table, run_report
from passes.session import Session, open_session
from passes.statistics_file import statistics_written
from passes.verified_model import VerifiedModel
from runtime.diagnostics import DiagnosticsError
from runtime.front_ends import FrontEnds
from runtime.functions import Module
from runtime.program_files import complain, discard_output, write_out, write_program
from runtime.text.printer import print_module


def main(
    arguments: Sequence[str] | None = None, front_ends: FrontEnds | None = None, read_tree: ReadTree | None = None
) -> int:
    """Run the command line and return its exit status.

    `front_ends` read and write files of foreign forms, `read_tree` reads the YAML of policy files.
    """
    show_traceback = False
    try:
        given = read_arguments(arguments)
        if given.run_reproducer:
            given = _arguments_of_reproducer(given)
        show_traceback = given.traceback
        if not given.list:
            return _run(given, front_ends or {}, read_tree)
        policies = (
            f"--policy\n    What runs in which float, by the kind of the operation.\n{policy_table(POLICIES.values())}"
        )
        parts = (pass_table(load_all()), pipeline_table(PIPELINES), policies)
        write_out("\n".join(part for part in parts if part) + "\n")
    except DiagnosticsError as error:
        complain(str(error))
        return 2
    except PassFailure as failure:  # a pass that cannot be loaded or made
        _tell(failure, show_traceback)
        return 1
    except BrokenPipeError:  # whoever read the output has seen enough
        discard_output()
        return 1
    return 0


def _arguments_of_reproducer(given: argparse.Namespace) -> argparse.Namespace:
    """Return the arguments that stand in a reproducer, with those that are given beside it."""
    others = [word for word in given.words if word != REPLAY]
    others.remove(given.file)
    found = read_arguments([*arguments_in(given.file), *others])
    found.policies = policies_in(given.file)
    found.beside = given
    return found


def _run(given: argparse.Namespace, front_ends: FrontEnds, read_tree: ReadTree | None) -> int:
    session = open_session(given, front_ends, read_tree)
    measured = MeasuredRun(session) if session.is_measured else None
    warning = why_models_stay(given, session.steps, session.module) or why_nothing_is_narrowed(given)
    if warning is not None:
        complain(f"passes: warning: {warning}")
    try:
        with fetching(given.file, given.output, front_ends):
            if measured is not None and given.sweep is not None:
                measured.sweep(_run_passes)
                return 0
            runs = _run_and_write(session, measured, front_ends)
    except PassFailure as failure:
        _tell(failure, given.traceback)
        if session.follow_up.is_asked_for:
            session.follow_up.after(failure, session.module)
        else:
            complain(HELP)
        return 1
    if session.is_told:
        complain(run_report(runs))
    if session.judge is not None and session.judge.found:
        complain(f"passes: {session.judge.found}")
    if given.rewrite_limit is not None:
        complain(f"passes: {session.limit.done} of at most {given.rewrite_limit} rewrites")
    return 0


def _run_and_write(session: Session, measured: MeasuredRun | None, front_ends: FrontEnds) -> tuple[PassRun, ...]:
    given = session.given
    casts = None if measured is None else measured.new_count()
    runs = _run_passes(session, casts)
    said = None if session.verified is None else _verified(session.verified, session.module)
    with ExitStack() as files:
        files.enter_context(statistics_written(given.stats, runs))
        if measured is None or casts is None:
            files.enter_context(telling(session.steps, given.report, given.output))
        else:
            report = measured.report(casts, runs)
            files.enter_context(report_written(given.report, report.text, is_printed=given.output is None))
        _write(session, front_ends)
    if said is not None:
        complain(said)
    return runs


def _verified(verified: VerifiedModel, module: Module) -> str:
    with Progress() as progress:
        progress.say("--verify: running the program before and after")
        return verified.text(module)


def _run_passes(session: Session, casts: CastCount | None) -> tuple[PassRun, ...]:
    with Progress() as progress:
        session.printing.hide_progress = progress.hide
        watching = (progress if progress.is_on else None, casts, session.printing)
        manager = PassManager(
            session.steps,
            check=session.check,
            rollback=session.follow_up.is_asked_for,  # without that, nothing is done after a failure
            explain=session.given.verbose,
            instrumentations=[each for each in watching if each is not None],
            judge=session.judge,
            limit=session.limit if session.is_limited else None,
        )
        return manager.run(session.module)


def _write(session: Session, front_ends: FrontEnds) -> None:
    output, module = session.given.output, session.module
    if output is None:
        write_out(print_module(module, elide=session.given.elide))  # all of it, before any of it is shown
    elif not write_foreign(module, output, front_ends):
        write_program(module, output)


def _tell(failure: PassFailure, show_traceback: bool) -> None:
    if show_traceback and failure.cause is not None:
        complain("".join(traceback.format_exception(failure.cause)).rstrip("\n"))
    complain(f"passes: error: {failure}")
    if failure.cause is not None and not show_traceback:
        complain("help: --traceback shows everything that was under way")
