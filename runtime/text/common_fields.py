"""The fields that any instruction may have in its trailing dictionary, whatever its definition says.

Deliberately absent: `engine` and `carried`, which instructions of some classes have.
"""

from __future__ import annotations

from typing import Final

CONDITIONS: Final[tuple[str, ...]] = ("predicates", "mark", "dependencies")
"""Those that say when an instruction runs, in the order of print."""

SET_BEHIND: Final[tuple[str, ...]] = (*CONDITIONS, "rounding", "keep_alu_dtype")
"""Those that no constructor takes: they are set when the instruction is there."""

COMMON: Final[tuple[str, ...]] = (*SET_BEHIND, "loc")
"""All of them."""
