"""Transformations of programs, one a file, and the framework that runs them.

`convert(module, policy)` lets a program run in mixed precision; it is loaded when it is first asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers read it; the drivers import this before they can be interrupted
if TYPE_CHECKING:
    from typing import Any

    from passes.precision.convert import convert

__all__ = ["convert"]


def __getattr__(name: str) -> Any:
    if name != "convert":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from passes.precision.convert import convert

    return convert
