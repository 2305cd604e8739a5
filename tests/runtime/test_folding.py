"""What small constants give when they are computed with; expected values by hand."""

from typing import Any

import numpy as np
import pytest

from runtime.dtypes import DType, f16, f32, i64
from runtime.folding import ARITHMETIC, ARRANGEMENTS, arrange, fold
from runtime.types import Shape, Type

CASES: dict[str, tuple[list[Any], Any]] = {
    "absolute": ([[-2.0, 3.0]], [2.0, 3.0]),
    "add": ([[1.0], [2.0], [4.0]], [7.0]),
    "convert": ([[2.75, -2.75]], [2, -2]),
    "divide": ([[1.0, 3.0], 4.0], [0.25, 0.75]),
    "exp": ([0.0], 1.0),
    "log": ([1.0], 0.0),
    "maximum": ([[1.0, 5.0], 2.0, 3.0], [3.0, 5.0]),
    "minimum": ([[1.0, 5.0], 2.0, 3.0], [1.0, 2.0]),
    "multiply": ([[2.0, 3.0], [4.0, 5.0]], [8.0, 15.0]),
    "negative": ([[2.0]], [-2.0]),
    "power": ([2.0, -3.0], 0.125),
    "reciprocal": ([[4.0]], [0.25]),
    "relu": ([[-2.0, 3.0]], [0.0, 3.0]),
    "same": ([[1.0, 2.0]], [[1.0], [2.0]]),
    "select": ([[1.0, 0.0], [2.0, 3.0], 4.0], [2.0, 4.0]),
    "sqrt": ([6.25], 2.5),
    "subtract": ([[1.0], [0.75]], [0.25]),
}


def folded(word: str, operands: list[Any], dtype: DType = f32, shape: Shape | None = None) -> Any:
    return fold(word, [np.asarray(one, np.float32) for one in operands], Type.tensor(dtype, shape))


@pytest.mark.parametrize("word", sorted(ARITHMETIC))
def test_each_word(word: str) -> None:
    operands, expected = CASES[word]
    found = folded(word, operands, i64 if word == "convert" else f32, (2, 1) if word == "same" else None)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("word", ["compare", "equal", "order", "periodic", "round", "square"])
def test_of_other_words_nothing_is_told(word: str) -> None:
    assert folded(word, [1.0]) is None


def test_results_are_in_the_dtype_of_the_program() -> None:
    assert folded("multiply", [1e-30, 1e-30]) == 0 and folded("multiply", [1e-30, 1e-30]).dtype == np.float32
    assert folded("convert", [65520.0], f16) == np.inf
    assert folded("divide", [1.0, 0.0]) == np.inf  # and nothing is said about it


def test_what_cannot_be_told() -> None:
    assert folded("add", [[1.0, 2.0], [1.0, 2.0, 3.0]]) is None  # shapes that do not fit
    assert folded("same", [[1.0, 2.0]], f32, None) is None  # in which order is not known
    assert folded("same", [[1.0, 2.0]], f32, ("n", 1)) is None
    assert fold("divide", [np.array(7), np.array(2)], Type.tensor(i64, ())) is None  # integers round in their own way
    assert folded("same", [[3.0]], f32, (4, 4)).shape == ()  # one element that is repeated is still one
    assert folded("same", [[1.0, 2.0]], f32, (3, 2)).tolist() == [[1, 2]] * 3
    assert folded("same", [[1.0, 2.0]], f32, (4,)) is None and folded("same", [[1.0, 2.0]], f32, (4096, 2)) is None


TABLE = np.arange(6, dtype=np.float32).reshape(2, 3)
ARRANGED: dict[str, list[tuple[list[Any], dict[str, Any], Any]]] = {
    "concatenate": [
        ([TABLE, TABLE], {"axis": 0}, [[0, 1, 2], [3, 4, 5]] * 2),
        ([TABLE, TABLE[:, :1]], {"axis": -1}, [[0, 1, 2, 0], [3, 4, 5, 3]]),
        ([TABLE, TABLE[0]], {"axis": 0}, None),
    ],
    "gather": [
        ([TABLE, np.array(1)], {}, [3, 4, 5]),
        ([TABLE, np.array([[-1, 0]])], {"axis": 1}, [[[2, 0]], [[5, 3]]]),
        ([TABLE, np.array(2)], {"axis": 0}, None),
    ],
    "slice": [
        ([TABLE, np.array([1]), np.array([9])], {}, [[3, 4, 5]]),
        ([TABLE, np.array([-2]), np.array([3]), np.array([1])], {}, [[1, 2], [4, 5]]),
        ([TABLE, np.array([9, 1]), np.array([-9, 2]), np.array([1, 0]), np.array([-2, 1])], {}, [[5, 3]]),
        ([TABLE, np.array([0]), np.array([2]), None, np.array([2])], {}, [[0, 1, 2]]),
        ([TABLE], {"starts": (0, 1), "ends": (1, 3), "axes": (0, 1)}, [[1, 2]]),
        ([TABLE], {"starts": (1,), "ends": (2,)}, [[3, 4, 5]]),
        ([TABLE, None, np.array([1])], {}, None),
        ([TABLE, np.array([0]), np.array([1]), np.array([5])], {}, None),
    ],
    "transpose": [
        ([TABLE], {}, [[0, 3], [1, 4], [2, 5]]),
        ([TABLE[None]], {"perm": (1, 0, 2)}, [[[0, 1, 2]], [[3, 4, 5]]]),
        ([TABLE[None]], {"permutation": (2, 1, 0)}, [[[0], [3]], [[1], [4]], [[2], [5]]]),
        ([TABLE], {"perm": (0, 1, 2)}, None),
    ],
}


@pytest.mark.parametrize("word", sorted(ARRANGEMENTS))
def test_each_arrangement(word: str) -> None:
    for operands, attributes, expected in ARRANGED[word]:
        found = arrange(word, operands, attributes)
        assert (None if found is None else found.tolist()) == expected
    assert arrange(word, [], {}) is None and arrange("add", [TABLE, TABLE], {}) is None
