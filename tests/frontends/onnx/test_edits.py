"""Modules that were changed give models that onnx accepts and that compute what they should."""

from __future__ import annotations

import numpy as np
import pytest

from frontends.onnx import ExportError, load, to_proto
from runtime.builtin import Return
from runtime.constants import Constant
from runtime.dtypes import DType, f16, f32, i64
from runtime.generic import OnnxNode
from runtime.types import Type
from runtime.values import Value
from tests.frontends.onnx.models import (
    BOOL,
    F16,
    F32,
    I64,
    chain,
    check_lossless,
    check_uses,
    check_valid,
    computed,
    graph,
    initializers_of,
    model,
    node,
    nodes_of,
    value,
)

X = np.array([-1.5, 2.0], np.float32)


def cast_of(source: Value, dtype: DType) -> OnnxNode:
    assert source.type.shape is not None
    return OnnxNode("Cast", [source], {"to": dtype}, result_types=[Type.tensor(dtype, source.type.shape)])


def lower(inst: OnnxNode) -> None:
    """Let a node of a module compute in f16: casts in front and behind, as a precision pass does."""
    for operand in dict.fromkeys(inst.operands()):
        assert isinstance(operand, Value)
        cast = cast_of(operand, f16)
        cast.insertBefore(inst)
        inst.replaceUseOfWith(operand, cast)
    inst.mutateDstTy(f16)
    back = cast_of(inst, f32)
    back.insertAfter(inst)
    inst.replaceAllUsesWithExcept(back, back)


def test_casts_around_a_node_in_the_middle() -> None:
    module = load(chain())
    lower(nodes_of(module, "Add")[0])
    written = check_valid(module)
    assert [one.op_type for one in written.graph.node] == ["Cast", "Cast", "Add", "Cast", "Relu"]
    assert [one.name for one in written.graph.node] == ["Cast_1", "Cast_2", "add", "Cast_3", "relu"]
    infos = {info.name: info.type.tensor_type.elem_type for info in written.graph.value_info}
    # The declared type follows; a new value beside one that is declared is declared too.
    assert infos == {"s": F16, "Cast_1": F16, "Cast_2": F16, "Cast_3": F32}
    assert computed(written, x=X)[0].tolist() == [0, 3]


def test_casts_around_the_node_that_gives_an_output() -> None:
    module = load(chain())
    lower(nodes_of(module, "Relu")[0])
    written = check_valid(module)
    assert [(one.op_type, list(one.output)) for one in written.graph.node[-2:]] == [
        ("Relu", ["Relu_1"]),
        ("Cast", ["y"]),
    ]
    assert written.graph.output[0].type.tensor_type.elem_type == F32
    assert written.graph.output == chain().graph.output
    assert computed(written, x=X)[0].tolist() == [0, 3]


def test_a_model_without_value_info_gets_none() -> None:
    proto = chain()
    del proto.graph.value_info[:]
    module = load(proto)
    lower(nodes_of(module, "Add")[0])
    assert not check_valid(module).graph.value_info


def test_an_output_that_changes_its_type_is_declared_with_the_new_one() -> None:
    module = load(chain())
    (relu,) = nodes_of(module, "Relu")
    cast = cast_of(relu.values[0], f16)  # type: ignore[arg-type]
    cast.insertBefore(relu)
    relu.set_value(0, cast)
    relu.mutateDstTy(f16)
    assert check_valid(module).graph.output[0].type.tensor_type.elem_type == F16


def test_an_erased_node_takes_its_declaration_along() -> None:
    module = load(chain())
    add, relu = nodes_of(module)
    relu.set_value(0, module.root_function.args[0])
    add.eraseFromParent()
    initializers_of(module)[0].eraseFromParent()
    written = check_valid(module)
    assert [one.op_type for one in written.graph.node] == ["Relu"]
    assert not written.graph.value_info and not written.graph.initializer


def test_an_output_may_become_an_input_or_stand_twice() -> None:
    module = load(chain())
    (relu,) = nodes_of(module, "Relu")
    relu.replaceAllUsesWith(module.root_function.args[0])
    written = check_valid(module)
    assert [(one.op_type, list(one.input), list(one.output)) for one in written.graph.node][-1] == (
        "Identity",
        ["x"],
        ["y"],
    )
    outputs = [value("y"), value("z")]
    two = model([node("Relu", ["x"], ["y"]), node("Abs", ["x"], ["z"])], [value("x")], outputs)
    module = load(two)
    first, second = nodes_of(module)
    second.replaceAllUsesWith(first)
    second.eraseFromParent()
    written = check_valid(module)
    assert [info.name for info in written.graph.output] == ["y", "z"]
    assert [one.tolist() for one in computed(written, x=X)] == [[0, 2], [0, 2]]


