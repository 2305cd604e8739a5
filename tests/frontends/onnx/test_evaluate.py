"""Models on the interpreter: the results of onnx's own evaluator, with one rounding a result, regions and calls too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from onnx import AttributeProto, ModelProto, TensorProto, helper

import runtime
from frontends.onnx import SIGNATURES, load, to_proto
from frontends.onnx.evaluate import evaluator
from runtime.dtypes import bf16, f16
from runtime.functions import Module
from runtime.interpreter import InputError, InterpreterError, MissingSemanticsError
from tests.frontends.onnx.models import (
    BOOL,
    F16,
    F32,
    I64,
    chain,
    computed,
    constant,
    graph,
    model,
    node,
    nodes_of,
    value,
)

X = np.array([-1.5, 2.0], np.float32)


def run(module: Module, inputs: Mapping[str, Any], **options: Any) -> list[Any]:
    return list(runtime.run(module, inputs, **options).values())


def check(proto: ModelProto, **inputs: Any) -> list[Any]:
    """Check that the interpreter gives what onnx's own evaluator gives."""
    got, wanted = run(load(proto), inputs), computed(proto, **inputs)
    for one, other in zip(got, wanted, strict=True):
        assert np.asarray(one).dtype == np.asarray(other).dtype and np.array_equal(one, other, equal_nan=True)
    return got


def test_a_chain() -> None:
    assert check(chain(), x=X)[0].tolist() == [0, 3]


def test_a_program_that_was_not_loaded_is_told_who_computes_its_nodes() -> None:
    module = runtime.parse(runtime.print_module(load(chain())))
    with pytest.raises(MissingSemanticsError, match=r"module\.signatures = frontends\.onnx\.SIGNATURES"):
        run(module, {"x": X})
    assert run(module, {"x": X}, evaluator=evaluator(module))[0].tolist() == [0, 3]
    module.signatures = SIGNATURES
    assert run(module, {"x": X})[0].tolist() == [0, 3]


def test_absent_operands_and_results() -> None:
    nodes = [node("Clip", ["x", "", "hi"], ["c"]), node("TopK", ["c", "k"], ["", "i"])]
    proto = model(
        nodes, [value("x")], [value("c"), value("i", I64, [1])], [constant("hi", np.float32(1)), constant("k", [1])]
    )
    assert [one.tolist() for one in check(proto, x=X)] == [[-1.5, 1], [1]]


def test_an_argument_with_a_default_may_be_left_out() -> None:
    proto = chain()
    proto.graph.input.append(value("w"))
    module = load(proto)
    assert run(module, {"x": X})[0].tolist() == [0, 3]
    assert run(module, {"x": X, "w": X})[0].tolist() == [0, 4]
    with pytest.raises(InputError):
        run(module, {})


@pytest.mark.parametrize("dtype", [f16, bf16])
def test_low_precision_is_rounded_once_a_result(dtype: Any) -> None:
    code = {f16: TensorProto.FLOAT16, bf16: TensorProto.BFLOAT16}[dtype]
    nodes = [node("Cast", ["x"], ["h"], to=code), node("Softmax", ["h"], ["s"]), node("Cast", ["s"], ["y"], to=F32)]
    proto = model(nodes, [value("x", F32, [64])], [value("y", F32, [64])])
    x = np.linspace(-3, 3, 64, dtype=np.float32)
    low = x.astype(dtype.numpy).astype(np.float32)
    exact = np.exp(low - low.max()) / np.exp(low - low.max()).sum()
    module = load(proto)
    assert np.array_equal(run(module, {"x": x})[0], exact.astype(dtype.numpy).astype(np.float32))
    (softmax,) = nodes_of(module, "Softmax")
    assert np.allclose(run(module, {"x": x}, skip_rounding={softmax})[0], exact, rtol=1e-6)


