"""What is computed in less time has the bits of `onnx.reference`, and what a shortcut is not made for goes there."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import helper
from onnx.reference import ReferenceEvaluator

from frontends.onnx.shortcuts import SHORTCUTS, shortcut

RANDOM = np.random.default_rng(7)


def of_reference(op_type: str, attributes: dict[str, Any], values: list[NDArray[Any]]) -> NDArray[Any]:
    names = [f"i{at}" for at in range(len(values))]
    node = helper.make_node(op_type, names, ["y"], **attributes)
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in zip(names, values, strict=True)
    ]
    graph = helper.make_graph([node], "g", inputs, [helper.make_empty_tensor_value_info("y")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    (result,) = ReferenceEvaluator(model).run(None, dict(zip(names, values, strict=True)))
    return np.asarray(result)


def normal(*shape: int) -> NDArray[np.float32]:
    return RANDOM.standard_normal(shape).astype(np.float32)


WITH_INFINITIES = normal(1, 3, 9, 9)
WITH_INFINITIES[0, 1, 2:5] = -np.inf
WITH_INFINITIES[0, 0, 3, 3] = np.inf

TAKEN: dict[str, tuple[str, dict[str, Any], list[NDArray[Any]]]] = {
    "pointwise": ("Conv", {}, [normal(1, 64, 14, 14), normal(32, 64, 1, 1)]),
    "pointwise in f64": ("Conv", {}, [normal(1, 8, 5, 5).astype(float), normal(4, 8, 1, 1).astype(float)]),
    "pointwise with bias": ("Conv", {"kernel_shape": [1, 1]}, [normal(1, 5, 7, 3), normal(6, 5, 1, 1), normal(6)]),
    "pointwise with strides": ("Conv", {"strides": [2, 3]}, [normal(1, 16, 15, 14), normal(8, 16, 1, 1)]),
    "pointwise of one dimension": ("Conv", {"pads": [0, 0]}, [normal(1, 16, 15), normal(8, 16, 1)]),
    "kernel": ("Conv", {}, [normal(1, 4, 5, 5), normal(4, 4, 3, 3)]),
    "kernel in f64": ("Conv", {"pads": [1] * 4}, [normal(2, 3, 6, 5).astype(float), normal(4, 3, 2, 3).astype(float)]),
    "kernel with bias": ("Conv", {"kernel_shape": [3, 5]}, [normal(1, 16, 30, 31), normal(24, 16, 3, 5), normal(24)]),
    "kernel with bias of one": ("Conv", {}, [normal(1, 5, 9, 9), normal(1, 5, 3, 3), normal(1)]),
    "kernel with pads and strides": (
        "Conv",
        {"pads": [0, 1, 2, 3], "strides": [2, 3]},
        [normal(1, 8, 20, 21), normal(6, 8, 3, 3), normal(6)],
    ),
    "kernel of many images": ("Conv", {"pads": [1] * 4}, [normal(5, 7, 12, 11), normal(9, 7, 3, 3), normal(9)]),
    "kernel in groups": ("Conv", {"group": 4, "pads": [1] * 4}, [normal(2, 8, 9, 9), normal(12, 2, 3, 3), normal(12)]),
    "kernel of each channel": ("Conv", {"group": 32}, [normal(1, 32, 14, 14), normal(32, 1, 5, 5)]),
    "kernel of one dimension": ("Conv", {"strides": [3]}, [normal(1, 1, 400), normal(16, 1, 25)]),
    "kernel of three dimensions": ("Conv", {"pads": [1] * 6}, [normal(1, 3, 5, 6, 7), normal(4, 3, 3, 3, 3)]),
    "pointwise of many images": ("Conv", {}, [normal(3, 16, 7, 7), normal(8, 16, 1, 1)]),
    "pointwise with pads": ("Conv", {"pads": [1] * 4}, [normal(1, 4, 5, 5), normal(4, 4, 1, 1)]),
    "pointwise in groups": ("Conv", {"group": 2}, [normal(1, 16, 7, 7), normal(8, 8, 1, 1), normal(8)]),
    "pool": ("MaxPool", {"kernel_shape": [2, 2], "strides": [2, 2]}, [normal(2, 3, 9, 8)]),
    "pool with pads": ("MaxPool", {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1] * 4}, [normal(1, 3, 9, 9)]),
    "pool of infinities": ("MaxPool", {"kernel_shape": [2, 2]}, [WITH_INFINITIES]),
}


@pytest.mark.parametrize("case", TAKEN)
def test_a_shortcut_gives_the_same_bits(case: str) -> None:
    op_type, attributes, values = TAKEN[case]
    found = shortcut(op_type, attributes, values)
    expected = of_reference(op_type, attributes, values)
    assert found is not None and found.dtype == expected.dtype and found.shape == expected.shape
    assert found.tobytes() == expected.tobytes()


NAN = np.full((1, 1, 3, 3), np.nan, np.float32)
LEFT: dict[str, tuple[str, dict[str, Any], list[NDArray[Any]]]] = {
    "a dilated kernel": ("Conv", {"dilations": [2, 1]}, [normal(1, 4, 5, 5), normal(4, 4, 2, 2)]),
    "a larger kernel": ("Conv", {}, [normal(1, 4, 2, 5), normal(4, 4, 3, 3)]),
    "other channels": ("Conv", {"group": 2}, [normal(1, 4, 5, 5), normal(4, 4, 3, 3)]),
    "groups of a part": ("Conv", {"group": 2}, [normal(1, 4, 5, 5), normal(3, 2, 3, 3)]),
    "another kernel": ("Conv", {"kernel_shape": [2, 2]}, [normal(1, 4, 5, 5), normal(4, 4, 3, 3)]),
    "no image": ("Conv", {}, [normal(0, 4, 5, 5), normal(4, 4, 3, 3)]),
    "negative pads": ("Conv", {"pads": [-1, 0, 0, 0]}, [normal(1, 4, 5, 5), normal(4, 4, 3, 3)]),
    "same": ("Conv", {"auto_pad": "SAME_UPPER"}, [normal(1, 4, 5, 5), normal(4, 4, 1, 1)]),
    "NaN": ("MaxPool", {"kernel_shape": [2, 2]}, [NAN]),
    "integers": ("MaxPool", {"kernel_shape": [2, 2]}, [np.ones((1, 1, 3, 3), np.int8)]),
    "ceil": ("MaxPool", {"kernel_shape": [2, 2], "ceil_mode": 1}, [normal(1, 1, 3, 3)]),
    "dilations": ("MaxPool", {"kernel_shape": [2, 2], "dilations": [2, 2]}, [normal(1, 1, 5, 5)]),
    "one dimension": ("MaxPool", {"kernel_shape": [2]}, [normal(1, 1, 5)]),
    "a kernel too large": ("MaxPool", {"kernel_shape": [5, 5]}, [normal(1, 1, 3, 3)]),
    "nothing but pads": ("MaxPool", {"kernel_shape": [2, 2], "pads": [2, 2, 2, 2]}, [normal(1, 1, 3, 3)]),
    "uneven pads": ("MaxPool", {"kernel_shape": [3, 2], "pads": [0, 1, 2, 0]}, [normal(1, 3, 6, 5)]),
    "another operator": ("Relu", {}, [normal(1, 1)]),
}


@pytest.mark.parametrize("case", LEFT)
def test_the_rest_is_left_to_the_reference(case: str) -> None:
    assert shortcut(*LEFT[case]) is None


def test_there_is_a_case_for_each() -> None:
    assert {op_type for op_type, _, _ in TAKEN.values()} == set(SHORTCUTS)
