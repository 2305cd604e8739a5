"""Taking back what a failing pass did: the program as it was, and the counters.

Deliberately absent: a journal of edits. A copy of the program costs less than noting every edit of every pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from runtime.functions import Function, Module
from runtime.garbage import paused_gc
from runtime.statistics import Statistic, restore


def saved(module: Module) -> Module:
    """Return a copy of a module, for `put_back`."""
    with paused_gc():
        return module.clone()


def put_back(module: Module, copy: Module) -> None:
    """Make a module what its copy is, which is used up."""
    _functions_of(module)
    for function in _functions_of(copy):
        module.add_function(function)
    module.target, module.carried, module.signatures = copy.target, copy.carried, copy.signatures


@contextmanager
def taking_back(module: Module, copy: Module | None, counts: Mapping[Statistic, int]) -> Iterator[None]:
    """Undo what the body did where it does not come to its end, be it interrupted; without a copy nothing is undone."""
    try:
        yield
    except BaseException:
        if copy is not None:
            put_back(module, copy)
            restore(counts)
        raise


def _functions_of(module: Module) -> list[Function]:
    """Take all functions out of a module."""
    functions = list(module.functions.values())
    module.functions.clear()
    for function in functions:
        function.module = None
    return functions
