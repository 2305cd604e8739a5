"""What is to be exact, found by few runs: of errors that are known by formula."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passes.precision.cheapest import cheapest


def test_nothing_is_needed() -> None:
    found = cheapest([True, False], lambda kept: 1.0)
    assert found is not None and (found.kept, found.error, found.runs) == (frozenset(), 1.0, 1)


def test_nothing_is_enough() -> None:
    assert cheapest([True, False], lambda kept: 1.1) is None
    assert cheapest([], lambda kept: 1.1) is None


@pytest.mark.parametrize("culprit", [0, 1, 17, 63, 99])
def test_one_culprit_is_found(culprit: int) -> None:
    found = cheapest([at % 3 == 0 for at in range(100)], lambda kept: 0.5 if culprit in kept else 7.0)
    assert found is not None and found.kept == {culprit} and found.runs <= 60


def test_few_culprits_are_found() -> None:
    found = cheapest([True] * 1000, lambda kept: float(len({7, 400, 941} - kept)) + 0.5)
    assert found is not None and found.kept == {7, 400, 941}


def test_light_units_go_first() -> None:
    """Ten errors of 0.5 add up in squares to 1.58; at most four may be left, and those of the light ones cost least."""
    heavy = [at % 2 == 0 for at in range(10)]
    found = cheapest(heavy, lambda kept: sqrt((10 - len(kept)) * 0.25))
    assert found is not None and len(found.kept) == 6 and sum(heavy[at] for at in found.kept) == 1


def test_runs_are_limited() -> None:
    calls = []

    def error(kept: frozenset[int]) -> float:
        calls.append(kept)
        return (1000 - len(kept)) / 500

    found = cheapest([False, True] * 500, error, most_runs=60)
    assert found is not None and found.error <= 1 and len(calls) == found.runs <= 61
    assert len(set(calls)) == len(calls)  # nothing is measured twice


@given(
    st.lists(st.tuples(st.booleans(), st.floats(0, 2)), max_size=12),
    st.floats(0, 0.5),
    st.sampled_from(["squares", "largest", "sum"]),
)
def test_what_is_found_holds_and_needs_all_that_is_kept(
    units: list[tuple[bool, float]], floor: float, way: str
) -> None:
    def error(kept: frozenset[int]) -> float:
        left = [size for at, (_, size) in enumerate(units) if at not in kept]
        return (
            floor
            + {
                "squares": sqrt(sum(size * size for size in left)),
                "largest": max(left, default=0.0),
                "sum": sum(left),
            }[way]
        )

    found = cheapest([is_heavy for is_heavy, _ in units], error)
    assert found is not None and found.error == error(found.kept) <= 1
    assert all(error(found.kept - {at}) > 1 for at in found.kept)