def test_branches_capture_and_run_one_at_a_time() -> None:
    branches = {
        name: graph(
            [node("Add", ["s", "w"], ["t"])], outputs=[value("t")], constants=[constant("w", np.full(2, k, np.float32))]
        )
        for k, name in enumerate(["then_branch", "else_branch"])
    }
    nodes = [node("Neg", ["x"], ["s"]), node("If", ["c"], ["y"], **branches)]
    proto = model(nodes, [value("x"), value("c", BOOL, [])], [value("y")])
    assert check(proto, x=X, c=np.array(True))[0].tolist() == [1.5, -2]
    assert check(proto, x=X, c=np.array(False))[0].tolist() == [2.5, -1]


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_loops_carry_and_collect(steps: int) -> None:
    body = graph(
        [
            node("Add", ["v", "x"], ["v2"]),
            node("Identity", ["v2"], ["scan"]),
            node("Less", ["n", "most"], ["go"]),
        ],
        [value("n", I64, []), value("c", BOOL, []), value("v")],
        [value("go", BOOL, []), value("v2"), value("scan")],
        [constant("most", np.int64(1))],
    )
    nodes = [node("Loop", ["m", "", "x"], ["y", "all"], body=body)]
    proto = model(nodes, [value("x"), value("m", I64, [])], [value("y"), value("all", F32, ["k", 2])])
    got = run(load(proto), {"x": X, "m": np.array(steps)})
    assert got[0].tolist() == (X * (1 + min(steps, 2))).tolist()
    assert got[1].shape == (min(steps, 2), 2) and got[1].dtype == np.float32


def test_scans_go_along_axes_and_backwards() -> None:
    body = graph(
        [node("Add", ["s", "e"], ["s2"]), node("Identity", ["s2"], ["o"])],
        [value("s"), value("e")],
        [value("s2"), value("o")],
    )
    attributes = {"num_scan_inputs": 1, "scan_input_axes": [1], "scan_input_directions": [1], "scan_output_axes": [1]}
    nodes = [node("Scan", ["s", "x"], ["t", "y"], body=body, **attributes)]
    proto = model(nodes, [value("s"), value("x", F32, [2, 3])], [value("t"), value("y", F32, [2, 3])])
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    total, steps = run(load(proto), {"s": np.zeros(2, np.float32), "x": x})
    assert total.tolist() == [3, 12] and steps.tolist() == [[2, 3, 3], [5, 9, 12]]


def test_a_scan_goes_along_a_vector_of_low_floats() -> None:
    """Its elements have no dimensions; 2048 + 1 is a tie of f16 that goes to 2048."""
    ends = [value("s", F16, []), value("e", F16, [])], [value("s2", F16, []), value("o", F16, [])]
    body = graph([node("Add", ["s", "e"], ["s2"]), node("Identity", ["s2"], ["o"])], *ends)
    nodes = [node("Scan", ["s", "x"], ["t", "y"], body=body, num_scan_inputs=1)]
    proto = model(nodes, [value("s", F16, []), value("x", F16, [3])], [value("t", F16, []), value("y", F16, [3])])
    total, steps = run(load(proto), {"s": np.float16(2047), "x": np.ones(3, np.float16)})
    assert total == 2048 and steps.tolist() == [2048, 2048, 2048] and steps.dtype == np.float16


def test_sequences_go_through() -> None:
    body = graph([node("Relu", ["e"], ["r"])], [value("e", F32, None)], [value("r", F32, None)])
    nodes = [
        node("SequenceConstruct", ["x", "x"], ["s"]),
        node("SequenceMap", ["s"], ["m"], body=body),
        node("SequenceAt", ["m", "i"], ["y"]),
    ]
    proto = model(nodes, [value("x", F16)], [value("y", F16)], [constant("i", np.int64(1))])
    assert check(proto, x=X.astype(np.float16))[0].tolist() == [0, 2]


