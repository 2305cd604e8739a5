"""Raising the operator set of a model: the results stay, large tensors too, and what cannot be raised is refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]
import pytest
from onnx import ModelProto, TensorProto, helper

from frontends.onnx import OperatorSetError, load, to_proto
from frontends.onnx.operator_sets import raised
from frontends.onnx.read_model import SIGNATURES
from frontends.onnx.schemas import NEWEST
from runtime.generic import Initializer
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
    module = SIGNATURES.raised(load(path), 18)
    assert not isinstance(module, str)
    kept = {one.name: one for one in to_proto(module).graph.initializer}["w"]
    assert kept.data_location == onnx.TensorProto.EXTERNAL
    assert module.root_function.operator_sets["ai.onnx"] == 18


@pytest.mark.parametrize(("mode", "scale"), [("linear", 2.0), ("nearest", 1.5), ("nearest", 3.0)])
@pytest.mark.parametrize(("operator", "opset"), [("Resize", 10), ("Upsample", 9)])
def test_images_are_sampled_as_before(operator: str, opset: int, mode: str, scale: float) -> None:
    scales = constant("s", np.array([1, 1, scale, scale], np.float32))
    ends = [value("x", shape=[1, 1, 4, 4])], [value("y", shape=["a", "b", "c", "d"])]
    source = model([node(operator, ["x", "s"], ["y"], mode=mode)], *ends, [scales], opset)
    (wanted,) = by_onnxruntime(source)
    assert all(np.allclose(by_onnxruntime(raised(source, version))[0], wanted) for version in (11, 13, 19, 22))


@pytest.mark.parametrize("scales", [(0.6, 0.6), (0.5, 2), (0.3, 1), (1, 0.75), (0.5, 0.5)])
@pytest.mark.parametrize("mode", ["linear", "nearest"])
@pytest.mark.parametrize("as_node", [False, True])
def test_fewer_elements_are_those_of_before(scales: tuple[float, float], mode: str, as_node: bool) -> None:
    held = constant("s", np.array([1, 1, *scales], np.float32))
    nodes = [node("Resize", ["x", "s"], ["y"], mode=mode)]
    if as_node:
        nodes.insert(0, node("Constant", [], ["s"], value=held))
    ends = [value("x", shape=[1, 1, 4, 4])], [value("y", shape=["a", "b", "c", "d"])]
    source = model(nodes, *ends, [] if as_node else [held], 10)
    (wanted,) = by_onnxruntime(source)
    assert all(np.array_equal(by_onnxruntime(raised(source, version))[0], wanted) for version in (11, 13, 22))


def test_a_model_that_onnx_itself_spoils_is_refused() -> None:
    ends = [value("x", shape=[1, 2, 4, 4])], [value("y", shape=[1, 2, 4, 4])]
    source = model([node("MeanVarianceNormalization", ["x"], ["y"])], *ends, opset=9)
    onnx.checker.check_model(source, full_check=True)
    assert raised(source, 12).opset_import[0].version == 12
    with pytest.raises(OperatorSetError, match="onnx refuses what it makes of it in operator set 13: .*Constant"):
        raised(source, 13)  # whose function it cannot check


def test_two_ways_to_sample_are_refused() -> None:
    scales = constant("s", np.array([1, 1, 0.6, 1.5], np.float32))
    ends = [value("x", shape=[1, 1, 4, 4])], [value("y", shape=["a", "b", "c", "d"])]
    with pytest.raises(OperatorSetError, match="one axis longer, another one shorter as y does"):
        raised(model([node("Resize", ["x", "s"], ["y"], mode="nearest")], *ends, [scales], 10), 13)


def by_onnxruntime(source: ModelProto) -> list[np.ndarray]:
    session = onnxruntime.InferenceSession(source.SerializeToString(), providers=["CPUExecutionProvider"])
    return list(session.run(None, {"x": X.reshape(1, 1, 4, 4)}))


def test_inputs_and_outputs_are_declared_as_before() -> None:
    source = convolution()
    source.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "batch"
    shape = source.graph.output[0].type.tensor_type.shape
    for at, name in enumerate(("batch", "channels", "height", "width")):
        shape.dim[at].dim_param = name
    source.graph.output.append(value("x", shape=["n", "h", "w"]))  # an input that is an output, under other names
    result = raised(source, 22)
    assert list(result.graph.input) == list(source.graph.input)
    assert list(result.graph.output) == list(source.graph.output)


def test_what_is_added_in_branches_has_a_name_of_its_own() -> None:
    steps = [node("Neg", ["x"], ["u"]), node("Neg", ["u"], ["v"]), node("Neg", ["v"], ["w"])]
    inner = branches("i", [*steps, node("ReduceMean", ["w"], ["i"], axes=[0, 2])], [node("Relu", ["x"], ["i"])])
    outer = [node("ReduceMean", ["x"], ["s"], axes=[1]), *inner, node("Mul", ["s", "i"], ["o"])]
    nodes = [*branches("o", outer, [node("ReduceMin", ["x"], ["o"], axes=[1])]), node("Relu", ["o"], ["y"])]
    ends = [value("x", shape=[1, 4, 4]), value("c", TensorProto.BOOL, [])], [value("y", shape=["a", "b", "c"])]
    source = model(nodes, *ends, opset=17)
    result = raised(source, 18)
    onnx.checker.check_model(result, full_check=True)
    for case in (True, False):
        feeds = {"x": X, "c": np.array(case)}
        assert np.allclose(computed(source, **feeds)[0], computed(result, **feeds)[0])


def branches(name: str, then: list[onnx.NodeProto], other: list[onnx.NodeProto]) -> list[onnx.NodeProto]:
    """Return an `If` that gives a value which both of its branches give under the same name."""
    graphs = [helper.make_graph(nodes, "branch", [], [value(name, shape=None)]) for nodes in (then, other)]
    return [node("If", ["c"], [name], then_branch=graphs[0], else_branch=graphs[1])]


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


def test_what_the_library_cannot_convert_is_said() -> None:
    source = model([node("Nothing", ["x"], ["y"])], [value("x")], [value("y")], opset=11)
    why = SIGNATURES.raised(load(source), 22)
    assert isinstance(why, str) and why.startswith("onnx cannot convert operator set 11 to 22: ") and "Nothing" in why


def test_large_tensors_are_not_copied() -> None:
    source = convolution()
    weight = np.zeros((1 << 9, 1 << 10), np.float32)
    source.graph.initializer.append(constant("large", weight))
    module = load(source)
    result = SIGNATURES.raised(module, 22)
    assert not isinstance(result, str)
    before, after = (
        next(one.value for one in each.root_function.insts if isinstance(one, Initializer) and one.name == "large")
        for each in (module, result)
    )
    assert before is after
    assert {one.name: one for one in to_proto(result).graph.initializer}["large"] == source.graph.initializer[1]


def test_what_the_library_forgets_comes_back() -> None:
    source = convolution()
    source.ir_version = 11
    pair = onnx.StringStringEntryProto(key="k", value="v")
    unit, middle = source.graph.node[1], helper.make_tensor_value_info("c", TensorProto.FLOAT, ["n", 200, 4, 4])
    unit.doc_string = source.graph.doc_string = middle.doc_string = "a text"
    source.graph.initializer.append(constant("z", np.zeros(1, np.float32)))
    source.graph.initializer[-1].doc_string = "a text"
    for one in (source, source.graph, unit):
        one.metadata_props.append(pair)
    source.graph.value_info.append(middle)
    source.graph.quantization_annotation.add(tensor_name="c").quant_parameter_tensor_names.append(pair)
    source.training_info.add().algorithm.name = "t"
    result = raised(source, 22)
    found = next(one for one in result.graph.node if one.op_type == "Conv")
    assert found.doc_string == "a text" and list(found.metadata_props) == [pair]
    assert result.graph.doc_string == "a text" and list(result.graph.metadata_props) == [pair]
    assert next(one for one in result.graph.value_info if one.name == "c") == middle
    assert next(one for one in result.graph.initializer if one.name == "z").doc_string == "a text"
    assert result.graph.quantization_annotation == source.graph.quantization_annotation
    assert result.training_info == source.training_info and list(result.metadata_props) == [pair]


def test_sparse_weights_come_back() -> None:
    held = helper.make_sparse_tensor(constant("s", np.array([2.5], np.float32)), constant("", np.array([1])), [4])
    source = model([node("Add", ["x", "s"], ["y"])], [value("x", shape=[1, 4, 4])], [value("y", shape=[1, 4, 4])])
    source.graph.sparse_initializer.append(held)
    result = raised(source, 22)
    assert list(result.graph.sparse_initializer) == [held] and result.graph.input == source.graph.input
    session = onnxruntime.InferenceSession(result.SerializeToString(), providers=["CPUExecutionProvider"])
    assert np.array_equal(session.run(None, {"x": X})[0], X + np.array([0, 2.5, 0, 0], np.float32))


def test_a_sparse_constant_is_no_error_of_python() -> None:
    held = helper.make_sparse_tensor(constant("s", np.array([2.5], np.float32)), constant("", np.array([1])), [4])
    nodes = [node("Constant", [], ["s"], sparse_value=held), node("Add", ["x", "s"], ["y"])]
    with pytest.raises(OperatorSetError, match="Sparse tensors not supported"):
        raised(model(nodes, [value("x", shape=[1, 4, 4])], [value("y", shape=[1, 4, 4])]), 22)


@pytest.mark.parametrize("is_inside", [False, True])
def test_operators_that_mean_something_else_later_are_refused(is_inside: bool) -> None:
    """Of Hardmax, GroupNormalization and Scan the library changes the version, and leaves the node as it is."""
    ends = [value("x", shape=[1, 4, 4])], [value("y", shape=[1, 4, 4])]

    def built(one: onnx.NodeProto, opset: int, constants: Sequence[TensorProto] = ()) -> ModelProto:
        nodes, more = [one], []
        if is_inside:
            nodes, more = branches("y", [one], [node("Relu", ["x"], ["y"])]), [value("c", TensorProto.BOOL, [])]
        return model(nodes, [*ends[0], *more], ends[1], list(constants), opset)

    for axis, is_last in ((1, False), (2, True), (-1, True)):
        source = built(node("Hardmax", ["x"], ["y"], axis=axis), 12)
        if is_last:
            feeds = {"x": X, **({"c": np.array(True)} if is_inside else {})}
            assert np.array_equal(computed(raised(source, 13), **feeds)[0], X.max(axis=2, keepdims=True) == X)
        else:
            with pytest.raises(OperatorSetError, match="Hardmax y goes along one axis since operator set 13"):
                raised(source, 22)
    halves = [constant("s", np.array([1, 2], np.float32)), constant("b", np.array([0, 1], np.float32))]
    source = built(node("GroupNormalization", ["x", "s", "b"], ["y"], num_groups=2), 18, halves)
    with pytest.raises(OperatorSetError, match="GroupNormalization y has a scale and a bias for each channel"):
        raised(source, 22)
    ends_of_body = [value("a", shape=[4])], [value("b", shape=[4])]
    body = helper.make_graph([node("Relu", ["a"], ["b"])], "body", *ends_of_body)
    with pytest.raises(OperatorSetError, match="Scan y has no batch since operator set 9"):
        raised(built(node("Scan", ["", "x"], ["y"], num_scan_inputs=1, body=body), 8), 22)
