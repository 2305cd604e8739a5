"""`PassInstrumentation`: sees a pass manager at work, as the class of that name in MLIR does.

    class Clock(PassInstrumentation):
        def run_before_pass(self, transform: DotTransform, module: Module) -> None: ...

    PassManager(steps, instrumentations=[Clock()]).run(module)

Several are nested: what is called first before a pass is called last after it.

Deliberately absent: a say in what happens. Who may refuse what a pass did is a `Judge` or a check of the manager.
"""

from __future__ import annotations

from passes.framework.dot_transform import DotTransform
from runtime.functions import Function, Module


class PassInstrumentation:
    """Sees every pass begin and end; this one looks away.

    After `run_before_pass` comes one of `run_after_pass` and `run_after_pass_failed`, unless the whole run is broken
    off: by the user, or by a judge who cannot tell.
    """

    def run_before_pass(self, transform: DotTransform, module: Module) -> None:
        """See a program that a pass is about to run on."""

    def run_before_function(self, transform: DotTransform, function: Function, number: int, count: int) -> None:
        """See a function that the pass comes to: `number` 1, 2, ... of `count`."""

    def run_after_pass(self, transform: DotTransform, module: Module) -> None:
        """See what a pass has made of a program, which passed all checks."""

    def run_after_pass_failed(self, transform: DotTransform, module: Module) -> None:
        """See what a failing pass has left, before that is taken back; it may break any rule of the IR."""
