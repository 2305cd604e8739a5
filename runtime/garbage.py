"""Pausing Python's cyclic garbage collector while many instructions are created."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_gc() -> Iterator[None]:
    """Pause the collector for the body, and put it back as it was, exceptions included; may be nested.

    The collector walks all live objects again and again while they only grow: building a million instructions takes
    several times as long with it (bench/RESULTS.md).
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
