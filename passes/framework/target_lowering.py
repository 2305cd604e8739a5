"""`TargetLowering`: a pass that knows the target and takes whole functions.

Deliberately absent: hooks by class name. A subclass overrides `transformStmts(f)`, sees the function as a whole, and
returns whether it changed it. One that asks `may_rewrite()` right before each rewrite can be stopped after any of them.
"""

from __future__ import annotations

from passes.framework.dot_transform import DotTransform
from runtime.functions import Function
from runtime.targets import Target


class TargetLowering(DotTransform):
    """A pass for one target; `target` is None where the program is to run on every target."""

    target: Target | None

    def __init__(self, target: Target | None = None, **options: object) -> None:
        super().__init__(**options)
        self.target = target

    def transformStmts(self, f: Function) -> bool:
        raise NotImplementedError(f"{type(self).__name__} does not say how it transforms a function")
