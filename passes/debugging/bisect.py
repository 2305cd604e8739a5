"""`--bisect`: which pass, which function, which rewrite goes wrong, on the smallest program that shows it.

The first pass whose effect does not verify, or is not what it states, is known from the run itself, where each pass is
looked at. Its first bad rewrite is found by halves: with a limit of n rewrites it fails, with n - 1 it does not. Then
the program right before the pass is reduced.

Deliberately absent: rewrites of passes that do not ask `may_rewrite()` and have no hooks (`stops_at`). There each
function that is changed counts as one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from passes.debugging.reduce import Reduction, Size, reduce_program
from passes.framework.failure import PassFailure, UnsettledFailure
from passes.framework.pass_manager import Check, Judge, PassManager, Step
from passes.framework.rewrite_limit import RewriteLimit
from runtime.diagnostics import DiagnosticsError
from runtime.functions import Module
from runtime.garbage import paused_gc
from runtime.text.printer import print_module
from runtime.tracing.table import cut

_MOST_LINES = 12  # of a difference


@dataclass(frozen=True)
class Setting:
    """How a pass is run again and again: made anew each time, and looked at in the same way."""

    make: Callable[[], Sequence[Step]]
    check: Check | None
    make_judge: Callable[[Module], Judge] | None
    read: Callable[[str], Module]  # the text of a program
    said: Callable[[str], None] = lambda what: None  # what is under way


@dataclass(frozen=True)
class Rewrite:
    """The first rewrite whose effect fails. Its number counts those of the failing pass alone, from 1."""

    number: int
    function: str
    difference: tuple[str, ...]  # what it changes in the text of the program; empty where the pass fails in it


@dataclass(frozen=True)
class Bisection:
    """What was found."""

    rewrite: Rewrite | None  # None: it cannot be told apart
    reduction: Reduction
    is_read_back: bool  # whether what is left fails as text, too


def bisect(module: Module, failure: PassFailure, setting: Setting) -> Bisection | None:
    """Look for what is wrong with a pass that fails on a module; None where it does not fail when it runs alone."""
    search = _Search(module, failure, setting)
    if not search.fails(module.clone()):
        return None
    rewrite = search.first_rewrite()

    def tried(tries: int, size: Size) -> None:
        setting.said(f"reducing: try {tries}, {size}")

    reduction = reduce_program(module, search.fails, tried)
    return Bisection(rewrite, reduction, search.fails(setting.read(print_module(reduction.module))))


class _Search:
    def __init__(self, module: Module, failure: PassFailure, setting: Setting) -> None:
        self._module = module
        self._kind = _kind_of(failure)
        self._setting = setting

    def fails(self, module: Module, limit: RewriteLimit | None = None) -> bool:
        """Whether the pass fails in the same way on a module, which is changed."""
        setting = self._setting
        try:
            judge = None if setting.make_judge is None else setting.make_judge(module)
            PassManager(setting.make(), check=setting.check, rollback=False, judge=judge, limit=limit).run(module)
        except PassFailure as failure:
            return bool(_kind_of(failure) & self._kind)
        except DiagnosticsError:  # it does not verify, or cannot be run
            return False
        return False

    def first_rewrite(self) -> Rewrite | None:
        """Return the first rewrite without which the pass does not fail; None where that is not told apart."""
        counted = RewriteLimit()
        self.fails(self._copy(), counted)
        high = counted.done + 1  # what raises may not have been counted
        if not self._fails_with(high) or self._fails_with(0):
            return None
        low = 0
        while high - low > 1:
            middle = (low + high) // 2
            self._setting.said(f"looking for the rewrite: {low} to {high} of {counted.done}")
            low, high = (low, middle) if self._fails_with(middle) else (middle, high)
        last = RewriteLimit(high)
        with_it, without = self._copy(), self._copy()
        self.fails(with_it, last)
        self.fails(without, RewriteLimit(high - 1))
        return Rewrite(high, last.function or "?", _changed_lines(without, with_it))

    def _fails_with(self, most: int) -> bool:
        return self.fails(self._copy(), RewriteLimit(most))

    def _copy(self) -> Module:
        with paused_gc():
            return self._module.clone()


def _kind_of(failure: PassFailure) -> frozenset[str]:
    """Return what two failures have in common that are the same to somebody who looks for one of them."""
    if isinstance(failure, UnsettledFailure):
        return frozenset({"unsettled"})
    if failure.cause is not None:
        return frozenset({type(failure.cause).__name__})
    return frozenset(found.code for found in failure.diagnostics)


def _changed_lines(before: Module, after: Module) -> tuple[str, ...]:
    """Return the lines between the first and the last one that differ, with what stood there and what stands there."""
    try:
        old, new = (print_module(module).splitlines() for module in (before, after))
    except Exception:  # what a failing pass has left of a program may be anything
        return ()
    start = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    same = 0
    while same < min(len(old), len(new)) - start and old[-1 - same] == new[-1 - same]:
        same += 1
    gone = [f"- {cut(line.strip())}" for line in old[start : len(old) - same]]
    come = [f"+ {cut(line.strip())}" for line in new[start : len(new) - same]]
    both = set(line[2:] for line in gone) & set(line[2:] for line in come)
    lines = [line for line in (*gone, *come) if line[2:] not in both]
    more = [f"and {len(lines) - _MOST_LINES} more lines"] * (len(lines) > _MOST_LINES)
    return (*lines[:_MOST_LINES], *more)