def test_outputs_may_change_places() -> None:
    outputs = [value("y"), value("z")]
    module = load(model([node("Relu", ["x"], ["y"]), node("Abs", ["x"], ["z"])], [value("x")], outputs))
    (terminator,) = [inst for inst in module.insts if inst.is_terminator]
    first, second = nodes_of(module)
    terminator.eraseFromParent()
    module.root_function.body.append(Return([second, first]))
    written = check_valid(module)
    assert [one.tolist() for one in computed(written, x=X)] == [[1.5, 2], [0, 2]]
    assert [list(one.output) for one in written.graph.node] == [["z"], ["y"]]


def test_an_output_that_is_an_input_cannot_become_another_value() -> None:
    proto = model([node("Relu", ["x"], ["y"])], [value("x")], [value("x"), value("y")])
    module = load(proto)
    cast = cast_of(module.root_function.args[0], f16)
    cast.insertBefore(nodes_of(module)[0])
    module.root_function.args[0].replaceAllUsesWithExcept(cast, cast)
    with pytest.raises(ExportError, match='output "x" is another value than the input or output of that name'):
        to_proto(module)


def test_new_names_avoid_all_that_are_there() -> None:
    inner = graph([node("Relu", ["x"], ["Cast_1"], name="Cast_2")], outputs=[value("Cast_1")])
    nodes = [node("If", ["c"], ["y"], then_branch=inner, else_branch=inner), node("Neg", ["y"], ["Cast_3"])]
    module = load(model(nodes, [value("x"), value("c", BOOL, [])], [value("Cast_3")]))
    (x, _), neg = module.root_function.args, nodes_of(module, "Neg")[0]
    for _ in range(3):
        cast = cast_of(x, f16)
        cast.insertBefore(neg)
    first = OnnxNode("Cast", [neg], {"to": 1}, result_types=[neg.type])
    first.name = "y"  # another value has that name
    first.insertAfter(neg)
    written = check_valid(module)
    assert [one.output[0] for one in written.graph.node] == ["y", "Cast_2", "Cast_4", "Cast_5", "Cast_3", "Cast_6"]
    assert [one.name for one in written.graph.node] == ["", "Cast_1", "Cast_3", "Cast_4", "", "Cast_5"]


def test_a_new_value_in_a_region_never_hides_an_outer_one() -> None:
    inner = graph([node("Neg", ["x"], ["t"]), node("Relu", ["t"], ["out"])], outputs=[value("out")])
    nodes = [node("Abs", ["x"], ["a"]), node("If", ["c"], ["y"], then_branch=inner, else_branch=inner)]
    module = load(model(nodes, [value("x"), value("c", BOOL, [])], [value("y")]))
    (absolute,), negs, relus = (nodes_of(module, op) for op in ("Abs", "Neg", "Relu"))
    negs[0].name = "a"
    relus[0].set_value(0, absolute)
    written = check_valid(module)
    then = written.graph.node[1].attribute[0].g
    assert [(list(one.input), list(one.output)) for one in then.node] == [(["x"], ["Neg_1"]), (["a"], ["out"])]


def test_a_name_that_the_model_hid_is_changed_when_the_outer_value_is_used() -> None:
    body = graph(
        [node("Neg", ["v"], ["x"]), node("Relu", ["x"], ["out"])],
        [value("n", I64, []), value("go", BOOL, []), value("v")],
        [value("go", BOOL, []), value("out")],
    )
    proto = model([node("Loop", ["m", "", "x"], ["y"], body=body)], [value("x"), value("m", I64, [])], [value("y")])
    module = check_lossless(proto)
    relu, x = nodes_of(module, "Relu")[0], module.root_function.args[0]
    relu.set_value(0, x)
    written = to_proto(module).graph.node[0].attribute[0].g
    assert [(list(one.input), list(one.output)) for one in written.node] == [(["v"], ["Neg_1"]), (["x"], ["out"])]


def test_instructions_out_of_order_are_sorted_and_the_others_stay() -> None:
    module = load(chain())
    add, relu = nodes_of(module)
    relu.moveBefore(initializers_of(module)[0])
    late = OnnxNode("Neg", [module.root_function.args[0]], result_types=[relu.type])
    late.insertAfter(add)
    relu.set_value(0, late)
    written = check_valid(module)
    assert [one.op_type for one in written.graph.node] == ["Add", "Neg", "Relu"]


