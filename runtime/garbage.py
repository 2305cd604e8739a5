"""Pausing Python's cyclic garbage collector while many instructions are created."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_gc() -> Iterator[None]:
    """Pause the collector for the body, and put it back as it was, exceptions included; may be nested.

    The collector walks all live objects again and again while they only grow: building a million instructions takes
    several times as long with it (bench/RESULTS.md). What was made in the body and is still there is old when it
    ends: as young objects all of it would be walked at once, which is a tenth of the time of a pass.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            _let_grow_old()
            gc.enable()


def _let_grow_old() -> None:
    """Make all objects old, without a look at them; not where somebody keeps objects from the collector."""
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
