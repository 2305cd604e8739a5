"""Whether two runs gave the same, bit for bit, and what is said of the first difference."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from runtime.comparison.outputs import first_difference


def f32(values: Any) -> Any:
    return np.asarray(values, np.float32)


@pytest.mark.parametrize(
    ("was", "found"),
    [
        ({0: f32([1, np.nan])}, {0: f32([1, np.nan])}),
        ({"t": np.zeros((0, 3), np.float32)}, {"renamed": np.zeros((0, 3), np.float32)}),
        ({0: [f32([1]), f32([2])]}, {0: (f32([1]), f32([2]))}),
        ({0: None}, {0: None}),
        ({0: np.array(["a"], object)}, {0: np.array(["a"], object)}),
        ({}, {}),
        ({0: np.float32(2)}, {0: np.float32(2)}),
    ],
)
def test_the_same(was: Any, found: Any) -> None:
    assert first_difference(was, found) is None


@pytest.mark.parametrize(
    ("was", "found", "label", "message", "differing"),
    [
        (f32([[1, 2], [3, 4]]), f32([[1, 2], [5, 6]]), "0", "[1,0] was 3.0 (0x40400000) and is 5.0 (0x40a00000)", 2),
        (f32([0.0]), f32([-0.0]), "0", "[0] was 0.0 (0x00000000) and is -0.0 (0x80000000)", 1),
        (f32([np.nan]), -f32([np.nan]), "0", "[0] was nan (0x7fc00000) and is nan (0xffc00000)", 1),
        (np.asarray([1], np.int8), np.asarray([-1], np.int8), "0", "[0] was 1 (0x01) and is -1 (0xff)", 1),
        (
            np.array([1], ml_dtypes.bfloat16),
            np.array([1.5], ml_dtypes.bfloat16),
            "0",
            "[0] was 1.0 (0x3f80) and is 1.5 (0x3fc0)",
            1,
        ),
        (f32([1]), np.asarray([1], np.float64), "0", "it was an array of float32[1] and is an array of float64[1]", 0),
        (f32([1]), f32([[1]]), "0", "it was an array of float32[1] and is an array of float32[1,1]", 0),
        (f32([1]), None, "0", "it was an array of float32[1] and is nothing", 0),
        ([f32([1])], [f32([1]), f32([1])], "0", "it was a sequence of 1 and is a sequence of 2", 0),
        ([f32([1]), f32([1, 2])], [f32([1]), f32([1, 3])], "0", "item 1: [1] was 2.0 (0x40000000) and is 3.0", 1),
        (np.array(["a"], object), np.array(["b"], object), "0", "[0] was 'a' and is 'b'", 1),
    ],
)
def test_the_first_difference(was: Any, found: Any, label: str, message: str, differing: int) -> None:
    difference = first_difference({0: was}, {0: found})
    assert difference is not None and difference.label == f"result {label}"
    assert difference.message.startswith(message) and difference.differing == differing


def test_a_tensor_has_its_name() -> None:
    difference = first_difference({0: f32([1]), "y": f32([1])}, {0: f32([1]), "y": f32([2])})
    assert difference is not None and difference.label == "%y"


@pytest.mark.parametrize(("was", "found", "label"), [(1, 2, "result 1"), (2, 1, "result 1"), (0, 1, "result 0")])
def test_more_or_fewer_outputs(was: int, found: int, label: str) -> None:
    given: list[dict[int | str, Any]] = [{at: f32([1]) for at in range(count)} for count in (was, found)]
    difference = first_difference(given[0], given[1])
    assert difference is not None and difference.label == label
    assert difference.message == f"there were {was} outputs and are {found}"
