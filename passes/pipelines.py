"""The pipelines by name: texts of passes that belong together, usable wherever the name of a pass is.

    python -m passes program.txt --passes 'numeric-chain{mode=all type=bf16}'

An option that is given to a pipeline goes to each pass in it that has an option of that name, in place of what the text
here says; one that none of them has is a mistake. A pipeline may name other pipelines.

Deliberately absent: anything but text. A pipeline is one line of the table, and does what its text does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Pipeline:
    """A pipeline that has a name."""

    text: str
    help: str


PIPELINES: Final[Mapping[str, Pipeline]] = {
    "numeric-chain": Pipeline(
        "auto-cast-fp32, dtype-mutator, eliminate-casts",
        "Let f32 be narrower, let producers write what their casts ask for, and remove the casts that are left over.",
    ),
}
"""Name -> pipeline, sorted. No name is that of a pass."""
