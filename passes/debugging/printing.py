"""`--print-ir-before`, `--print-ir-after`, `--print-ir-after-change`: the program between passes, on standard error.

The name of a pipeline means its first pass before it, its last one after it, and each of them after a change. After a
change only the functions are shown that the pass has changed, whatever it says of itself.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from passes.arguments import ALL
from passes.build import known_names, step_name
from passes.framework.dot_transform import DotTransform
from passes.framework.instrumentation import PassInstrumentation
from passes.framework.pass_manager import Step, passes_of
from runtime.diagnostics import Diagnostic, DiagnosticsError, did_you_mean, either
from runtime.functions import Module
from runtime.program_files import complain
from runtime.text.printer import print_function, write_module

EVERY_PASS = ("*",)


@dataclass
class Printing(PassInstrumentation):
    """What is printed: for each option the names of passes and pipelines, `*` for all, or none."""

    before: Collection[str] = ()
    after: Collection[str] = ()
    after_change: Collection[str] = ()
    elide: int | None = None
    hide_progress: Callable[[], None] = lambda: None
    _texts: dict[str, str] = field(default_factory=dict)  # of the functions before the pass that runs

    def run_before_pass(self, transform: DotTransform, module: Module) -> None:
        if self.before:
            self._show_at("before", self.before, transform, transform.begins, module)
        if _names(self.after_change, transform, transform.pipelines):
            self._texts = self._texts or self._texts_of(module)
        else:
            self._texts = {}

    def run_after_pass(self, transform: DotTransform, module: Module) -> None:
        if _names(self.after_change, transform, transform.pipelines):
            before, self._texts = self._texts, self._texts_of(module)
            self._show_changes(transform.pass_name, before, self._texts)
        else:
            self._texts = {}
        if self.after:
            self._show_at("after", self.after, transform, transform.ends, module)

    def _show_at(
        self, where: str, chosen: Collection[str], transform: DotTransform, pipelines: Sequence[str], module: Module
    ) -> None:
        """Show the program if the pass is chosen, or pipelines that begin or end there, which are named then."""
        if not _names(chosen, transform, pipelines):
            return
        named = [name for name in pipelines if name in chosen]
        self._show(f"// {where} {', '.join([transform.pass_name, *named])}", module)

    def _show(self, title: str, module: Module) -> None:
        self.hide_progress()
        complain(title)
        if sys.stderr is not None:
            with suppress(OSError):  # as `complain`
                write_module(module, sys.stderr, elide=self.elide)

    def _show_changes(self, name: str, before: dict[str, str], after: dict[str, str]) -> None:
        changed = [text for function, text in after.items() if before.get(function) != text]
        gone = [f"// @{function} is gone" for function in before if function not in after]
        self.hide_progress()
        if changed or gone:
            complain(f"// after {name}")
            complain("\n".join([*gone, *(text.rstrip("\n") for text in changed)]))
        else:
            complain(f"// after {name}: no change")

    def _texts_of(self, module: Module) -> dict[str, str]:
        return {name: print_function(function, elide=self.elide) for name, function in module.functions.items()}


def printing_of(given: argparse.Namespace, steps: Sequence[Step]) -> Printing:
    """Return what a command line asks to be printed between passes.

    Raises: DiagnosticsError for a name that is not that of a pass or pipeline which runs.
    """
    running = list(dict.fromkeys(name for each in passes_of(steps) for name in (each.pass_name, *each.pipelines)))
    mistakes: list[Diagnostic] = []

    def chosen(value: str | None, option: str) -> Sequence[str]:
        if value is None or value == ALL:
            return () if value is None else EVERY_PASS
        names = [step_name(name.strip()) for name in value.split(",")]
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


def _names(chosen: Collection[str], transform: DotTransform, pipelines: Sequence[str]) -> bool:
    return chosen == EVERY_PASS or any(name in chosen for name in (transform.pass_name, *pipelines))
