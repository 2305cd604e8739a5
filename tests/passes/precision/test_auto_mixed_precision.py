"""The pass on small models: what runs low, where the casts are, and that a checker and a reference agree."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import passes
from frontends.onnx import load, to_proto
from passes.auto_mixed_precision import AutoMixedPrecision
from runtime import parse
from runtime.text.printer import print_module
from tests.passes.precision.models import F16, I64, B, F, agrees, casts, converted, model, node, value


def test_compute_is_low_and_reductions_are_not() -> None:
    nodes = [node("MatMul", ["x", "w"], "a"), node("Relu", ["a"], "r"), node("Softmax", ["r"], "y")]
    weight = np.arange(6, dtype=np.float32).reshape(3, 2) / 8
    source = model(nodes, [value("x", F, [2, 3])], [value("y", F, [2, 2])], {"w": weight})
    result, found = converted(source)
    assert found == {"a": "f16", "r": "f16", "y": "f32"}
    assert casts(result.graph) == [("x", F16), ("r", F)]
    (held,) = result.graph.initializer
    np.testing.assert_array_equal(numpy_helper.to_array(held), weight.astype(np.float16))
    agrees(source, result, 2e-3, x=np.ones((2, 3), np.float32))


def test_one_cast_for_a_value_and_a_dtype() -> None:
    nodes = [node("Mul", ["x", "x"], "a"), node("Add", ["x", "a"], "b"), node("Sub", ["b", "x"], "y")]
    result, _ = converted(model(nodes, [value("x", F, [4])], [value("y", F, [4])], {}))
    assert [source for source, to in casts(result.graph) if to == F16] == ["x"]


def test_data_movement_follows() -> None:
    nodes = [
        node("Reshape", ["x", "shape"], "a"),
        node("Relu", ["a"], "b"),
        node("Reshape", ["b", "shape"], "c"),
        node("Concat", ["c", "k"], "d", axis=0),
        node("Concat", ["d", "a"], "y", axis=0),
    ]
    constants = {"shape": np.array([4]), "k": np.array([1, 2], np.float32)}
    source = model(nodes, [value("x", F, [2, 2])], [value("y", F, [10])], constants)
    result, found = converted(source)
    assert found == {"a": "f32", "b": "f16", "c": "f16", "d": "f16", "y": "f32"}
    agrees(source, result, 1e-3, x=np.ones((2, 2), np.float32))


def test_an_infinite_mask_may_run_low_and_a_large_one_not_up_to_the_softmax() -> None:
    nodes = [node("Add", ["x", "m"], "a"), node("Relu", ["a"], "r"), node("Tanh", ["r"], "t"), node("Relu", ["t"], "y")]
    io = [value("x", F, [2])], [value("y", F, [2])]
    assert converted(model(nodes, *io, {"m": np.array([0, -np.inf], np.float32)}))[1]["a"] == "f16"
    assert converted(model(nodes, *io, {"m": np.array([0, -1e12], np.float32)}))[1] == dict(
        a="f32", r="f32", t="f32", y="f16"
    )
    assert converted(model(nodes, *io, {"m": np.array([0, -1e12], np.float32)}), "autocast-bf16")[1]["a"] == "bf16"


def test_a_small_scalar_counts_through_constant_nodes_and_casts() -> None:
    nodes = [
        node("Constant", [], "e", value=numpy_helper.from_array(np.array(1e-9))),
        node("Cast", ["e"], "f", to=F),
        node("Sqrt", ["f"], "s"),
        node("Max", ["x", "s"], "y"),
    ]
    source = model(nodes, [value("x", F, [2])], [value("y", F, [2])], {})
    assert converted(source)[1]["y"] == "f32"


def test_the_exponential_stays_f32_in_f16_only() -> None:
    source = model([node("Exp", ["x"], "y")], [value("x", F, [2])], [value("y", F, [2])], {})
    assert converted(source)[1] == {"y": "f32"}
    assert converted(source, "autocast-bf16")[1] == {"y": "bf16"}


def test_a_coordinate_whose_floor_is_an_index_stays_f32() -> None:
    nodes = [
        node("Mul", ["x", "k"], "c"),
        node("Floor", ["c"], "f"),
        node("Cast", ["f"], "i", to=I64),
        node("Gather", ["data", "i"], "g"),
        node("Sub", ["c", "f"], "w"),
        node("Mul", ["g", "w"], "y"),
    ]
    inputs = [value("x", F, [3]), value("data", F, [5000])]
    source = model(nodes, inputs, [value("y", F, [3])], {"k": np.float32(4999)})
    result, found = converted(source)
    assert (found["c"], found["f"], found["w"], found["y"]) == ("f32", "f32", "f32", "f32")
    agrees(
        source, result, 1e-6, x=np.array([0.1, 0.7, 0.9999], np.float32), data=np.arange(5000, dtype=np.float32) / 5000
    )


def test_regions_keep_what_they_receive_and_give() -> None:
    then = helper.make_graph([node("Mul", ["a", "a"], "p")], "then", [], [value("p", F, [2])])
    other = helper.make_graph([node("Exp", ["a"], "q")], "else", [], [value("q", F, [2])])
    nodes = [
        node("Relu", ["x"], "a"),
        node("If", ["c"], "r", then_branch=then, else_branch=other),
        node("Relu", ["r"], "y"),
    ]
    source = model(nodes, [value("x", F, [2]), value("c", B, [])], [value("y", F, [2])], {})
    result, found = converted(source)
    assert (found["a"], found["p"], found["q"], found["r"]) == ("f16", "f16", "f32", "f32")
    assert found["y"] == "f32"  # a branch may give a value out of range
    for condition in (True, False):
        agrees(source, result, 2e-3, x=np.array([0.5, -1], np.float32), c=np.array(condition))


def test_a_large_trip_count_is_no_float_out_of_range() -> None:
    body = helper.make_graph(
        [node("Add", ["s", "s"], "so"), node("Less", ["i", "two"], "co")],
        "body",
        [value("i", I64, []), value("ci", B, []), value("s", F, [2])],
        [value("co", B, []), value("so", F, [2])],
    )
    nodes = [node("Loop", ["m", "", "x"], "r", body=body), node("Relu", ["r"], "y")]
    constants = {"m": np.array(2**62), "two": np.array(2)}
    source = model(nodes, [value("x", F, [2])], [value("y", F, [2])], constants)
    result, found = converted(source)
    assert found["so"] == found["y"] == "f16"
    agrees(source, result, 2e-3, x=np.array([0.5, -1], np.float32))


def test_bf16_only_where_the_operator_set_has_it() -> None:
    nodes = [node("Conv", ["x", "w"], "a"), node("Relu", ["a"], "y")]
    io = [value("x", F, [1, 1, 4, 4])], [value("y", F, [1, 1, 4, 4])]
    weight = {"w": np.ones((1, 1, 1, 1), np.float32)}
    assert converted(model(nodes, *io, weight, 17), "autocast-bf16")[1] == {"a": "f32", "y": "f32"}
    assert converted(model(nodes, *io, weight, 22), "autocast-bf16")[1] == {"a": "bf16", "y": "bf16"}


def test_a_weight_that_is_used_in_both_precisions_is_cast_and_stays() -> None:
    nodes = [node("MatMul", ["x", "w"], "a"), node("ReduceMean", ["w"], "m", axes=[0]), node("Add", ["a", "m"], "y")]
    weight = np.ones((2, 2), np.float32)
    source = model(nodes, [value("x", F, [2, 2])], [value("y", F, [2, 2])], {"w": weight})
    result, _ = converted(source)
    assert result.graph.initializer[0].data_type == F and casts(result.graph).count(("w", F16)) == 1
    agrees(source, result, 2e-3, x=weight)


def test_other_types_are_never_touched() -> None:
    nodes = [
        node("Cast", ["x"], "d", to=TensorProto.DOUBLE),
        node("Mul", ["d", "d"], "e"),
        node("Cast", ["n"], "h", to=F16),
        node("Add", ["h", "h"], "g"),
    ]
    inputs = [value("x", F, [2]), value("n", I64, [2])]
    source = model(nodes, inputs, [value("e", TensorProto.DOUBLE, [2]), value("g", F16, [2])], {})
    result, _ = converted(source)
    assert result.SerializeToString() == source.SerializeToString()


def test_instructions_of_neuron_get_copies_that_convert() -> None:
    module = parse("func @main(%x: f32[4,8]) {\n  %p: f32[4,8] = activation relu %x\n  return %p\n}\n")
    assert AutoMixedPrecision().runOnModule(module)
    text = """\
func @main(%x: f32[4,8]) {
  %x_f16: f16[4,8] = tensor_copy %x
  %p: f16[4,8] = activation relu %x_f16
  %p_f32: f32[4,8] = tensor_copy %p
  return %p_f32
}
"""
    assert print_module(module) == text
    assert not AutoMixedPrecision().runOnModule(module)


def test_convert_leaves_the_module_alone() -> None:
    source = model([node("Relu", ["x"], "y")], [value("x", F, [2])], [value("y", F, [2])], {})
    module = load(source)
    passes.convert(module, "autocast-f16")
    assert to_proto(module).SerializeToString() == source.SerializeToString()
