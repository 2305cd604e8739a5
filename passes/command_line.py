"""The command line of the passes: read a program, run a pipeline, print what came of it."""

from __future__ import annotations

import argparse
import traceback
from collections.abc import Sequence

from passes.arguments import read_arguments
from passes.debugging.failing import HELP
from passes.debugging.progress import Progress
from passes.debugging.reproducer import REPLAY, arguments_in
from passes.foreign_files import FrontEnds, fetching, write_foreign
from passes.framework.failure import PassFailure
from passes.framework.pass_manager import PassManager
from passes.framework.pass_run import PassRun
from passes.pipelines import PIPELINES
from passes.precision.policy_file import ReadTree
from passes.precision.report_file import telling
from passes.registry import load_all
from passes.report import pass_table, pipeline_table, run_report
from passes.session import Session, open_session
from passes.statistics_file import statistics_written
from runtime.diagnostics import DiagnosticsError
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
        write_out("\n".join(part for part in (pass_table(load_all()), pipeline_table(PIPELINES)) if part) + "\n")
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
    return read_arguments([*arguments_in(given.file), *others])


def _run(given: argparse.Namespace, front_ends: FrontEnds, read_tree: ReadTree | None) -> int:
    session = open_session(given, front_ends, read_tree)
    try:
        with fetching(given.file, given.output, front_ends):
            runs = _run_passes(session)
            with statistics_written(given.stats, runs), telling(session.steps, given.report, given.output):
                _write(session, front_ends)
    except PassFailure as failure:
        _tell(failure, given.traceback)
        if session.follow_up.is_asked_for:
            session.follow_up.after(failure, session.module)
        else:
            complain(HELP)
        return 1
    if session.is_told:
        complain(run_report(runs))
    if given.rewrite_limit is not None:
        complain(f"passes: {session.limit.done} of at most {given.rewrite_limit} rewrites")
    return 0


def _run_passes(session: Session) -> tuple[PassRun, ...]:
    with Progress() as progress:
        session.printing.hide_progress = progress.hide
        manager = PassManager(
            session.steps,
            check=session.check,
            rollback=session.follow_up.is_asked_for,  # without that, nothing is done after a failure
            explain=session.given.verbose,
            before=session.printing.watch_before,
            after=session.printing.watch_after,
            judge=session.judge,
            limit=session.limit if session.is_limited else None,
            entered=progress.on_function if progress.is_on else None,
            begun=progress.on_pass if progress.is_on else None,
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
