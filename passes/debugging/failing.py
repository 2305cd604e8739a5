"""What the command line does after a pass has failed: the reproducer, and the search for the first bad rewrite."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from passes.build import build_pipeline
from passes.debugging.bisect import Bisection, Setting, bisect
from passes.debugging.progress import Progress
from passes.debugging.reproducer import INPUTS, Reproducer, write_reproducer
from passes.framework.failure import PassFailure
from passes.framework.pass_manager import Judge, Step
from passes.model_options import add_requests
from passes.numerics.inputs import completed
from passes.numerics.judge import NumericsJudge
from passes.precision.policy_option import PolicyFiles
from passes.precision.report_file import precision_passes
from passes.precision.requests import Requests
from runtime.functions import Module
from runtime.program_files import complain, write_out
from runtime.targets import Target
from runtime.verifier import verify

HELP = "help: --reproducer DIR writes the program before this pass and the command that fails; --bisect makes it small"


@dataclass(frozen=True)
class Numerics:
    """How the numerics of a run are verified."""

    given: Mapping[str, Any] | None
    seed: int

    def judge(self, gave_up: Callable[[str], None] | None = None) -> Judge:
        """Return the judge of a run on the program that came in."""
        return NumericsJudge(self.given, seed=self.seed, gave_up=gave_up)

    def judge_part(self, module: Module) -> Judge:
        """Return the judge of a run on a part of a program, which may take other inputs."""
        given = None if self.given is None else completed(module, self.given, self.seed)
        return NumericsJudge(given, seed=self.seed, explain=False)


@dataclass(frozen=True)
class FollowUp:
    """What is asked for where a pass fails."""

    place: str | None  # where the reproducer goes
    is_bisected: bool
    target: Target | None
    is_verified: bool
    numerics: Numerics | None
    classes: Sequence[str]
    rewrite_limit: int | None
    read: Callable[[str], Module]  # the text of a program, ready for its passes
    files: PolicyFiles | None  # with policies
    requests: Requests  # of the precision pass, where there is one, for copies of the program

    @property
    def is_asked_for(self) -> bool:
        """Whether there is anything to do."""
        return self.place is not None or self.is_bisected

    def after(self, failure: PassFailure, module: Module) -> None:
        """Do it for a module that is as it was before the pass.

        Raises: DiagnosticsError where the reproducer cannot be written.
        """
        found = self._bisect(failure, module) if self.is_bisected and failure.step is not None else None
        if found is not None:
            module = found.reduction.module
        if self.place is None and found is None:
            return
        reproducer = self._reproducer(failure, module)
        if self.place is None:
            write_out(reproducer.text)
            return
        name = write_reproducer(reproducer, self.place)
        complain(f"passes: {name} has the program before the pass; python -m passes {name} --run-reproducer")

    def _bisect(self, failure: PassFailure, module: Module) -> Bisection | None:
        assert failure.step is not None
        with Progress() as progress:
            setting = Setting(
                make=partial(self._make, failure.step.pipeline_text),
                check=partial(verify, target=self.target) if self.is_verified else None,
                make_judge=None if self.numerics is None else self.numerics.judge_part,
                read=self.read,
                said=progress.say,
            )
            found = bisect(module, failure, setting)
        if found is None:
            complain("passes: bisect: the pass does not fail when it runs alone on the program before it")
            return None
        for line in _lines_of(found, failure):
            complain(line)
        return found

    def _make(self, pipeline: str) -> tuple[Step, ...]:
        """Return steps that failed, made anew."""
        files = None if self.files is None else self.files.of_texts()
        steps = build_pipeline(pipeline, self.target, files=files)
        for transform in precision_passes(steps):
            add_requests(transform, self.requests)
        return steps

    def _asked(self, step: Step) -> list[str]:
        """Return the options for what is asked of a precision pass beside its own options, where a step has one."""
        if not any(precision_passes((step,))):
            return []
        words = [f"--keep={_in_one_line(pattern)}" for pattern in (*self.requests.keep, *sorted(self.requests.exact))]
        return words if self.requests.keep_io else [*words, "--no-keep-io"]

    def _reproducer(self, failure: PassFailure, module: Module) -> Reproducer:
        assert failure.step is not None
        limit = None if self.rewrite_limit is None else self.rewrite_limit - failure.rewrites_before
        arguments = ["--passes", failure.step.pipeline_text, *self._asked(failure.step)]
        arguments += [word for name in self.classes for word in ("--classes", name)]
        arguments += [] if self.is_verified else ["--no-check"]
        arguments += [] if limit is None else ["--rewrite-limit", str(limit)]
        inputs = None
        if self.numerics is not None and self.numerics.given is not None:
            inputs = completed(module, self.numerics.given, self.numerics.seed)
            arguments.append(INPUTS)
        elif self.numerics is not None:
            arguments += ["--verify-numerics", "--seed", str(self.numerics.seed)]
        policies = {} if self.files is None else self.files.texts_of(failure.step.pipeline_text)
        return Reproducer(failure.pass_name, module, arguments, str(failure), inputs, policies)


def _in_one_line(pattern: str) -> str:
    """Return a pattern in which any character stands for one that a line of text cannot hold."""
    return "".join(each if each.isprintable() else "?" for each in pattern)


def _lines_of(found: Bisection, failure: PassFailure) -> list[str]:
    assert failure.step is not None
    lines = [f"passes: bisect: {failure.step.pipeline_text} is the first whose effect fails"]
    one, reduction = found.rewrite, found.reduction
    if one is None:
        lines.append("passes: bisect: its rewrites are not told apart: it does not count them, or fails without any")
    else:
        total = failure.rewrites_before + one.number
        lines.append(f"passes: bisect: its rewrite {one.number}, in @{one.function}, is the first that fails:")
        lines.append(f"    --rewrite-limit {total} fails, --rewrite-limit {total - 1} does not")
        lines += [f"    {line}" for line in one.difference]
    cut = f"cut from {reduction.before} down to {reduction.after}, in {reduction.tries} tries"
    early = "" if reduction.is_complete else "; stopped early, since more tries would take too long"
    as_text = (
        [] if found.is_read_back else ["passes: bisect: what is left does not fail when it is read back from text"]
    )
    return [*lines, f"passes: bisect: {cut}{early}", *as_text]
