"""Runs that are measured: `--report` of a pipeline, and `--sweep`, which runs it for each value of some options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from passes.framework.pass_manager import Step
from passes.framework.pass_run import PassRun
from passes.measuring.measure import CastCount, Measured, Yardstick
from passes.measuring.report_file import report_written
from passes.measuring.sweep import swept, variants
from passes.measuring.table import MeasuredReport
from passes.model_options import add_requests
from passes.numerics.inputs import chosen_inputs
from passes.precision.report_file import precision_passes
from passes.session import Session
from runtime.diagnostics import DiagnosticsError
from runtime.program_files import STREAM

RunPasses = Callable[[Session, CastCount | None], tuple[PassRun, ...]]


class MeasuredRun:
    """One command line whose passes are measured; the program is looked at before any of them has run.

    Raises: DiagnosticsError where the program has mistakes, or is given other inputs than its own.
    """

    def __init__(self, session: Session) -> None:
        wrong = session.check(session.module) if session.check is not None else ()
        if wrong:
            raise DiagnosticsError(wrong)
        self.session = session
        inputs, why_none = chosen_inputs(session.module, session.measured_on, session.given.seed or 0)
        self.yardstick = Yardstick(session.module, inputs, why_none)

    def new_count(self) -> CastCount:
        """Return the count of casts of a run that has not begun."""
        return CastCount(self.yardstick.casts)

    def report(self, casts: CastCount, runs: Sequence[PassRun]) -> MeasuredReport:
        """Return the report of the run that the command line asks for, which has changed the program."""
        return self._report([self.yardstick.measure(self.session.module, {}, casts, runs)])

    def sweep(self, run_passes: RunPasses) -> None:
        """Run the pipeline on a copy of the program for each variant, and write one report of all."""
        given = self.session.given
        session = self.session
        tried = variants(given.passes, swept(given.sweep), session.target, session.follow_up.files)
        found = [self._variant(*one, run_passes) for one in tried]
        report = self._report(found)
        with report_written(given.report or STREAM, report.text, is_printed=False):
            pass

    def _variant(self, options: Mapping[str, str], steps: tuple[Step, ...], run_passes: RunPasses) -> Measured:
        module, casts = self.session.module.clone(), self.new_count()
        for transform in precision_passes(steps):
            add_requests(transform, self.session.follow_up.requests)
        runs = run_passes(replace(self.session, module=module, steps=steps), casts)
        return self.yardstick.measure(module, options, casts, runs)

    def _report(self, found: Sequence[Measured]) -> MeasuredReport:
        given = self.session.given
        return MeasuredReport(given.file, given.passes or f"--auto-cast {given.auto_cast}", self.yardstick, found)
