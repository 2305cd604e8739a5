"""What a model may hold beyond nodes and values comes back too, one kind a test; then models made at random."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import AttributeProto, GraphProto, NodeProto, TensorProto, TypeProto, ValueInfoProto, helper

from frontends.onnx import load, to_proto
from runtime.dtypes import f32
from runtime.generic import AttributeReference, EmptyList, Encoded, OnnxNode
from runtime.types import Type
from tests.frontends.onnx.models import (
    BOOL,
    F16,
    F32,
    I64,
    chain,
    check_lossless,
    constant,
    graph,
    initializers_of,
    model,
    node,
    nodes_of,
    value,
)


def test_a_chain_becomes_nodes_over_values() -> None:
    module = check_lossless(chain())
    (weight,), (add, relu) = initializers_of(module), nodes_of(module)
    (x,) = module.root_function.args
    assert add.values == (x, weight) and relu.values == (add,)
    assert [add.label, add.node_name, add.name] == ["ai.onnx::Add", "add", "s"]
    assert weight.value.array.tolist() == [1, 1] and weight.type is Type.tensor(f32, (2,))
    assert module.root_function.body.terminator.operands() == (relu,)  # type: ignore[union-attr]


def test_everything_that_is_said_of_a_model() -> None:
    proto = chain()
    proto.producer_name, proto.producer_version, proto.domain = "p", "v", "d"
    proto.model_version, proto.doc_string = 7, "model"
    proto.metadata_props.add(key="k", value="v")
    proto.opset_import.add(domain="com.example", version=3)
    training = proto.training_info.add()
    training.algorithm.node.append(node("Sub", ["w", "g"], ["w2"]))
    training.update_binding.add(key="w", value="w2")
    device = proto.configuration.add(name="two", num_devices=2)
    device.device.extend(["a", "b"])
    for message in (proto.graph, proto.graph.node[0], proto.graph.input[0], proto.graph.value_info[0]):
        message.doc_string = "doc"
        message.metadata_props.add(key="k", value="v")
    proto.graph.initializer[0].doc_string = "weight"
    annotation = proto.graph.quantization_annotation.add(tensor_name="s")
    annotation.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="w")
    placed = proto.graph.node[1].device_configurations.add(configuration_id="two", pipeline_stage=1)
    placed.sharding_spec.add(tensor_name="s").device.append(0)
    check_lossless(proto)


def test_initializers_that_are_inputs_are_defaults_and_keep_their_order() -> None:
    nodes = [node("Add", ["x", "b"], ["s"]), node("Mul", ["s", "a"], ["t"]), node("Add", ["t", "c"], ["y"])]
    constants = [constant(name, np.full(2, at, np.float32)) for at, name in enumerate("cba")]
    proto = model(nodes, [value("x"), value("a"), value("b")], [value("y")], constants, ir_version=3)
    module = check_lossless(proto)
    x, a, b = module.root_function.args
    assert x.default is None and a.default is not None and b.default is not None
    assert [a.default.array.tolist(), b.default.array.tolist()] == [[2, 2], [1, 1]]
    assert [one.name for one in initializers_of(module)] == ["c"]


def test_absent_operands_and_results_keep_their_places() -> None:
    nodes = [
        node("Clip", ["x", "", "hi"], ["c"]),
        node("Resize", ["x4", "", "scales", ""], ["r"]),
        node("Unique", ["c"], ["", "", "inverse", ""]),
        node("TopK", ["x", "k"], ["", "indices"]),
        node("Sink", ["x"], [], domain="com.example"),
    ]
    inputs = [value("x"), value("hi", F32, []), value("x4", F32, [1, 1, 2, 2]), value("k", I64, [1])]
    outputs = [value("c"), value("r", F32, None), value("inverse", I64, ["n"]), value("indices", I64, [1])]
    constants = [constant("scales", np.ones(4, np.float32))]
    module = check_lossless(model(nodes, inputs, outputs, constants, domains=["com.example"]))
    clip, resize, unique, top, sink = nodes_of(module)
    assert clip.values[1] is None and len(clip.operands()) == 2
    assert [resize.values[1], resize.values[3]] == [None, None]
    assert unique.absent == (0, 1, 3) and top.absent == (0,)
    assert unique.type is Type.unknown() and unique.name is None and not unique.has_users
    assert top.results[1].name == "indices"
    assert sink.results == ()


def test_attributes_of_every_kind() -> None:
    tensor, sparse = constant("t", np.ones(2, np.float32)), helper.make_sparse_tensor(
        constant("v", np.ones(1, np.float32)), constant("i", np.zeros(1, np.int64)), [4]
    )
    plain = helper.make_tensor_type_proto(F32, [2, "n", None])
    denoted = TypeProto(denotation="IMAGE")
    denoted.CopyFrom(helper.make_map_type_proto(I64, plain))
    attributes = {
        "i": -3,
        "f": 0.1,
        "s": "text",
        "b": b"\xff\x00",
        "t": tensor,
        "sparse": sparse,
        "type": plain,
        "map": denoted,
        "ints": [1, 2**62],
        "floats": [0.1, float("inf"), -0.0],
        "strings": ["a", ""],
        "tensors": [tensor, tensor],
        "types": [plain, denoted],
        "g": graph([node("Relu", ["x"], ["r"])], outputs=[value("r")]),
        "graphs": [graph([], outputs=[value("x")], name=str(at)) for at in range(2)],
    }
    proto = model([node("Op", ["x"], ["y"], domain="d", **attributes)], [value("x")], [value("y")], domains=["d"])
    held = proto.graph.node[0].attribute
    held.add(name="none", type=AttributeProto.INTS)
    held.add(name="nothing", type=AttributeProto.STRINGS)
    held.add(name="zero", type=AttributeProto.INT)
    held.add(name="documented", type=AttributeProto.INT, i=1, doc_string="one")
    held.add(name="untyped", f=2.0)
    held.add(name="two", type=AttributeProto.INT, i=1, f=1.0)
    held.add(name="empty")
    module = check_lossless(proto)
    (op,) = nodes_of(module, "Op")
    assert [op.attributes[name] for name in ("i", "s", "b", "ints")] == [-3, "text", b"\xff\x00", (1, 2**62)]
    assert op.attributes["f"] == np.float32(0.1)
    assert op.attributes["sparse"].array.tolist() == [1, 0, 0, 0]
    assert op.attributes["type"] is Type.tensor(f32, (2, "n", None))
    assert isinstance(op.attributes["map"], Encoded) and isinstance(op.attributes["two"], Encoded)
    assert op.attributes["none"] == EmptyList("int") and op.attributes["zero"] == 0
    assert [op.attributes["documented"], op.attributes["untyped"]] == [1, 2.0]
    assert op.region_names == ("g", "graphs[0]", "graphs[1]")
    assert op.region("g").terminator is not None


def test_local_functions_with_defaults_references_and_overloads() -> None:
    inner = node("Elu", ["a"], ["b"])
    inner.attribute.add(name="alpha", type=AttributeProto.FLOAT, ref_attr_name="slope")
    imports = [helper.make_opsetid("", 17)]
    scaled = helper.make_function("local", "Act", ["a", "unused"], ["b"], [inner], imports, ["slope"])
    scaled.attribute_proto.add(name="limit", type=AttributeProto.INT, i=3)
    scaled.overload, scaled.doc_string = "scaled", "documented"
    scaled.value_info.append(value("b"))
    plain = helper.make_function("local", "Act", ["a"], ["b"], [node("Relu", ["a"], ["b"])], imports)
    call = node("Act", ["x", ""], ["t"], domain="local", slope=0.5)
    call.overload = "scaled"
    nodes = [call, node("Act", ["t"], ["y"], domain="local")]
    proto = model(nodes, [value("x")], [value("y")], functions=[scaled, plain], domains=["local"], ir_version=10)
    module = check_lossless(proto)
    assert list(module.functions) == ["main", "local::Act::scaled", "local::Act"]
    assert [one.callee for one in nodes_of(module, "Act")] == ["local::Act::scaled", "local::Act"]
    (elu,) = nodes_of(module, "Elu")
    assert elu.attributes == {"alpha": AttributeReference("slope", "float")}
    assert elu.type is Type.tensor(f32, (2,)) and elu.values[0].type is Type.unknown()  # type: ignore[union-attr]


def test_captured_values_are_uses() -> None:
    then = graph([node("Add", ["x", "s"], ["t"])], outputs=[value("t")], name="then")
    other = graph([], outputs=[value("s")], name="else")
    nodes = [node("Neg", ["x"], ["s"]), node("If", ["c"], ["y"], then_branch=then, else_branch=other)]
    module = check_lossless(model(nodes, [value("x"), value("c", BOOL, [])], [value("y")]))
    neg, add, branch = nodes_of(module, "Neg")[0], nodes_of(module, "Add")[0], nodes_of(module, "If")[0]
    assert add.values == (module.root_function.args[0], neg)
    assert branch.region("else_branch").terminator.operands() == (neg,)  # type: ignore[union-attr]
    assert branch.region("then_branch") is add.parent and neg.n_uses == 2


def test_names_that_hide_others_are_carried() -> None:
    body = graph(
        [node("Add", ["x", "i"], ["i2"]), node("Neg", ["i2"], ["x"]), node("Identity", ["x"], ["out"])],
        [value("n", I64, []), value("go", BOOL, []), value("i")],
        [value("go", BOOL, []), value("out")],
    )
    nodes = [node("Loop", ["m", "", "x"], ["y"], body=body)]
    module = check_lossless(model(nodes, [value("x"), value("m", I64, [])], [value("y")]))
    add, neg, identity = nodes_of(module, "Add")[0], nodes_of(module, "Neg")[0], nodes_of(module, "Identity")[0]
    assert add.values[0] is module.root_function.args[0] and identity.values[0] is neg


def test_branches_may_share_names() -> None:
    branches = {
        name: graph([node(op, ["x"], ["t"]), node("Neg", ["t"], ["u"])], outputs=[value("u")])
        for name, op in [("then_branch", "Relu"), ("else_branch", "Abs")]
    }
    nodes = [node("If", ["c"], ["y"], **branches), node("Relu", ["y"], ["t"])]
    check_lossless(model(nodes, [value("x"), value("c", BOOL, [])], [value("t")]))


def test_types_that_the_ir_has_no_word_for() -> None:
    text = value("text", TensorProto.STRING, [None, "n"])
    complex_ = value("complex", TensorProto.COMPLEX64, [2])
    sequence = helper.make_tensor_sequence_value_info("sequence", F32, [2, "n"])
    optional = helper.make_value_info("optional", helper.make_optional_type_proto(sequence.type))
    mapped = helper.make_value_info("map", helper.make_map_type_proto(I64, text.type))
    sparse = helper.make_sparse_tensor_value_info("sparse", F32, [3])
    denoted, bare, negative = value("denoted", F32, [1, 2]), ValueInfoProto(name="bare"), value("negative", F32, [-1])
    denoted.type.denotation = "IMAGE"
    denoted.type.tensor_type.shape.dim[1].denotation = "DATA_CHANNEL"
    scalar, unranked, unnamed = value("scalar", F32, []), value("unranked", F32, None), value("unnamed", F32, [""])
    infos = [text, complex_, sequence, optional, mapped, sparse, denoted, negative, scalar, unranked, unnamed]
    nodes = [node("Op", [info.name for info in infos], ["bare"], domain="d")]
    module = check_lossless(model(nodes, infos, [bare], domains=["d"]))
    types = {argument.name: str(argument.type) for argument in module.root_function.args}
    assert types["text"] == "?[?,n]" and types["complex"] == "?[2]"
    assert types["sequence"] == "seq<f32[2,n]>" and types["optional"] == "opt<seq<f32[2,n]>>"
    assert types["map"] == types["sparse"] == "unknown"
    assert [types[name] for name in ("negative", "scalar", "unranked", "unnamed")] == [
        "f32[?]",
        "f32[]",
        "f32[*]",
        "f32[?]",
    ]


def test_sparse_initializers() -> None:
    proto = model([node("MatMul", ["x", "w"], ["y"])], [value("x", F32, [2, 3])], [value("y", F32, [2, 2])])
    values, indices = constant("w", np.array([5, 6], np.float32)), constant("i", np.array([[0, 1], [2, 0]]))
    proto.graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [3, 2]))
    (weight,) = initializers_of(check_lossless(proto))
    assert weight.value.array.tolist() == [[0, 5], [0, 0], [6, 0]]


def test_value_info_of_whatever_is_there_or_not() -> None:
    proto = chain()
    wide = [value("w", F32, ["n"]), value("y", F32, [None]), value("x", F32, None)]
    odd = [value("gone", F16, [7]), value("s", F32, [None]), value("s", F16, [9]), ValueInfoProto(name="s")]
    proto.graph.value_info.extend([*wide, *odd])
    proto.graph.output[0].type.tensor_type.elem_type = F16
    check_lossless(proto)


def test_an_output_may_be_an_input_an_initializer_or_stand_twice() -> None:
    nodes = [node("Add", ["x", "w"], ["y"])]
    outputs = [value("x", F32, ["n"]), value("w"), value("y"), value("y")]
    check_lossless(model(nodes, [value("x")], outputs, [constant("w", np.array([1, 2], np.float32))]))


def test_names_may_be_numbers_and_anything_else() -> None:
    nodes = [
        node("Relu", ["0"], ["/layer/out:0"]),
        node("Relu", ["/layer/out:0"], ["17"]),
        node("Neg", ["17"], ["ñ %"]),
    ]
    check_lossless(model(nodes, [value("0")], [value("ñ %")]))


def test_fields_of_a_later_version_are_kept() -> None:
    proto = chain()
    unknown = b"\xfa\x3e\x03new"  # field 1007 with the bytes `new`
    for message in (proto.graph.node[0], proto.graph, proto.graph.initializer[0], proto.graph.input[0].type, proto):
        message.MergeFromString(unknown)
    proto.graph.node[1].attribute.add(name="a", type=AttributeProto.INT, i=1).MergeFromString(unknown)
    check_lossless(proto)
    assert to_proto(load(proto)).ByteSize() == proto.ByteSize()


def test_the_domain_of_the_standard_operators_may_be_spelled_out() -> None:
    proto = chain()
    proto.graph.node[0].domain = "ai.onnx"
    module = check_lossless(proto)
    assert {one.domain for one in nodes_of(module)} == {"ai.onnx"}


def test_nodes_out_of_order_are_sorted() -> None:
    inner = graph([node("Neg", ["u"], ["v"]), node("Add", ["t", "x"], ["u"])], outputs=[value("v")])
    nodes = [
        node("If", ["c"], ["y"], then_branch=inner, else_branch=inner),
        node("Relu", ["x"], ["t"]),
        node("Abs", ["y"], ["z"]),
    ]
    proto = model(nodes, [value("x"), value("c", BOOL, [])], [value("z")])
    written = to_proto(load(proto))
    assert [one.op_type for one in written.graph.node] == ["Relu", "If", "Abs"]
    assert [one.op_type for one in written.graph.node[1].attribute[0].g.node] == ["Add", "Neg"]
    check_lossless(written)


def test_roundings_that_the_author_asked_for_are_marked() -> None:
    nodes = [node("Cast", ["x"], ["h"], to=F16), node("Cast", ["h"], ["w"], to=F32), node("Cast", ["w"], ["i"], to=I64)]
    module = load(model(nodes, [value("x")], [value("i", I64)]))
    assert [cast.rounding for cast in nodes_of(module)] == ["user", None, None]


def test_types_are_inferred_where_none_are_declared() -> None:
    then = graph([node("MatMul", ["x", "w"], ["t"])], outputs=[ValueInfoProto(name="t")])
    other = graph(
        [node("Constant", [], ["t"], value=constant("v", np.zeros((2, 3000), np.float32)))],
        outputs=[value("t", F32, None)],
    )
    nodes = [
        node("If", ["c"], ["a"], then_branch=then, else_branch=other),
        node("Reshape", ["a", "to"], ["b"]),
        node("Strange", ["b"], ["y"], domain="d"),
    ]
    constants = [constant("w", np.zeros((4, 3000), np.float32)), constant("to", np.array([3, 2, -1]))]
    inputs = [value("x", F32, [2, 4]), value("c", BOOL, [])]
    module = check_lossless(model(nodes, inputs, [ValueInfoProto(name="y")], constants, domains=["d"]))
    found = {inst.name: str(inst.type) for inst in module.root_function.body if isinstance(inst, OnnxNode)}
    assert found == {"a": "f32[2,3000]", "b": "f32[3,2,1000]", "y": "unknown"}
    assert [str(one.type) for one in nodes_of(module, "MatMul")] == ["f32[2,3000]"]


def test_inference_that_fails_leaves_types_open() -> None:
    nodes = [node("MatMul", ["x", "x"], ["a"]), node("Relu", ["a"], ["y"])]
    module = check_lossless(model(nodes, [value("x", F32, [2, 3])], [value("y", F32, None)]))
    assert nodes_of(module)[0].type.shape is None


# Models at random: few names, so that they hide each other and stand in many places.

NAMES = st.sampled_from(["a", "b", "c", "d", "x"])
OPS = st.sampled_from(["Add", "Relu", "TopK"])


@st.composite
def random_graphs(draw: st.DrawFn, outer: tuple[str, ...] = (), depth: int = 0) -> GraphProto:
    known = list(outer)
    own: list[str] = []

    def define(name: str) -> str:
        own.append(name)
        known.append(name)
        return name

    inputs = [] if depth and draw(st.booleans()) else draw(st.lists(NAMES, max_size=2, unique=True))
    result = GraphProto(name=draw(NAMES))
    for name in inputs:
        result.input.append(value(define(name), shape=draw(st.sampled_from([[2], None, ["n"], []]))))
    for name in draw(st.lists(NAMES, max_size=2, unique=True)):
        result.initializer.append(constant(name, np.ones(1, np.float32)))
        if name not in own:
            define(name)
    for _ in range(draw(st.integers(0, 4))):
        new = [name for name in draw(st.lists(NAMES, max_size=3, unique=True)) if name not in own]
        one = NodeProto(op_type=draw(OPS), name=draw(st.sampled_from(["", "n"])))
        one.input.extend(draw(st.lists(st.sampled_from([*known, ""]), max_size=3)))
        if depth < 2 and draw(st.integers(0, 2)) == 0:
            inner = draw(random_graphs(tuple(known), depth + 1))
            one.attribute.add(name="body", type=AttributeProto.GRAPH).g.CopyFrom(inner)
        one.output.extend(name if draw(st.integers(0, 4)) else "" for name in new)
        result.node.append(one)
        for name in one.output:
            if name:
                define(name)
    for name in draw(st.lists(st.sampled_from(known), max_size=2)) if known else []:
        result.output.append(value(name, shape=draw(st.sampled_from([[2], None, [5]]))))
    for name in draw(st.lists(NAMES, max_size=2)):
        result.value_info.append(value(name, draw(st.sampled_from([F32, F16, I64])), [draw(st.integers(0, 3))]))
    return result


def _check_random(proto: GraphProto) -> None:
    check_lossless(helper.make_model(proto, opset_imports=[helper.make_opsetid("", 17)]))


@given(random_graphs())
@settings(max_examples=120)
def test_models_at_random_come_back(proto: GraphProto) -> None:
    _check_random(proto)


@pytest.mark.long
@given(random_graphs())
@settings(max_examples=1000)
def test_many_models_at_random_come_back(proto: GraphProto) -> None:
    _check_random(proto)
