"""Constants, nodes, regions and functions that were made by hand, and what no model can say."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from frontends.onnx import ExportError, load, to_proto
from runtime.blocks import Block
from runtime.builtin import Opaque, Return, Yield
from runtime.constants import Constant
from runtime.dtypes import DType, bf16, bool_, f4e2m1, f8e4m3fn, f8e5m2, f16, f32, f32r, f64, i4, i8, i64, u4, u8, u64
from runtime.functions import Function, Module
from runtime.generic import AttributeReference, Initializer, OnnxNode, Region, function_name
from runtime.types import Type
from tests.frontends.onnx.models import (
    chain,
    check_valid,
    computed,
    initializers_of,
    nodes_of,
)

X = np.array([-1.5, 2.0], np.float32)


def test_what_is_no_onnx_is_refused_by_name() -> None:
    module = load(chain())
    Opaque("vendor.op").insertBefore(nodes_of(module)[0])
    with pytest.raises(ExportError, match="Opaque .* is no part of an ONNX graph"):
        to_proto(module)
    module = load(chain())
    nodes_of(module)[0].attributes["odd"] = object()
    with pytest.raises(ExportError, match='attribute "odd": ONNX has none like'):
        to_proto(module)
    module = load(chain())
    nodes_of(module)[0].attributes["mixed"] = (1, "a")
    with pytest.raises(ExportError, match='attribute "mixed": a list of 2 kinds of elements'):
        to_proto(module)
    module = load(chain())
    nodes_of(module)[0].mutateDstTy(f32r)
    with pytest.raises(ExportError, match='value "s": ONNX has no element type f32r'):
        to_proto(module)
    module = load(chain())
    initializers_of(module)[0].mutateDstTy(f16)
    with pytest.raises(ExportError, match="holds elements of f32"):
        to_proto(module)


@pytest.mark.parametrize("dtype", [f32, f16, bf16, f64, f8e4m3fn, f8e5m2, i8, u8, i64, u64])
def test_constants_become_initializers(dtype: DType) -> None:
    _check_constant(dtype, [1, 2, 3])


@pytest.mark.parametrize("dtype", [i4, u4, f4e2m1])
@pytest.mark.parametrize("values", [[1, 2, 3], [1, 2], []])
def test_constants_of_four_bits_are_packed(dtype: DType, values: list[int]) -> None:
    _check_constant(dtype, values)


def _check_constant(dtype: DType, values: list[int]) -> None:
    module = load(chain())
    new = Initializer(Constant.of(np.array(values, np.float32), dtype))
    new.insertBefore(nodes_of(module)[0])
    written = to_proto(module)
    assert [one.name for one in written.graph.initializer] == ["w", "constant_1"]
    array = numpy_helper.to_array(written.graph.initializer[1])
    assert array.dtype == dtype.numpy and array.astype(np.float32).tolist() == values
    assert initializers_of(load(written))[1].value.array.tolist() == array.tolist()


def test_attributes_and_regions_made_by_hand() -> None:
    module = load(chain())
    (relu,) = nodes_of(module, "Relu")
    condition = Initializer(Constant.of(np.array(True), bool_))
    condition.insertBefore(relu)
    branch = OnnxNode(
        "If",
        [condition],
        {"then_branch": Region(0), "else_branch": Region(1)},
        result_types=[relu.type],
        n_regions=2,
    )
    branch.insertBefore(relu)
    for block, op in zip(branch.blocks, ["Neg", "Abs"], strict=True):
        _fill(block, OnnxNode(op, [relu.values[0]], result_types=[relu.type]))
    relu.set_value(0, branch)
    written = check_valid(module)
    assert computed(written, x=X)[0].tolist() == [0.5, 0]


def _fill(block: Block, inst: OnnxNode) -> None:
    block.append(inst)
    block.append(Yield([inst]))


def test_a_local_function_made_by_hand() -> None:
    module = load(chain())
    function = Function(function_name("local", "Twice"))
    argument = function.body.add_argument(Type.unknown(), "a")
    weight = Initializer(Constant.of(np.array(2.0), f32))
    double = OnnxNode("Mul", [argument, weight], result_types=[Type.unknown()])
    for inst in (weight, double, Return([double])):
        function.body.append(inst)
    module.add_function(function)
    (relu,) = nodes_of(module, "Relu")
    call = OnnxNode("Twice", [relu.values[0]], domain="local", result_types=[relu.type])
    call.insertBefore(relu)
    relu.set_value(0, call)
    module.root_function.operator_sets["local"] = function.operator_sets["ai.onnx"] = 17
    written = to_proto(module)
    onnx.checker.check_model(written, full_check=True)
    assert computed(written, x=X)[0].tolist() == [0, 6]
    double.attributes["k"] = AttributeReference("k", "int")
    assert to_proto(module).functions[0].node[1].attribute[0].ref_attr_name == "k"


def test_a_module_built_from_nothing() -> None:
    module = Module()
    main = module.add_function(Function("main"))
    x = main.body.add_argument(Type.tensor(f32, ("n", 2)))
    relu = OnnxNode("Relu", [x], result_types=[x.type])
    main.body.append(relu)
    main.body.append(Return([relu]))
    with pytest.raises(ExportError, match="no operator_sets"):
        to_proto(module)
    main.operator_sets["ai.onnx"] = 17
    written = to_proto(module)
    onnx.checker.check_model(written, full_check=True)
    assert [info.name for info in (*written.graph.input, *written.graph.output)] == ["input_1", "Relu_1"]
