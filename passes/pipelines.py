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
    "clean-casts": Pipeline(
        "eliminate-dead-code, fold-casts, dtype-mutator, eliminate-casts, fold-casts, share-casts",
        "Remove what nobody uses, and every cast that another cast, or the producer of its source, makes needless.",
    ),
    "numeric-chain": Pipeline(
        "clean-casts, auto-cast-fp32, clean-casts",
        "Let f32 be narrower, let producers write what their casts ask for, and remove the casts that are left over.",
    ),
}
"""Name -> pipeline, sorted. No name is that of a pass.

The order within `clean-casts` is one after which a second run finds nothing. Dead statements are users that keep a cast
from going; a cast of a cast is folded before a producer is asked to write what the first one gives; the second
`fold-casts` drops the copies that conversions have become. `numeric-chain` cleans up in front, too: a round trip that
the program came with would otherwise keep f32 what is to be narrow, since somebody seems to have asked for it.
"""
