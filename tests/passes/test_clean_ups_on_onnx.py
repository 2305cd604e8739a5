"""The clean-up passes on ONNX models: onnxruntime computes the same bits before and after; outputs keep their names."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
import pytest
from onnx import ModelProto, NodeProto, TensorProto

from frontends.onnx import load
from passes.registry import load_pass
from tests.frontends.onnx.models import BOOL, F16, F32, check_valid, constant, graph, model, node, value

I8, I32, BF16 = TensorProto.INT8, TensorProto.INT32, TensorProto.BFLOAT16
X = np.array([1.1, -2.5, 7e4, np.inf, -0.0, 1e-8], np.float32)
SHAPE = (6,)


def cast(source: str, result: str, to: int, **attributes: Any) -> NodeProto:
    return node("Cast", [source], [result], to=to, **attributes)


def cleaned(nodes: Sequence[NodeProto], outputs: dict[str, int], *passes: str, **more: Any) -> list[tuple[str, ...]]:
    """Run passes on a model of `x`, hold its results against those of before, and return what is left of the nodes."""
    before = model(
        nodes, [value("x", F32, SHAPE)], [value(name, code, SHAPE) for name, code in outputs.items()], **more
    )
    module = load(before)
    for name in passes:
        load_pass(name)().runOnModule(module)
    after = check_valid(module)
    assert [output.name for output in after.graph.output] == list(outputs)
    for wanted, found in zip(results(before), results(after), strict=True):
        assert wanted.tobytes() == found.tobytes()
    return [(one.op_type, *one.input, *one.output) for one in after.graph.node]


def results(proto: ModelProto) -> list[Any]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # it warns of what nobody uses
    session = onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return list(session.run(None, {"x": X}))


def test_casts_of_a_value_are_shared_and_those_of_a_cast_folded() -> None:
    nodes = [
        cast("x", "a", F16),
        cast("x", "b", F16),
        cast("b", "c", F32),
        cast("c", "d", F16),
        node("Add", ["a", "d"], ["y"]),
    ]
    assert cleaned(nodes, {"y": F16}, "share-casts") == [
        ("Cast", "x", "a"),
        ("Cast", "a", "c"),
        ("Cast", "c", "d"),
        ("Add", "a", "d", "y"),
    ]
    # d is a rounding that the model has written: it stays, and reads what was widened
    left = [("Cast", "x", "a"), ("Cast", "a", "d"), ("Add", "a", "d", "y")]
    assert cleaned(nodes, {"y": F16}, "share-casts", "fold-casts") == left


def test_what_a_graph_hands_out_keeps_its_name() -> None:
    nodes = [cast("x", "y", F16, name="one"), cast("x", "z", F16, name="other"), cast("x", "same", F32)]
    assert cleaned(nodes, {"y": F16, "z": F16, "same": F32}, "share-casts", "fold-casts") == [
        ("Cast", "x", "y"),
        ("Cast", "x", "same"),
        ("Identity", "y", "z"),
    ]


def test_a_cast_to_its_own_dtype_is_nothing() -> None:
    nodes = [cast("x", "same", F32), node("Relu", ["same"], ["y"])]
    assert cleaned(nodes, {"y": F32}, "fold-casts") == [("Relu", "x", "y")]


@pytest.mark.parametrize(
    ("through", "to"),
    [
        (F16, F32),  # rounds
        (I32, F32),  # loses the fraction
        (BOOL, F32),
    ],
)
def test_what_changes_values_stays(through: int, to: int) -> None:
    nodes = [node("Tanh", ["x"], ["t"]), cast("t", "a", through), cast("a", "b", to), node("Neg", ["b"], ["y"])]
    assert len(cleaned(nodes, {"y": F32}, "share-casts", "fold-casts")) == 4


def test_floats_to_integers_go_the_way_that_is_written() -> None:
    nodes = [node("Tanh", ["x"], ["t"]), cast("t", "a", F16), cast("a", "b", F32), cast("b", "y", I32)]
    assert len(cleaned(nodes, {"y": I32}, "fold-casts")) == 4
    nodes = [cast("x", "p", BOOL), cast("p", "b", F32), cast("b", "y", I32)]
    assert cleaned(nodes, {"y": I32}, "fold-casts") == [("Cast", "x", "p"), ("Cast", "p", "y")]


def test_a_branch_captures_the_cast_in_front_of_it() -> None:
    then = graph([cast("x", "b", F16), node("Neg", ["b"], ["r"])], outputs=[value("r", F16, SHAPE)], name="then")
    other = graph([cast("x", "c", F16), node("Abs", ["c"], ["s"])], outputs=[value("s", F16, SHAPE)], name="other")
    nodes = [cast("x", "a", F16), node("If", ["p"], ["y"], then_branch=then, else_branch=other)]
    constants = [constant("p", np.array(True))]
    left = cleaned([*nodes, node("Add", ["a", "y"], ["z"])], {"z": F16}, "share-casts", constants=constants)
    assert [op for op, *_ in left] == ["Cast", "If", "Add"]
    module = load(model([*nodes], [value("x", F32, SHAPE)], [value("y", F16, SHAPE)], constants))
    shared = load_pass("share-casts")()
    shared.runOnModule(module)
    assert shared.changed and sum("Cast" in inst.rhs_str() for inst in module.insts) == 1


def test_nodes_and_weights_that_nobody_needs_go() -> None:
    nodes = [node("Relu", ["x"], ["y"]), node("Add", ["x", "w"], ["dead"]), node("Neg", ["dead"], ["deader"])]
    constants = [constant("w", np.ones(6, np.float32))]
    assert cleaned(nodes, {"y": F32}, "eliminate-dead-code", constants=constants) == [("Relu", "x", "y")]


def test_operators_of_which_nothing_is_known_stay() -> None:
    nodes = [node("Relu", ["x"], ["y"]), node("Log", ["x"], ["dead"], domain="vendor")]
    proto = model(nodes, [value("x", F32, SHAPE)], [value("y", F32, SHAPE)], domains=("vendor",))
    module = load(proto)
    elimination = load_pass("eliminate-dead-code")()
    assert not elimination.runOnModule(module)
    (kept,) = elimination.why_kept(module.root_function)
    assert kept[1] == "nothing is known of vendor::Log"


def test_a_cast_like_another_value_takes_two_operands() -> None:
    nodes = [cast("x", "a", F16), node("CastLike", ["x", "a"], ["b"]), node("Add", ["a", "b"], ["y"])]
    assert len(cleaned(nodes, {"y": F16}, "share-casts", "fold-casts")) == 3
