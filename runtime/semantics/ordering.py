"""What only keeps an order: a run takes one instruction after the other, so there is nothing to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def fence(inst: Any, operands: Sequence[Any]) -> tuple[()]:
    """Give nothing, and change nothing."""
    return ()
