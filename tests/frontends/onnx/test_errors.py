"""What is broken is refused with a message that says where; never with an error of Python."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import AttributeProto, ModelProto, NodeProto, TensorProto, checker, helper

from frontends.onnx import BrokenModelError, OnnxError, load, to_proto
from runtime.generic import Initializer, OnnxNode
from runtime.lazy_tensors import LazyTensor
from tests.frontends.onnx.models import BOOL, F32, chain, constant, graph, initializers_of, model, node, nodes_of, value


def refused(proto: ModelProto) -> str:
    """Return why a model is refused."""
    with pytest.raises(BrokenModelError) as caught:
        load(proto)
    return str(caught.value)


@pytest.mark.parametrize("data", [b"\xff", chain().SerializeToString()[:-3], b"not a model at all"])
def test_files_that_are_no_models(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(data)
    with pytest.raises(BrokenModelError, match="m.onnx: is no ONNX model, or not all of one"):
        load(path)


def test_an_empty_file_holds_no_graph(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(b"")
    with pytest.raises(BrokenModelError, match="m.onnx: holds no graph"):
        load(path)


def test_an_undefined_input() -> None:
    proto = model([node("Relu", ["wieght"], ["y"], name="act")], [value("weight")], [value("y")])
    assert refused(proto) == (
        'graph "graph", node "act" (ai.onnx::Relu) uses "wieght", which is not defined; did you mean "weight"?'
    )


def test_an_undefined_output() -> None:
    assert refused(model([], [value("x")], [value("y")])).startswith(
        'graph "graph": the list of outputs uses "y", which is not defined'
    )


def test_an_undefined_capture_in_a_region_without_a_name() -> None:
    inner = graph([node("Relu", ["lost"], ["t"])], outputs=[value("t")], name="then")
    nodes = [node("If", ["c"], ["y"], then_branch=inner, else_branch=inner)]
    message = refused(model(nodes, [value("c", BOOL, [])], [value("y")]))
    assert message.startswith('graph "graph" > "then", node 0 (ai.onnx::Relu) uses "lost", which is not defined')


def test_a_value_of_a_region_is_not_seen_outside() -> None:
    inner = graph([node("Relu", ["x"], ["t"])], outputs=[value("t")], name="then")
    nodes = [node("If", ["c"], ["y"], then_branch=inner, else_branch=inner), node("Neg", ["t"], ["z"], name="out")]
    message = refused(model(nodes, [value("x"), value("c", BOOL, [])], [value("z")]))
    assert message.startswith('graph "graph", node "out" (ai.onnx::Neg) uses "t", which is not defined')


def test_nodes_in_a_circle() -> None:
    nodes = [node("Add", ["x", "b"], ["a"], name="one"), node("Relu", ["a"], ["b"], name="two")]
    assert refused(model(nodes, [value("x")], [value("b")])) == (
        'graph "graph": nodes need each other in a circle: '
        'node "one" (ai.onnx::Add) -> node "two" (ai.onnx::Relu) -> node "one" (ai.onnx::Add)'
    )
    assert "in a circle: node 0 (ai.onnx::Relu) -> node 0" in refused(
        model([node("Relu", ["y"], ["y"])], [], [value("y")])
    )


def test_a_circle_through_a_region() -> None:
    inner = graph([node("Relu", ["z"], ["t"])], outputs=[value("t")])
    nodes = [node("If", ["c"], ["y"], then_branch=inner, else_branch=inner), node("Neg", ["y"], ["z"])]
    assert "in a circle: node 0 (ai.onnx::If) -> node 1 (ai.onnx::Neg)" in refused(
        model(nodes, [value("c", BOOL, [])], [value("z")])
    )


@pytest.mark.parametrize(
    ("nodes", "constants", "message"),
    [
        (
            [node("Relu", ["x"], ["x"], name="n")],
            [],
            'graph "graph", node "n" (ai.onnx::Relu): result "x": the graph has another value of that name',
        ),
        (
            [node("Relu", ["x"], ["y"]), node("Neg", ["x"], ["y"])],
            [],
            'graph "graph", node 1 (ai.onnx::Neg): result "y": the graph has another value of that name',
        ),
        ([node("TopK", ["x"], ["y", "y"])], [], "another value of that name"),
        ([], ["w", "w"], 'graph "graph": initializer "w": the graph has another value of that name'),
        ([], ["x", "x"], 'graph "graph": there are two initializers "x"'),
        ([], [""], "initializer has the name '', which is none"),
    ],
)
def test_names_that_stand_twice(nodes: list[NodeProto], constants: list[str], message: str) -> None:
    tensors = [constant(name, np.ones(2, np.float32)) for name in constants]
    assert message in refused(model(nodes, [value("x")], [value("x")], tensors))


def test_inputs_that_stand_twice_or_have_no_name() -> None:
    assert 'input "x": the graph has another value' in refused(model([], [value("x"), value("x")], []))
    assert "input has the name '', which is none" in refused(model([], [value("")], []))


def test_functions_that_call_each_other() -> None:
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    functions = [
        helper.make_function("local", name, ["a"], ["b"], [node(called, ["a"], ["b"], domain="local")], imports)
        for name, called in [("F", "G"), ("G", "H"), ("H", "G")]
    ]
    proto = model([node("F", ["x"], ["y"], domain="local")], [value("x")], [value("y")], functions=functions)
    assert refused(proto) == "local functions call each other in a circle: local::G -> local::H -> local::G"


def test_a_function_that_calls_itself_from_a_region() -> None:
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    inner = graph([node("F", ["c"], ["t"], domain="local")], outputs=[value("t")])
    body = [node("If", ["c"], ["b"], then_branch=inner, else_branch=inner)]
    function = helper.make_function("local", "F", ["c"], ["b"], body, imports)
    proto = model([], [value("x")], [value("x")], functions=[function])
    assert refused(proto) == "local functions call each other in a circle: local::F -> local::F"


def test_functions_that_stand_twice_or_use_what_is_not_there() -> None:
    function = helper.make_function("d", "F", ["a"], ["a"], [], [])
    assert refused(model([], [value("x")], [], functions=[function, function])) == "there are two local functions d::F"
    function = helper.make_function("d", "F", ["a"], ["b"], [node("Relu", ["x"], ["b"])], [])
    message = refused(model([], [value("x")], [], functions=[function]))
    assert message.startswith('function d::F, node 0 (ai.onnx::Relu) uses "x", which is not defined')


def test_negative_extents() -> None:
    assert refused(model([], [value("x", F32, [2, -7])], [])) == (
        'graph "graph", value "x": its type has the negative extent -7'
    )
    tensor = TensorProto(name="w", data_type=F32, dims=[-1])
    assert refused(model([], [], [], [tensor])) == 'graph "graph": tensor "w" has the negative extent -1'
    message = refused(model([node("Constant", [], ["y"], name="c", value=tensor)], [], [value("y")]))
    assert message == (
        'graph "graph", node "c" (ai.onnx::Constant), attribute "value": tensor "w" has the negative extent -1'
    )


def test_attributes_that_make_no_sense() -> None:
    proto = model([node("Relu", ["x"], ["y"], a=1)], [value("x")], [value("y")])
    proto.graph.node[0].attribute.add().CopyFrom(proto.graph.node[0].attribute[0])
    assert "node 0 (ai.onnx::Relu): has two attributes 'a'" in refused(proto)
    proto.graph.node[0].attribute[1].name = "b"
    proto.graph.node[0].attribute[1].g.name = "g"
    assert 'attribute "b": attribute "b" has a graph beside another value' in refused(proto)


def softmax(**fields: Any) -> ModelProto:
    """A model of a Softmax with an `axis` of such fields, where the operator takes an int."""
    proto = model([node("Softmax", ["x"], ["y"], name="soft")], [value("x")], [value("y")])
    proto.graph.node[0].attribute.add(name="axis", **fields)
    return proto


@pytest.mark.parametrize(
    ("axis", "found"),
    [
        ({"type": AttributeProto.FLOAT, "f": 1.0}, "is of the type float"),
        ({"type": AttributeProto.INTS, "ints": [1]}, "is of the type ints"),
        ({"type": AttributeProto.INTS}, "is of the type ints"),
        ({"type": AttributeProto.STRING, "s": b"1"}, "is of the type string"),
        ({"type": AttributeProto.STRING, "s": b"1" * 999}, "is of the type string"),
        ({"type": AttributeProto.TENSOR, "t": TensorProto(data_type=F32, dims=[0])}, "is of the type tensor"),
        ({"f": 1.0}, "is of the type float"),
        ({"ref_attr_name": "a", "type": AttributeProto.FLOAT}, "is of the type float"),
        ({"type": AttributeProto.INT, "f": 1.0}, "holds another value than that of its type"),
        ({"type": AttributeProto.INT, "i": 1, "f": 1.0}, "holds another value than that of its type"),
    ],
)
def test_attributes_of_another_type_than_the_operator_takes(axis: dict[str, Any], found: str) -> None:
    with pytest.raises(checker.ValidationError):
        checker.check_model(softmax(**axis))
    assert refused(softmax(**axis)) == (
        f'graph "graph", node "soft" (ai.onnx::Softmax), attribute "axis": {found}; expected int'
    )


def test_attributes_of_another_type_in_a_function_and_in_a_region() -> None:
    wrong = node("Softmax", ["a"], ["b"], axis=1.5)
    function = helper.make_function("d", "F", ["a"], ["b"], [wrong], [helper.make_opsetid("", 13)])
    message = refused(model([], [value("x")], [], functions=[function]))
    assert message == ('function d::F, node 0 (ai.onnx::Softmax), attribute "axis": is of the type float; expected int')
    inner = graph([node("Softmax", ["x"], ["t"], axis=1.5)], outputs=[value("t")], name="then")
    nodes = [node("If", ["c"], ["y"], then_branch=inner, else_branch=inner)]
    message = refused(model(nodes, [value("x"), value("c", BOOL, [])], [value("y")]))
    assert message.startswith('graph "graph" > "then", node 0 (ai.onnx::Softmax), attribute "axis": is of the type')


@pytest.mark.parametrize(
    "one",
    [
        node("Softmax", ["x"], ["y"], axsi=1.5),
        node("Softmax", ["x"], ["y"], axis=1.5, domain="other"),
        node("Softmax", ["x"], ["y"], axis=1.5, domain="d"),
        node("Softmax", ["x"], ["y"], axis=1),
        node("Slice", ["x"], ["y"], starts="of operator set 1"),
    ],
    ids=["another name", "another domain", "a local function", "the right type", "another version"],
)
def test_attributes_of_which_nothing_is_known_are_carried(one: NodeProto) -> None:
    function = helper.make_function("d", "Softmax", ["x"], ["x"], [], [])
    proto = model([one], [value("x")], [value("y")], functions=[function], domains=["d", "other"])
    assert to_proto(load(proto)) == proto


def test_an_attribute_without_a_type_is_of_that_of_its_value() -> None:
    proto = softmax(i=1)
    assert to_proto(load(proto)) == proto


@pytest.mark.parametrize("field", ["name", "op_type", "domain", "overload", "output"])
def test_texts_that_are_no_utf8(field: str) -> None:
    proto = model([], [value("x")], [])
    one = proto.graph.node.add(input=["x"], op_type="Op", output=["y"])
    getattr(one, field).append("zzzz") if field == "output" else setattr(one, field, "zzzz")
    broken = ModelProto.FromString(proto.SerializeToString().replace(b"zzzz", b"zz\xffz"))
    assert "zz\\xffz" in refused(broken)


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (TensorProto(data_type=F32, dims=[2**40], raw_data=b"abcd"), "holds 4 bytes, not 4398046511104"),
        (TensorProto(data_type=F32, dims=[2], float_data=[1]), "holds 4 bytes, not 8"),
        (TensorProto(data_type=F32, dims=[0, 2**62, 2**62]), "cannot be read"),
        (TensorProto(data_type=99, dims=[1], raw_data=b"a"), "cannot be read"),
        (TensorProto(dims=[1], raw_data=b"a"), "cannot be read"),
        (TensorProto(data_type=TensorProto.INT4, dims=[5], raw_data=b"ab"), "holds 2 bytes, not 3"),
        (TensorProto(data_type=TensorProto.STRING, dims=[2], string_data=[b"a"]), "cannot be read"),
        (TensorProto(data_type=TensorProto.STRING, dims=[1], string_data=[b"\xff"]), "cannot be read"),
        (TensorProto(data_type=TensorProto.FLOAT6E2M3, dims=[2**40], raw_data=b"a"), "cannot be read"),
    ],
)
def test_tensors_without_the_data_that_they_need(tensor: TensorProto, message: str) -> None:
    tensor.name = "w"
    module = load(model([], [], [], [tensor]))
    with pytest.raises(BrokenModelError, match=f'tensor "w".*{message}'):
        initializers_of(module)[0].value.array  # noqa: B018


def test_sparse_tensors_with_indices_outside() -> None:
    proto = chain()
    values, indices = constant("s2", np.ones(1, np.float32)), constant("", np.array([9]))
    proto.graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [4]))
    with pytest.raises(BrokenModelError, match='sparse tensor "s2" cannot be read'):
        initializers_of(load(proto))[1].value.array  # noqa: B018


def test_models_with_bytes_changed_at_random_never_give_an_error_of_python(tmp_path: Path) -> None:
    body = graph([node("Add", ["x", "i"], ["o"])], [value("n"), value("c"), value("i")], [value("c"), value("o")])
    nodes = [*chain().graph.node, node("Loop", ["", "", "x"], ["z"], body=body), node("F", ["x"], ["f"], domain="d")]
    function = helper.make_function("d", "F", ["a"], ["b"], [node("Relu", ["a"], ["b"], alpha=1.0, k=[1, 2])], [])
    proto = model(nodes, [value("x")], [value("y"), value("z")], chain().graph.initializer, functions=[function])
    data = proto.SerializeToString()
    source, path, loaded = random.Random(0), tmp_path / "m.onnx", 0
    for _ in range(1500):
        changed = bytearray(data)
        for _ in range(source.choice([1, 1, 2, 5])):
            changed[source.randrange(len(data))] = source.choice([0, 1, 2, 127, 128, 255, source.randrange(256)])
        path.write_bytes(changed)
        try:
            module = load(path)
            to_proto(module)
            for inst in module.insts:
                held = [inst.value] if isinstance(inst, Initializer) else []
                held += list(inst.attributes.values()) if isinstance(inst, OnnxNode) else []
                for one in held:
                    assert not isinstance(one, LazyTensor) or one.array is not None
            loaded += 1
        except OnnxError as error:
            assert str(error)
    assert loaded > 100


def test_a_reference_without_a_type_is_carried() -> None:
    proto = chain()
    proto.graph.node[0].attribute.add(name="a", ref_attr_name="b")
    proto.graph.node[0].attribute.add(name="t", type=AttributeProto.TENSOR)
    assert to_proto(load(proto)).graph.node[0] == proto.graph.node[0]
    assert nodes_of(load(proto))[0].attributes["a"].name == "b"
