"""Differences between a value and what was reduced from it stay f32, on operands that are not narrowed first."""

from typing import Any

import numpy as np
import pytest

from passes.precision.reasons import Rule
from tests.passes.precision.models import F, agrees, chain, convert, converted, model, node, precisions, value

MAX = node("ReduceMax", ["x"], "m", axes=[-1], keepdims=1)
EXP = node("Exp", ["d"], "e")
REST = [EXP, node("ReduceSum", ["e", "last"], "s", keepdims=1), node("Div", ["e", "s"], "y")]
LAST = {"last": np.array([-1])}


@pytest.mark.parametrize("policy", ["autocast-f16", "autocast-bf16"])
def test_a_softmax_of_large_values(policy: str) -> None:
    """Rounded to f16, numbers around 10,000 are multiples of 8."""
    source = chain(MAX, node("Sub", ["x", "m"], "d"), *REST, constants=LAST)
    result, found = converted(source, policy)
    assert found["d"] == "f32"
    agrees(source, result, 5e-3, x=np.array([[0, 1, 2, 3], [10000, 10001, 10002, 10003]], np.float32))


def test_a_normalization_of_large_values() -> None:
    nodes = [
        node("ReduceMean", ["x"], "u", axes=[-1]),
        node("Sub", ["x", "u"], "d"),
        node("Mul", ["d", "d"], "q"),
        node("ReduceMean", ["q"], "v", axes=[-1]),
        node("Add", ["v", "k"], "w"),
        node("Sqrt", ["w"], "s"),
        node("Div", ["d", "s"], "y"),
    ]
    source = chain(*nodes, constants={"k": np.float32(1e-5)})
    result, found = converted(source)
    assert found["d"] == "f32"
    agrees(source, result, 5e-3, x=np.array([[0, 1, 2, 3], [10000, 10001, 10002, 10003]], np.float32))


WAYS: dict[str, list[Any]] = {
    "reduction first": [MAX, node("Sub", ["m", "x"], "d")],
    "reshaped": [MAX, node("Reshape", ["m", "shape"], "r"), node("Sub", ["x", "r"], "d")],
    "expanded": [MAX, node("Expand", ["m", "shape2"], "r"), node("Sub", ["x", "r"], "d")],
    "a sum, divided": [
        node("ReduceSum", ["x", "last"], "m", keepdims=1),
        node("Div", ["m", "four"], "r"),
        node("Sub", ["x", "r"], "d"),
    ],
    "of another spelling of x": [
        node("Identity", ["x"], "i"),
        node("ReduceMax", ["i"], "m", axes=[-1]),
        node("Sub", ["x", "m"], "d"),
    ],
    "of another spelling of the operand": [MAX, node("Identity", ["x"], "i"), node("Sub", ["i", "m"], "d")],
    "logarithm of a sum of exponentials": [
        node("Exp", ["x"], "g"),
        node("ReduceSum", ["g", "last"], "m", keepdims=1),
        node("Log", ["m"], "r"),
        node("Sub", ["x", "r"], "d"),
    ],
}


@pytest.mark.parametrize("name", WAYS)
def test_ways_to_say_it(name: str) -> None:
    constants = {"shape": np.array([2, 1]), "shape2": np.array([2, 4]), "four": np.float32(4), **LAST}
    source = chain(*WAYS[name], node("Relu", ["d"], "y"), constants=constants)
    _, report = convert(source)
    assert {line.value: line.rule for line in report.lines}["d"] is Rule.CENTRING
    assert {line.value: line.precision for line in report.lines}["y"] == "f16"  # the difference may be narrowed


TWINS: dict[str, list[Any]] = {
    "of another value": [
        node("Relu", ["z"], "o"),
        node("ReduceMax", ["o"], "m", axes=[-1]),
        node("Sub", ["x", "m"], "d"),
    ],
    "of an input": [node("ReduceMax", ["z"], "m", axes=[-1]), node("Sub", ["x", "m"], "d")],
    "a sum": [MAX, node("Add", ["x", "m"], "d")],
    "a product": [MAX, node("Mul", ["x", "m"], "d")],
    "no reduction": [node("Relu", ["x"], "m"), node("Sub", ["x", "m"], "d")],
    "from a function of it": [MAX, node("Relu", ["x"], "o"), node("Sub", ["o", "m"], "d")],
    "from a mixture": [
        node("Add", ["x", "z"], "o"),
        node("ReduceMax", ["o"], "m", axes=[-1]),
        node("Sub", ["x", "m"], "d"),
    ],
    "with a constant": [node("Sub", ["x", "k"], "d")],
}


@pytest.mark.parametrize("name", TWINS)
def test_twins_run_low(name: str) -> None:
    inputs, outputs = [value("x", F, [2, 4]), value("z", F, [2, 4])], [value("y", F, [2, 4])]
    source = model([*TWINS[name], node("Relu", ["d"], "y")], inputs, outputs, {"k": np.float32(4)})
    assert precisions(source)["d"] == "f16"


def test_what_is_low_already_is_widened_once_for_both() -> None:
    nodes = [node("MatMul", ["x", "w"], "a"), node("ReduceMax", ["a"], "m", axes=[-1]), node("Sub", ["a", "m"], "d")]
    source = chain(*nodes, *REST, constants={"w": np.eye(4, dtype=np.float32), **LAST})
    result, found = converted(source)
    assert (found["a"], found["d"]) == ("f16", "f32")
    assert [n.input[0] for n in result.graph.node if n.op_type == "Cast"] == ["x", "a", "m"]
