"""`PassManager`: runs passes in order, watches over each of them, and takes back what a failing one did.

Deliberately absent: an order of its own, and repetition that nobody asked for. What is run is what is given, duplicates
included; a `Fixpoint` repeats its steps until none of them changes anything. Also absent: a copy of the program for
each pass. The one taken before a pass serves the next pass too, unless the pass says that it has `changed` something.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from passes.framework.dot_transform import DotTransform
from passes.framework.failure import PassFailure, failure_of
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.functions import Function, Module
from runtime.garbage import paused_gc
from runtime.names import Names
from runtime.statistics import Statistic, restore, snapshot, statistics_of
from runtime.text.places import Places
from runtime.text.printer import print_statement

Check = Callable[[Module], Sequence[Diagnostic]]  # what is wrong with a program
Watcher = Callable[[DotTransform, Module], None]

MOST_ROUNDS: Final = 100


@dataclass(frozen=True)
class Fixpoint:
    """Steps that are repeated, in order, until a whole round changes nothing."""

    steps: tuple[Step, ...]


Step = DotTransform | Fixpoint


@dataclass(frozen=True)
class Kept:
    """A statement that a pass left as it is, as text."""

    statement: str
    function: str
    reason: str

    def __str__(self) -> str:
        return f"kept `{self.statement}` in @{self.function}: {self.reason}"


@dataclass(frozen=True)
class PassRun:
    """What one run of one pass did.

    Units: seconds of wall-clock time of the pass alone; counts in the unit of their statistic.
    """

    pass_name: str
    changed: bool
    seconds: float
    counted: tuple[tuple[Statistic, int], ...]  # how much each of the pass's counters grew
    kept: tuple[Kept, ...] = ()  # what the pass left as it is, with reasons, where the manager was asked to explain


@dataclass
class _Run:
    """One run of a manager, under way."""

    module: Module
    places: Places | None  # of the program that came in
    passes: list[PassRun] = field(default_factory=list)
    saved: Module | None = None  # equal to `module` as it is between passes; None: to be cloned before the next pass


class PassManager:
    """Runs steps on modules.

    `check` is asked before the first pass and after every pass, whatever that claims; None trusts the passes. With
    `rollback`, a failure leaves module and counters as they were before the failing pass; the functions are then
    clones, so hold on to the module and not to what is inside it. With `explain`, each pass is asked what it left as it
    is, and why.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        *,
        check: Check | None = None,
        rollback: bool = True,
        explain: bool = False,
        before: Watcher | None = None,
        after: Watcher | None = None,
    ) -> None:
        self.steps = tuple(steps)
        self._check = check
        self._rollback = rollback
        self._explain = explain
        self._before = before
        self._after = after

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
        for earlier_rounds in range(MOST_ROUNDS):
            changes = [self._run_step(inner, run) for inner in step.steps]
            if not any(changes):
                return earlier_rounds > 0
        raise PassFailure(run.passes[-1].pass_name, cause=RuntimeError(f"still changing after {MOST_ROUNDS} rounds"))

    def _run_pass(self, transform: DotTransform, run: _Run) -> PassRun:
        module = run.module
        counts = snapshot(statistics_of([type(transform)]))
        if self._rollback and run.saved is None:
            with paused_gc():
                run.saved = module.clone()
        if self._before is not None:
            self._before(transform, module)
        try:
            start = time.perf_counter()
            changed = transform.runOnModule(module)
            seconds = time.perf_counter() - start
            wrong = self._check(module) if self._check is not None else ()
            if wrong:
                raise PassFailure(transform.pass_name, wrong)
            kept = tuple(_kept(transform, module)) if self._explain else ()
        except Exception as error:
            failure = (
                error
                if isinstance(error, PassFailure)
                else failure_of(transform.pass_name, error, type(transform), places=run.places)
            )
            if run.saved is not None:
                _put_back(module, run.saved)
                restore(counts)
            raise failure from failure.cause
        if changed:
            run.saved = None
        if self._after is not None:
            self._after(transform, module)
        counted = tuple((statistic, statistic.value - before) for statistic, before in counts.items())
        return PassRun(transform.pass_name, changed, seconds, counted, kept)


def _kept(transform: DotTransform, module: Module) -> Iterator[Kept]:
    for function in module.functions.values():
        names = Names(function)
        for statement, reason in transform.why_kept(function):
            yield Kept(print_statement(statement, names).strip(), function.name, reason)


def _functions_of(module: Module) -> list[Function]:
    """Take all functions out of a module."""
    functions = list(module.functions.values())
    module.functions.clear()
    for function in functions:
        function.module = None
    return functions


def _put_back(module: Module, saved: Module) -> None:
    """Make a module what its clone is, which is used up."""
    _functions_of(module)
    for function in _functions_of(saved):
        module.add_function(function)
    module.target, module.carried, module.signatures = saved.target, saved.carried, saved.signatures
