"""The rules of compatibility, each held by an experiment: the verdict on a change is what happens in fact.

Texts and records are written by the classes of before and read by those of now, on the real runtime. What passes and
engines make of a change (`BEHAVIOUR`) is nothing that reading shows.
"""

from pathlib import Path

import pytest

from brewer.meaning.rules import RULES, Effect
from brewer.meaning.said import comparison_lines
from tests.brewer.two_sides import Case, comparison_of, observe, parsed
from tests.case_files import read_case_files

CASES = [parsed(file) for file in read_case_files(Path(__file__).parent / "compatibility", "#")]
SEEN = Effect.TEXT | Effect.BIR | Effect.PRINT | Effect.VERIFY | Effect.PYTHON | Effect.VERSION


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.file.path.stem)
def test_what_is_said_happens(case: Case, update: bool) -> None:
    comparison, before, now = comparison_of(case.file.path)
    case.file.check("\n".join(comparison_lines(comparison, comparison.differences)) + "\n", update)
    if case.programs:
        observed = observe(case, before, now)
        # Of a text that is refused, nobody can say how it prints and what the verifier thinks of it.
        judged = SEEN & ~(Effect.PRINT | Effect.VERIFY) if Effect.TEXT in observed else SEEN
        assert comparison.effect & judged == observed & judged


def test_every_rule_has_a_case() -> None:
    shown: set[str] = set()
    for case in CASES:
        comparison, _, _ = comparison_of(case.file.path)
        changes = [change for difference in comparison.differences for change in difference.changes]
        shown |= {change.rule for change in (*changes, *comparison.vocabulary, *comparison.facts)}
    assert sorted(RULES.keys() - shown) == []
