"""Patterns of names: against `fnmatch`, and a table of them against trying each."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passes.precision.name_patterns import PatternTable, fits, is_wild

NAMES = st.text("ab*?[].\n", max_size=5)


@given(NAMES, st.text("ab*?.", max_size=5))
def test_without_brackets_patterns_are_those_of_the_library(name: str, pattern: str) -> None:
    assert fits(name, pattern) == fnmatchcase(name, pattern)


@given(NAMES)
def test_a_name_is_a_pattern_of_itself(name: str) -> None:
    assert fits(name, name)


@given(st.lists(st.one_of(st.none(), NAMES), max_size=8), st.lists(NAMES, max_size=3))
def test_a_table_finds_what_trying_each_pattern_finds(patterns: list[str | None], names: list[str]) -> None:
    table = PatternTable((pattern, at) for at, pattern in enumerate(patterns))
    expected = [at for at, one in enumerate(patterns) if one is None or any(fits(name, one) for name in names)]
    assert list(table.of(names)) == expected


def test_names_are_found_without_trying_patterns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of nodes may be named, and each node asks; one regular expression each was minutes."""
    monkeypatch.setattr("passes.precision.name_patterns._pattern_of", None)
    table = PatternTable((f"layers[{at}].conv", at) for at in range(1_000))
    assert [list(table.of([f"layers[{at}].conv"])) for at in range(1_001)] == [[at] for at in range(1_000)] + [[]]
    assert not is_wild("layers[0].conv")