def test_local_functions_bind_attributes_defaults_and_absent_operands() -> None:
    elu = node("Elu", ["a"], ["e"])
    elu.attribute.add(name="alpha", type=AttributeProto.FLOAT, ref_attr_name="slope")
    clip = node("Clip", ["e", "low"], ["b"])
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    inner = helper.make_function("local", "Inner", ["a", "low"], ["b"], [elu, clip], imports, ["slope"])
    call = node("Inner", ["a"], ["b"], domain="local")
    call.attribute.add(name="slope", type=AttributeProto.FLOAT, ref_attr_name="s")
    outer = helper.make_function("local", "Outer", ["a"], ["b"], [call], imports)
    outer.attribute_proto.add(name="s", type=AttributeProto.FLOAT, f=2.0)
    nodes = [
        node("Outer", ["x"], ["y"], domain="local"),
        node("Outer", ["x"], ["z"], domain="local", s=4.0),
        node("Inner", ["x", "low"], ["w"], domain="local"),
    ]
    outputs = [value(name) for name in "yzw"]
    constants = [constant("low", np.float32(-0.5))]
    proto = model(nodes, [value("x")], outputs, constants, functions=[inner, outer], domains=["local"])
    y, z, w = run(load(proto), {"x": X})
    assert np.allclose(y, [2 * np.expm1(-1.5), 2]) and np.allclose(z, [4 * np.expm1(-1.5), 2])
    assert w.tolist() == [-0.5, 2]


def test_values_of_unknown_type_are_rounded_by_the_schema() -> None:
    nodes_ = [node("Mul", ["a", "a"], ["m"]), node("Sub", ["m", "a"], ["b"])]
    function = helper.make_function("local", "F", ["a"], ["b"], nodes_, [helper.make_opsetid("", 17)])
    proto = model(
        [node("F", ["x"], ["y"], domain="local")],
        [value("x", F16)],
        [value("y", F16)],
        functions=[function],
        domains=["local"],
    )
    x = np.array([1.2345, 2.7], np.float16)
    assert np.array_equal(run(load(proto), {"x": x})[0], x * x - x)


def test_what_nobody_can_compute_is_named() -> None:
    proto = model([node("Op", ["x"], ["y"], domain="d")], [value("x")], [value("y")], domains=["d"])
    with pytest.raises(MissingSemanticsError, match=r"d::Op.*\n.*`%y: f32\[2\] = onnx.node \"d::Op\" %x` in @main"):
        run(load(proto), {"x": X})
    inner = graph([], outputs=[value("x")])
    proto = model([node("Op", ["x"], ["y"], domain="d", g=inner)], [value("x")], [value("y")], domains=["d"])
    with pytest.raises(MissingSemanticsError, match="Op"):
        run(load(proto), {"x": X})


def test_operands_that_do_not_go_together_are_reported_with_the_node() -> None:
    proto = chain()
    proto.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "n"
    with pytest.raises(InterpreterError, match="cannot be computed: .*\n.*ai.onnx::Add"):
        run(load(proto), {"x": np.zeros(3, np.float32)})


def test_a_name_that_prints_in_quotes_is_given_plain_or_quoted() -> None:
    proto = model([node("Relu", ["x:0"], ["y"])], [value("x:0")], [value("y")])
    for name in ("x:0", '"x:0"'):
        assert run(load(proto), {name: X})[0].tolist() == [0, 2]
    with pytest.raises(InputError, match="argument .* is missing"):
        run(load(proto), {"x:1": X})


@pytest.mark.parametrize("extent", ["?", "-1", "None", ""])
def test_extents_that_are_called_alike_though_nobody_knows_them(extent: str) -> None:
    proto = model([node("Relu", ["x"], ["y"])], [value("x", shape=[extent, extent])], [value("y", shape=None)])
    proto.graph.input[0].type.tensor_type.shape.dim[0].dim_param = extent
    assert run(load(proto), {"x": np.ones((2, 3), np.float32)})[0].shape == (2, 3)
    assert to_proto(load(proto)).graph.input[0] == proto.graph.input[0]
    proto.graph.input[0].CopyFrom(value("x", shape=["n", "n"]))
    with pytest.raises(InputError, match="so n is 3"):
        run(load(proto), {"x": np.ones((2, 3), np.float32)})
