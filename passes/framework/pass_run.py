"""What one run of a pass did, for reports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from passes.framework.dot_transform import DotTransform
from runtime.functions import Module
from runtime.names import Names
from runtime.statistics import Statistic
from runtime.text.printer import print_statement


@dataclass(frozen=True)
class Kept:
    """A statement that a pass left as it is, as text, or changed in a way that a reader may want to look at."""

    statement: str
    function: str
    reason: str
    is_changed: bool = False

    def __str__(self) -> str:
        did = "changed to" if self.is_changed else "kept"
        return f"{did} `{self.statement}` in @{self.function}: {self.reason}"


@dataclass(frozen=True)
class PassRun:
    """What one run of one pass did.

    Units: seconds of wall-clock time of the pass alone; counts in the unit of their statistic.
    """

    pass_name: str
    changed: bool
    seconds: float
    counted: tuple[tuple[Statistic, int], ...]  # how much each of the pass's counters grew
    kept: tuple[Kept, ...] = ()  # what the pass left as it is, or says of its changes, where it was asked to explain


def kept_by(transform: DotTransform, module: Module) -> Iterator[Kept]:
    """Yield what a pass left as it is, then what it has to say of its changes, asked after a run."""
    for function in module.functions.values():
        names = Names(function)
        for statement, reason in transform.why_kept(function):
            yield Kept(print_statement(statement, names).strip(), function.name, reason)
        for statement, reason in transform.notes_on(function):
            yield Kept(print_statement(statement, names).strip(), function.name, reason, is_changed=True)
