"""Types of what control flow gives, where they are not simply those of operands."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.types import Type


def scan_items_type(items: Sequence[Type], xs_index: int) -> Type:
    """Return the type of one of the operands that have an item for each round."""
    return items[xs_index] if 0 <= xs_index < len(items) else Type.tensor(None, None)