def test_a_region_moves_behind_what_it_captures() -> None:
    inner = graph([node("Neg", ["x"], ["t"])], outputs=[value("t")])
    nodes = [node("If", ["c"], ["y"], then_branch=inner, else_branch=inner), node("Abs", ["x"], ["z"])]
    module = load(model(nodes, [value("x"), value("c", BOOL, [])], [value("y"), value("z")]))
    (neg, _), (absolute,) = nodes_of(module, "Neg"), nodes_of(module, "Abs")
    neg.set_value(0, absolute)
    assert [one.op_type for one in check_valid(module).graph.node] == ["Abs", "If"]


def test_what_needs_itself_is_refused() -> None:
    module = load(chain())
    add, relu = nodes_of(module)
    add.set_value(0, relu)
    with pytest.raises(ExportError, match="in a circle: .*%s.* -> .*%y.* -> .*%s"):
        to_proto(module)


def test_values_that_are_not_there_are_refused() -> None:
    module = load(chain())
    stranger = OnnxNode("Shape", [], result_types=[Type.tensor(i64, (1,))])
    nodes_of(module, "Relu")[0].set_value(0, stranger)
    with pytest.raises(ExportError, match="%y.* uses .*which is not defined where it stands"):
        to_proto(module)
    inner = graph([node("Neg", ["x"], ["t"])], outputs=[value("t")])
    nodes = [node("If", ["c"], ["y"], then_branch=inner, else_branch=inner), node("Abs", ["y"], ["z"])]
    module = load(model(nodes, [value("x"), value("c", BOOL, [])], [value("z")]))
    nodes_of(module, "Abs")[0].set_value(0, nodes_of(module, "Neg")[0])
    with pytest.raises(ExportError, match="%z.* uses .*%t.*which is not defined where it stands"):
        to_proto(module)


def test_a_weight_is_replaced() -> None:
    module = load(chain())
    (weight,) = initializers_of(module)
    weight.value = Constant.of(np.array([3, 4], np.float32), f16)
    back = cast_of(weight, f32)
    back.insertAfter(weight)
    weight.replaceAllUsesWithExcept(back, back)
    written = check_valid(module)
    assert written.graph.initializer[0].name == "w" and written.graph.initializer[0].data_type == F16
    assert computed(written, x=X)[0].tolist() == [1.5, 6]


def test_what_is_said_of_a_value_by_name_follows_it() -> None:
    proto = chain()
    annotation = proto.graph.quantization_annotation.add(tensor_name="y")
    annotation.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="y")
    proto.graph.node[1].device_configurations.add(configuration_id="d").sharding_spec.add(tensor_name="y")
    module = load(proto)
    lower(nodes_of(module, "Relu")[0])
    written = to_proto(module).graph
    assert [written.quantization_annotation[0].tensor_name] == ["Relu_1"]
    assert written.quantization_annotation[0].quant_parameter_tensor_names[0].value == "Relu_1"
    relu = next(one for one in written.node if one.op_type == "Relu")
    assert relu.device_configurations[0].sharding_spec[0].tensor_name == "Relu_1"


def test_operator_sets_are_those_of_the_function() -> None:
    module = load(chain())
    assert module.root_function.operator_sets == {"ai.onnx": 17}
    module.root_function.operator_sets.update({"ai.onnx": 22, "com.example": 2})
    written = to_proto(module.clone())
    assert [(one.domain, one.version) for one in written.opset_import] == [("", 22), ("com.example", 2)]


def test_arguments_may_be_added() -> None:
    module = load(chain())
    scale = module.root_function.body.add_argument(Type.tensor(f32, (2,)), "scale")
    nodes_of(module)[0].set_value(1, scale)
    assert [info.name for info in check_valid(module).graph.input] == ["x", "scale"]


def test_numbers_as_names_of_inputs_and_outputs_survive_the_loss_of_names() -> None:
    nodes = [node("Relu", ["0"], ["5"]), node("Neg", ["5"], ["17"])]
    module = load(model(nodes, [value("0")], [value("17")]))
    for inst in nodes_of(module):
        inst.name = None
    module.root_function.args[0].name = None
    written = check_valid(module)
    assert [info.name for info in (*written.graph.input, *written.graph.output)] == ["0", "17"]


def test_editing_keeps_uses_in_step() -> None:
    module = load(chain())
    for inst in nodes_of(module):
        lower(inst)
    check_uses(module)
    again = module.clone()
    check_uses(again)
    assert to_proto(again) == to_proto(module)
