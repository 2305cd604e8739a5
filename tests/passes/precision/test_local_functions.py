"""Local functions that are kept: what they do with an argument, or give, keeps callers in f32 where it must."""

from typing import Any

import numpy as np
from onnx import helper

from tests.passes.precision.models import I64, F, agrees, model, node, value
from tests.passes.precision.models import converted as convert


def converted(source: Any, policy: str = "autocast-f16") -> tuple[Any, dict[str, str]]:
    return convert(source, policy, keep_functions=True)


def precisions(source: Any, policy: str = "autocast-f16") -> dict[str, str]:
    return converted(source, policy)[1]


X, Y = value("x", F, [2]), value("y", F, [2])


def function(
    name: str, inputs: list[str], outputs: list[str], nodes: list[Any], attributes: list[str] | None = None
) -> Any:
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    return helper.make_function("local", name, inputs, outputs, nodes, opsets, attributes or [])


def call(name: str, inputs: list[str], output: str, **attributes: Any) -> Any:
    return helper.make_node(name, inputs, [output], domain="local", **attributes)


DOUBLE = function("Double", ["a"], ["b"], [node("Add", ["a", "a"], "b")])
AS_INDEX = function(
    "Pick",
    ["data", "at"],
    ["b"],
    [node("Floor", ["at"], "f"), node("Cast", ["f"], "i", to=I64), node("Gather", ["data", "i"], "b")],
)
FAR = function("Far", ["a"], ["b"], [node("Exp", ["a"], "b")])
MASK = function("Mask", ["a"], ["b"], [node("Constant", [], "k", value_float=-1e12), node("Add", ["a", "k"], "b")])
SAFE = function("Safe", ["a"], ["b"], [node("Exp", ["a"], "e"), node("Tanh", ["e"], "b")])


def test_a_function_that_does_nothing_special_is_called_in_f32_and_its_result_runs_low() -> None:
    source = model(
        [node("Relu", ["x"], "a"), call("Double", ["a"], "b"), node("Neg", ["b"], "y")], [X], [Y], functions=[DOUBLE]
    )
    result, found = converted(source)
    assert found == {"a": "f16", "b": "f32", "y": "f16"}
    assert result.functions[0].SerializeToString() == source.functions[0].SerializeToString()
    agrees(source, result, 2e-3, x=np.array([0.5, -1], np.float32))


def test_an_argument_that_is_an_index_inside_stays_f32_outside() -> None:
    nodes = [node("Mul", ["x", "k"], "p"), call("Pick", ["data", "p"], "b"), node("Neg", ["b"], "y")]
    inputs = [X, value("data", F, [5000])]
    source = model(nodes, inputs, [Y], {"k": np.float32(4999)}, functions=[AS_INDEX])
    result, found = converted(source)
    assert found["p"] == "f32"
    data = np.arange(5000, dtype=np.float32) / 5000
    agrees(source, result, 1e-3, x=np.array([0.7, 0.9999], np.float32), data=data)
    nodes[1] = call("Pick", ["p", "at"], "b")  # the other argument is no index
    twin = model(nodes, [X, value("at", F, [2])], [Y], {"k": np.float32(4999)}, functions=[AS_INDEX])
    assert precisions(twin)["p"] == "f16"


def test_a_result_that_may_be_out_of_range_stays_f32_outside() -> None:
    for body, runs_in in ((FAR, "f32"), (MASK, "f32"), (SAFE, "f16"), (DOUBLE, "f16")):
        source = model([call(body.name, ["x"], "b"), node("Neg", ["b"], "y")], [X], [Y], functions=[body])
        assert precisions(source)["y"] == runs_in, body.name
    assert (
        precisions(
            model([call("Far", ["x"], "b"), node("Neg", ["b"], "y")], [X], [Y], functions=[FAR]), "autocast-bf16"
        )["y"]
        == "bf16"
    )


def test_functions_that_call_functions() -> None:
    outer = function("Outer", ["a", "data"], ["b", "c"], [call("Far", ["a"], "b"), call("Pick", ["data", "a"], "c")])
    nodes = [node("Mul", ["x", "k"], "p"), helper.make_node("Outer", ["p", "data"], ["b", "c"], domain="local")]
    nodes += [node("Neg", ["b"], "y"), node("Neg", ["c"], "z")]
    inputs, outputs = [X, value("data", F, [9])], [Y, value("z", F, [2])]
    source = model(nodes, inputs, outputs, {"k": np.float32(4)}, functions=[FAR, AS_INDEX, outer])
    found = precisions(source)
    assert (found["p"], found["y"], found["z"]) == ("f32", "f32", "f32")  # z: an operand of the call is an index


def test_an_attribute_that_the_caller_gives_is_not_known() -> None:
    inner = node("LeakyRelu", ["a"], "b")
    inner.attribute.add(name="alpha", ref_attr_name="slope", type=1)
    body = function("Leaky", ["a"], ["b"], [inner], ["slope"])
    source = model([call("Leaky", ["x"], "b", slope=1e-9), node("Neg", ["b"], "y")], [X], [Y], functions=[body])
    assert precisions(source) == {"b": "f32", "y": "f16"}  # onnx's reference cannot run such a function
