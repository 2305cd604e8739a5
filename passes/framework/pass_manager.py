"""`PassManager`: runs passes in order, watches over each of them, and takes back what a failing one did.

    runs = PassManager([FoldCopies(), Fixpoint((a, b))]).run(module)
    runs = IterativePassManager([a, b], rounds=20).run(module)

Deliberately absent: an order of its own, and repetition that nobody asked for. What is run is what is given, duplicates
included; a `Fixpoint` repeats its steps until none of them changes anything. Also absent: a copy of the program for
each pass. The one taken before a pass serves the next pass too, unless the pass says that it has `changed` something.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from passes.framework.dot_transform import DotTransform
from passes.framework.failure import PassFailure, UnsettledFailure, failure_of
from passes.framework.instrumentation import PassInstrumentation
from passes.framework.pass_run import Kept, PassRun, kept_by
from passes.framework.rewrite_limit import RewriteLimit
from passes.framework.rollback import saved, taking_back
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.functions import Function, Module
from runtime.statistics import Statistic, snapshot, statistics_of, why_uncounted
from runtime.text.places import Places
from runtime.verifier import verify

Check = Callable[[Module], Sequence[Diagnostic]]  # what is wrong with a program

MOST_ROUNDS: Final = 100


@dataclass(frozen=True)
class Fixpoint:
    """Steps that are repeated, in order, until a whole round changes nothing; more than `rounds` are a failure."""

    steps: tuple[Step, ...]
    rounds: int = MOST_ROUNDS

    def __str__(self) -> str:
        names = [each.pass_name if isinstance(each, DotTransform) else str(each) for each in self.steps]
        return f"fixpoint({', '.join(names)})"

    @property
    def pipeline_text(self) -> str:
        """As it stands in a pipeline."""
        return f"fixpoint{{rounds={self.rounds}}}({', '.join(each.pipeline_text for each in self.steps)})"


Step = DotTransform | Fixpoint


class Judge:
    """Compares what a pass did to a program with what it says of itself; this one believes everything."""

    def begin(self, transform: DotTransform, module: Module, before: Module) -> None:
        """Look at a pass that is about to run on `module`, of which `before` is a copy."""

    def judge(self, transform: DotTransform, module: Module, before: Module, changed: bool) -> Sequence[Diagnostic]:
        """Return what is wrong with what the pass made of `before`, which says whether it `changed` anything.

        Raises: DiagnosticsError where nobody can tell.
        """
        return ()

    @property
    def found(self) -> str:
        """What to say where nothing was wrong."""
        return ""


@dataclass
class _Run:
    """One run of a manager, under way."""

    module: Module
    places: Places | None  # of the program that came in
    passes: list[PassRun] = field(default_factory=list)
    saved: Module | None = None  # equal to `module` as it is between passes; None: to be cloned before the next pass


class PassManager:
    """Runs steps on modules.

    `check` is asked before the first pass and after every pass, whatever that claims; it is the verifier where nothing
    else is given, and None trusts the passes. With `rollback`, a failure leaves module and counters as they were before
    the failing step; the functions are then clones, so hold on to the module and not to what is inside it. With
    `explain`, each pass is asked what it left as it is, and why. `instrumentations` see each pass before and after;
    `judge` does, too, and may refuse what it did. `limit` counts rewrites, and may stop them.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        *,
        check: Check | None = verify,
        rollback: bool = True,
        explain: bool = False,
        instrumentations: Sequence[PassInstrumentation] = (),
        judge: Judge | None = None,
        limit: RewriteLimit | None = None,
    ) -> None:
        self.steps = tuple(steps)
        self._check = check
        self._rollback = rollback
        self._explain = explain
        self._instrumentations = tuple(instrumentations)
        self._judge = judge
        self._limit = limit

    def run(self, module: Module) -> tuple[PassRun, ...]:
        """Run all steps, and return what each pass did, in order.

        Raises: DiagnosticsError where the check refuses the module that came in; PassFailure where a pass fails.
        """
        wrong = self._check(module) if self._check is not None else ()
        if wrong:
            raise DiagnosticsError(wrong)
        # What the passes make of the program does not stand in its text any more; a failure says where it came from.
        places, module.places = module.places, None
        run = _Run(module, places)
        for step in self.steps:
            self._run_step(step, run)
        return tuple(run.passes)

    def _run_step(self, step: Step, run: _Run) -> bool:
        if isinstance(step, DotTransform):
            run.passes.append(self._run_pass(step, run))
            return run.passes[-1].changed
        copy = self._copy(run) if self._rollback else None
        counts = snapshot(statistics_of([type(each) for each in passes_of(step.steps)]))
        rewrites = 0 if self._limit is None else self._limit.done
        for earlier_rounds in range(step.rounds):
            start = len(run.passes)
            changes = [self._run_step(inner, run) for inner in step.steps]
            if not any(changes):
                return earlier_rounds > 0
        failure = UnsettledFailure(str(step), step.rounds, [one.pass_name for one in run.passes[start:] if one.changed])
        failure.step, failure.rewrites_before = step, rewrites
        with taking_back(run.module, copy, counts):
            raise failure

    def _run_pass(self, transform: DotTransform, run: _Run) -> PassRun:
        counts = snapshot(statistics_of([type(transform)]))
        copy = self._copy(run) if self._rollback or self._judge is not None else None
        rewrites = 0 if self._limit is None else self._limit.done
        transform.rewrite_limit = self._limit
        transform.on_function = partial(self._enter, transform) if self._instrumentations else None
        for each in self._instrumentations:
            each.run_before_pass(transform, run.module)
        with taking_back(run.module, copy if self._rollback else None, counts):
            try:
                changed, seconds, kept = self._watched(transform, run, copy, counts)
            except PassFailure as failure:
                failure.step, failure.rewrites_before = transform, rewrites
                for each in reversed(self._instrumentations):
                    each.run_after_pass_failed(transform, run.module)
                raise
        if changed:
            run.saved = None
        for each in reversed(self._instrumentations):
            each.run_after_pass(transform, run.module)
        counted = tuple((statistic, statistic.value - before) for statistic, before in counts.items())
        return PassRun(transform.pass_name, changed, seconds, counted, kept)

    def _enter(self, transform: DotTransform, function: Function, number: int, count: int) -> None:
        for each in self._instrumentations:
            each.run_before_function(transform, function, number, count)

    def _watched(
        self, transform: DotTransform, run: _Run, copy: Module | None, counted: Iterable[Statistic]
    ) -> tuple[bool, float, tuple[Kept, ...]]:
        """Run a pass and look at what it did; `counted` are its counters.

        Raises: PassFailure; DiagnosticsError where the judge cannot tell.
        """
        module, judge = run.module, self._judge
        if judge is not None and copy is not None:
            judge.begin(transform, module, copy)
        try:
            start = time.perf_counter()
            changed = transform.runOnModule(module)
            seconds = time.perf_counter() - start
            wrong = self._check(module) if self._check is not None else ()
            if wrong:
                raise PassFailure(transform.pass_name, wrong)
            uncounted = why_uncounted(transform, counted)
            if uncounted is not None:
                raise TypeError(uncounted)
            kept = tuple(kept_by(transform, module)) if self._explain else ()
        except PassFailure:
            raise
        except Exception as error:
            raise failure_of(transform.pass_name, error, type(transform), places=run.places) from error
        if judge is not None and copy is not None:
            wrong = judge.judge(transform, module, copy, changed)
            if wrong:
                raise PassFailure(transform.pass_name, wrong, left="does not do what it says of itself")
        return changed, seconds, kept

    @staticmethod
    def _copy(run: _Run) -> Module:
        """Return a copy of the program as it is now."""
        if run.saved is None:
            run.saved = saved(run.module)
        return run.saved


class IterativePassManager(PassManager):
    """Repeats its steps, in order, until a whole round changes nothing; more than `rounds` are a failure."""

    def __init__(self, steps: Sequence[Step], *, rounds: int = MOST_ROUNDS, **watching: Any) -> None:
        if rounds < 1:
            raise ValueError(f"a program is settled after one round or more, not after {rounds}")
        super().__init__((Fixpoint(tuple(steps), rounds),), **watching)


def passes_of(steps: Iterable[Step]) -> Iterator[DotTransform]:
    """Yield the passes among steps, those that are repeated included."""
    for step in steps:
        if isinstance(step, DotTransform):
            yield step
        else:
            yield from passes_of(step.steps)
