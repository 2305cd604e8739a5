"""The examples of definitions that are whole programs, for every test that runs them.

`examples` is one text or a list of texts; a text is a program, or a single line, `%r: f32[2] = tensor_copy %a`.

Deliberately absent: single lines. They do not say what type their operands have, so there is nothing to run.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import yaml

from tests.tree import ROOT

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STARTS = ("func ", "target ")


def programs_among(examples: str | Iterable[str] | None) -> list[str]:
    """Return the programs among what a definition has under `examples`, as the printer writes them."""
    texts = [examples] if isinstance(examples, str) else examples or ()
    return [f"{text.rstrip()}\n" for text in texts if text.startswith(_STARTS)]


def programs_of(dialect: str, name: str) -> list[str]:
    """Return the programs that the definition of an instruction has as examples."""
    return programs_in(ROOT / "defs" / dialect / f"{name}.yaml")


def programs_in(definition: Path) -> list[str]:
    """Return the programs that the file of a definition has as examples."""
    return programs_among(yaml.load(definition.read_text(encoding="utf-8"), _LOADER).get("examples"))
