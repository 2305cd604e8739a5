"""Types of what a program is given."""

from __future__ import annotations

from runtime.constants import Constant
from runtime.types import Type


def constant_type(value: Constant) -> Type:
    """Return the type of a constant."""
    return value.type
