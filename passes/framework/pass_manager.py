"""`PassManager`: runs passes in order, watches over each of them, and takes back what a failing one did.

Deliberately absent: an order of its own, and repetition that nobody asked for. What is run is what is given, duplicates
included; a `Fixpoint` repeats its steps until none of them changes anything.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from passes.framework.dot_transform import DotTransform
from runtime.diagnostics import Diagnostic, DiagnosticsError, render_all
from runtime.functions import Function, Module
from runtime.statistics import Statistic, restore, snapshot, statistics_of

Check = Callable[[Module], Sequence[Diagnostic]]  # what is wrong with a program
Watcher = Callable[[DotTransform, Module], None]

MOST_ROUNDS: Final = 100


@dataclass(frozen=True)
class Fixpoint:
    """Steps that are repeated, in order, until a whole round changes nothing."""

    steps: tuple[Step, ...]


Step = DotTransform | Fixpoint


@dataclass(frozen=True)
class PassRun:
    """What one run of one pass did.

    Units: seconds of wall-clock time of the pass alone; counts in the unit of their statistic.
    """

    pass_name: str
    changed: bool
    seconds: float
    counted: tuple[tuple[Statistic, int], ...]  # how much each of the pass's counters grew


class PassFailure(Exception):
    """A pass raised, or left a program that the check refuses. This is a fault of the pass, not of the program."""

    def __init__(self, pass_name: str, diagnostics: Sequence[Diagnostic] = (), cause: Exception | None = None) -> None:
        self.pass_name = pass_name
        self.diagnostics = tuple(diagnostics)
        if cause is not None:
            text = f"the pass {pass_name} failed: {type(cause).__name__}: {cause}"
        else:
            text = f"the pass {pass_name} left a program that is wrong:\n\n{render_all(self.diagnostics)}"
        super().__init__(text)


class PassManager:
    """Runs steps on modules.

    `check` is asked before the first pass and after every pass, whatever that claims; None trusts the passes. With
    `rollback`, a failure leaves module and counters as they were before the failing pass; the functions are then
    clones, so hold on to the module and not to what is inside it.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        *,
        check: Check | None = None,
        rollback: bool = True,
        before: Watcher | None = None,
        after: Watcher | None = None,
    ) -> None:
        self.steps = tuple(steps)
        self._check = check
        self._rollback = rollback
        self._before = before
        self._after = after

    def run(self, module: Module) -> tuple[PassRun, ...]:
        """Run all steps, and return what each pass did, in order.

        Raises: DiagnosticsError where the check refuses the module that came in; PassFailure where a pass fails.
        """
        wrong = self._check(module) if self._check is not None else ()
        if wrong:
            raise DiagnosticsError(wrong)
        module.places = None  # what the passes make of the program does not stand in its text any more
        runs: list[PassRun] = []
        for step in self.steps:
            self._run_step(step, module, runs)
        return tuple(runs)

    def _run_step(self, step: Step, module: Module, runs: list[PassRun]) -> bool:
        if isinstance(step, DotTransform):
            runs.append(self._run_pass(step, module))
            return runs[-1].changed
        for earlier_rounds in range(MOST_ROUNDS):
            changes = [self._run_step(inner, module, runs) for inner in step.steps]
            if not any(changes):
                return earlier_rounds > 0
        raise PassFailure(runs[-1].pass_name, cause=RuntimeError(f"still changing after {MOST_ROUNDS} rounds"))

    def _run_pass(self, transform: DotTransform, module: Module) -> PassRun:
        counts = snapshot(statistics_of([type(transform)]))
        saved = _functions_of(module.clone()) if self._rollback else None
        if self._before is not None:
            self._before(transform, module)
        try:
            start = time.perf_counter()
            changed = transform.runOnModule(module)
            seconds = time.perf_counter() - start
            wrong = self._check(module) if self._check is not None else ()
            if wrong:
                raise PassFailure(transform.pass_name, wrong)
        except Exception as error:
            if saved is not None:
                _put_back(module, saved)
                restore(counts)
            if isinstance(error, PassFailure):
                raise
            raise PassFailure(transform.pass_name, cause=error) from error
        if self._after is not None:
            self._after(transform, module)
        counted = tuple((statistic, statistic.value - before) for statistic, before in counts.items())
        return PassRun(transform.pass_name, changed, seconds, counted)


def _functions_of(module: Module) -> list[Function]:
    """Take all functions out of a module."""
    functions = list(module.functions.values())
    module.functions.clear()
    for function in functions:
        function.module = None
    return functions


def _put_back(module: Module, functions: list[Function]) -> None:
    _functions_of(module)
    for function in functions:
        module.add_function(function)
