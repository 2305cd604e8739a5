"""Which instruction was checked against what, as a table, and which have no semantics, with the reason."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import yaml

from generated import INSTRUCTIONS
from runtime.diagnostics import did_you_mean
from runtime.instruction_set import standard
from tests.runtime.semantics.check import all_checks
from tests.tree import ROOT

REASON = "No semantics:"
"""What the paragraph of a definition's `doc` begins with that says why it has no semantics."""


def without_semantics() -> dict[str, str]:
    """Return mnemonic -> reason, empty where the definition gives none, for every instruction without semantics."""
    table = standard()
    found = [mnemonic for mnemonic in INSTRUCTIONS if table[mnemonic].INFO.semantics is None]
    infos = [table[mnemonic].INFO for mnemonic in found]
    places = [ROOT / "defs" / info.dialect / f"{info.name}.yaml" for info in infos]
    return {mnemonic: _reason(place) for mnemonic, place in zip(found, places, strict=True)}


def _reason(definition: Path) -> str:
    doc = str(yaml.safe_load(definition.read_text(encoding="utf-8")).get("doc", ""))
    return " ".join(doc.partition(REASON)[2].partition("\n\n")[0].split())


def unknown(mnemonics: Iterable[str]) -> list[str]:
    """Return what is wrong with the mnemonics among these that no instruction has, with near names."""
    wrong = [(word, did_you_mean(word, INSTRUCTIONS)) for word in mnemonics if word not in INSTRUCTIONS]
    return [f'no instruction is called "{word}"' + (f"; {near}" if near else "") for word, near in wrong]


def lines(mnemonics: Collection[str] = ()) -> Iterator[str]:
    """Return the table in Markdown, of these instructions or of all; it runs their checks."""
    chosen = set(mnemonics or INSTRUCTIONS)
    yield "| instruction | checked against | largest error | at most |"
    yield "|---|---|---|---|"
    checks = [check for check in all_checks() if check.mnemonic in chosen]
    for check in sorted(checks, key=lambda check: (check.mnemonic, check.against)):
        bound = "equal" if check.bound == 0 else f"{check.bound:.0e}"
        yield f"| `{check.mnemonic}` | {check.against} | {check.largest_error():.1e} | {bound} |"
    unchecked = chosen - {check.mnemonic for check in checks} - without_semantics().keys()
    if unchecked:
        yield ""
        yield f"no check is about {', '.join(sorted(unchecked))}"
    yield ""
    yield "| instruction without semantics | reason |"
    yield "|---|---|"
    for mnemonic, reason in without_semantics().items():
        if mnemonic in chosen:
            yield f"| `{mnemonic}` | {reason} |"
