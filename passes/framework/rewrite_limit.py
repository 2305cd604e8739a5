"""How many rewrites may happen: what `--rewrite-limit N` and the search for the first bad rewrite stand on.

    if self.why_not_fold(copy) is not None or not self.may_rewrite():
        return False

A pass that asks `may_rewrite()` right before each rewrite is told apart rewrite by rewrite; a hook that has changed
something counts as one, asked or not. A pass that takes whole functions and never asks counts once for each function
that it changed, and says `stops_at = "function"`. When the limit is reached, no further hook is called and no further
function is taken.

Deliberately absent: any knowledge of what a rewrite is, and any cost where nobody set a limit.
"""

from __future__ import annotations


class RewriteLimit:
    """A counter that all passes of a run share: after `most` rewrites there are no more; None never stops."""

    def __init__(self, most: int | None = None) -> None:
        self.most = most
        self.done = 0
        self.function: str | None = None  # the name of the function that is being transformed

    @property
    def is_reached(self) -> bool:
        """Whether there may be no further rewrite."""
        return self.most is not None and self.done >= self.most

    def take(self) -> bool:
        """Count one rewrite, and return whether it may take place."""
        if self.is_reached:
            return False
        self.done += 1
        return True

    def settle(self, before: int, changed: bool) -> None:
        """Count what changed something without having asked since there were `before` rewrites as one of them."""
        if changed and self.done == before:
            self.done += 1
