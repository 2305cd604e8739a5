"""Raising the operator set of a model: the results stay, large tensors too, and what cannot be raised is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, helper

from frontends.onnx import OperatorSetError, load, to_proto
from frontends.onnx.operator_sets import NEWEST, raised
from frontends.onnx.read_model import load_raised
from tests.frontends.onnx.models import computed, constant, model, node, value

X = np.linspace(-1, 1, 16, dtype=np.float32).reshape(1, 4, 4)


def convolution(opset: int = 11) -> ModelProto:
    """Return `relu(conv(unsqueeze(x), w))` with axes as an attribute, and a weight that is a large one."""
    nodes = [
        node("Unsqueeze", ["x"], ["u"], axes=[1], name="first"),
        node("Conv", ["u", "w"], ["c"], name="second", pads=[1, 1, 1, 1]),
        node("Relu", ["c"], ["y"], name="third"),
    ]
    weight = np.arange(200 * 9, dtype=np.float32).reshape(200, 1, 3, 3) / 900
    return model(
        nodes, [value("x", shape=[1, 4, 4])], [value("y", shape=[1, 200, 4, 4])], [constant("w", weight)], opset
    )


def test_a_model_is_raised_with_its_weights_and_its_results() -> None:
    source = convolution()
    result = raised(source, 22)
    onnx.checker.check_model(result, full_check=True)
    assert [one.version for one in result.opset_import] == [22] and result.ir_version >= 10
    assert [one.name for one in result.graph.input] == ["x"]
    assert {"first", "second", "third"} <= {one.name for one in result.graph.node}
    assert {one.name: one for one in result.graph.initializer}["w"] == source.graph.initializer[0]
    assert np.array_equal(computed(source, x=X)[0], computed(result, x=X)[0])


def test_data_beside_a_model_stays_there(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(convolution(), path, save_as_external_data=True, location="m.data", size_threshold=0)
    module = load_raised(path, 18)
    kept = {one.name: one for one in to_proto(module).graph.initializer}["w"]
    assert kept.data_location == onnx.TensorProto.EXTERNAL
    assert module.root_function.operator_sets["ai.onnx"] == 18


def test_a_model_of_that_version_stays_as_it_is() -> None:
    source = convolution()
    assert raised(source, 11) is source


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (10, "the model is of operator set 11, which is not lowered to 10"),
        (NEWEST + 1, f"there is no operator set {NEWEST + 1}; the newest that onnx knows is {NEWEST}"),
    ],
)
def test_versions_that_cannot_be_had(version: int, message: str) -> None:
    with pytest.raises(OperatorSetError, match=message):
        raised(convolution(), version)


def test_local_functions_cannot_be_raised() -> None:
    source = convolution()
    imports = [helper.make_opsetid("", 11)]
    source.functions.append(
        helper.make_function("own", "Twice", ["a"], ["b"], [node("Add", ["a", "a"], ["b"])], imports)
    )
    with pytest.raises(OperatorSetError, match='has local functions, such as "Twice"'):
        raised(source, 22)


def test_what_the_library_cannot_convert_is_said_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    source = model([node("Nothing", ["x"], ["y"])], [value("x")], [value("y")], opset=11)
    path.write_bytes(source.SerializeToString())
    load(source)
    with pytest.raises(OperatorSetError, match="m.onnx: onnx cannot convert operator set 11 to 22: .*Nothing"):
        load_raised(path, 22)
