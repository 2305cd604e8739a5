"""Arrays without numbers have no distance: texts are equal or differ, and a shape is another one or not."""

from typing import Any

import numpy as np
import pytest

from runtime.comparison.difference import difference
from runtime.comparison.report import distance

TEXTS = np.array([["a", "b"], ["c", "d"]])


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (TEXTS.copy(), "nothing"),
        (TEXTS.astype(object), "nothing"),
        (np.array([["a", "x"], ["c", "y"]], object), "2 of 4 differ"),
        (np.array([["a", "longer"], ["c", "d"]]), "1 of 4 differ"),
        ([TEXTS], None),
        (TEXTS[0], None),
        (np.ones((2, 2)), None),
        (None, None),
    ],
)
def test_texts(found: Any, said: str | None) -> None:
    got = difference(found, TEXTS, None)
    assert (None if got is None else distance(got)) == said
    assert got is None or (got.relative, got.special) == (0, 0)


def test_a_sequence_of_texts() -> None:
    got = difference([TEXTS, TEXTS[0]], [TEXTS, np.array(["a", "z"])], None)
    assert got is not None and distance(got) == "1 of 6 differ"


def test_a_distance_whose_square_is_zero_is_one() -> None:
    got = difference(np.array([1e-200]), np.array([0.0]), None)
    assert got is not None and distance(got, ulps=False) == "relative 0, at most 1e-200"
