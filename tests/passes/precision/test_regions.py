"""Regions: what passes their borders in the lower float, and what does not: an index, or what may be out of range."""

from typing import Any

import numpy as np
import pytest
from onnx import helper, numpy_helper

from tests.passes.precision.models import (
    I64,
    B,
    F,
    agrees,
    casts,
    convert,
    converted,
    graph,
    model,
    node,
    precisions,
    value,
)

X, Y = value("x", F, [2]), value("y", F, [2])
C, M = value("c", B, []), value("m", I64, [])
FEEDS = dict(x=np.array([0.5, -1], np.float32), c=np.array(True), m=np.array(3))


def branches(then: list[Any], other: list[Any], last: Any = None) -> Any:
    """`a` is low, `r` is what the branches give."""
    regions = dict(
        then_branch=graph(then, [], [value("p", F, [2])]), else_branch=graph(other, [], [value("q", F, [2])])
    )
    nodes = [node("Relu", ["x"], "a"), node("If", ["c"], "r", **regions), last or node("Neg", ["r"], "y")]
    return model(nodes, [X, C], [Y], {"k": np.float32(1e9), "z": np.zeros(2, np.float32)})


def loop(*body: Any, first: str = "a", constants: dict[str, Any] | None = None, after: Any = None) -> Any:
    """The state `s` starts with `first` and becomes `t`; each round gives `e` too."""
    region = graph(
        [node("Identity", ["go"], "on"), *body],
        [value("i", I64, []), value("go", B, []), value("s", F, [2])],
        [value("on", B, []), value("t", F, [2]), value("e", F, [2])],
    )
    looped = helper.make_node("Loop", ["m", "c", first], ["r", "each"], body=region)
    nodes = [node("Relu", ["x"], "a"), looped, after or node("Neg", ["r"], "y")]
    return model(nodes, [X, C, M], [Y, value("each", F, ["n", 2])], constants)


def test_a_result_follows_branches_that_are_both_low() -> None:
    source = branches([node("Mul", ["a", "a"], "p")], [node("Neg", ["a"], "q")])
    result, found = converted(source)
    assert found["p"] == found["q"] == found["r"] == found["y"] == "f16"
    assert len(casts(result.graph)) == 2  # at the ends of the program
    for condition in (True, False):
        agrees(source, result, 2e-3, x=FEEDS["x"], c=np.array(condition))


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ([node("Softmax", ["a"], "q")], "a reduction"),
        ([node("Exp", ["a"], "q")], "out of range"),
        ([node("Identity", ["x"], "q")], "an input, as it is"),
    ],
)
def test_a_branch_in_f32_keeps_the_result_in_f32(other: list[Any], why: str) -> None:
    source = branches([node("Mul", ["a", "a"], "p")], other)
    result, found = converted(source)
    assert (found["p"], found["q"], found["r"]) == ("f16", "f32", "f32"), why
    assert found["y"] == ("f32" if why == "out of range" else "f16")
    agrees(source, result, 2e-3, x=FEEDS["x"], c=FEEDS["c"])


def test_a_constant_in_a_branch_is_no_reason_unless_it_is_out_of_range() -> None:
    zeros = node("Identity", ["z"], "q")
    source = branches([node("Mul", ["a", "a"], "p")], [zeros])
    result, found = converted(source)
    assert found["r"] == found["y"] == "f16"
    agrees(source, result, 2e-3, x=FEEDS["x"], c=np.array(False))
    large = [node("Expand", ["k", "two"], "q")]
    source = branches([node("Mul", ["a", "a"], "p")], large)
    source.graph.initializer.append(numpy_helper.from_array(np.array([2]), "two"))
    assert precisions(source)["r"] == precisions(source)["y"] == "f32"


def test_what_a_loop_carries_is_low_where_it_starts_and_stays_low() -> None:
    source = loop(node("Mul", ["s", "s"], "t"), node("Neg", ["t"], "e"))
    result, found = converted(source)
    assert found["t"] == found["e"] == found["r"] == found["y"] == "f16"
    (body,) = [node.attribute[0].g for node in result.graph.node if node.op_type == "Loop"]
    assert not casts(body) and body.input[2].type.tensor_type.elem_type == 10
    agrees(source, result, 2e-3, **FEEDS)


def test_what_a_loop_carries_is_f32_where_it_starts_in_f32() -> None:
    source = loop(node("Mul", ["s", "s"], "t"), node("Neg", ["t"], "e"), first="x")
    result, found = converted(source)
    assert (found["t"], found["e"], found["r"], found["y"]) == ("f16", "f16", "f16", "f16")
    (body,) = [node.attribute[0].g for node in result.graph.node if node.op_type == "Loop"]
    assert body.input[2].type.tensor_type.elem_type == F and len(casts(body)) == 2
    agrees(source, result, 2e-3, **FEEDS)


def test_what_a_loop_carries_is_f32_where_a_round_makes_it_f32() -> None:
    source = loop(node("Softmax", ["s"], "t"), node("Neg", ["s"], "e"))
    result, found = converted(source)
    assert (found["t"], found["e"]) == ("f32", "f16")
    agrees(source, result, 2e-3, **FEEDS)


def test_what_may_be_out_of_range_in_one_round_may_be_in_the_next() -> None:
    source = loop(node("Exp", ["s"], "t"), node("Neg", ["s"], "e"))
    assert {one: precisions(source)[one] for one in ("t", "e", "r", "y")} == dict(t="f32", e="f32", r="f32", y="f32")
    in_bf16 = precisions(source, "autocast-bf16")
    assert {in_bf16[one] for one in ("t", "e", "r", "y")} == {"bf16"}


def test_an_index_inside_a_region_keeps_what_it_captures_in_f32() -> None:
    inner = [node("Floor", ["p"], "f"), node("Cast", ["f"], "i", to=I64), node("Gather", ["data", "i"], "g")]
    region = dict(
        then_branch=graph(inner, [], [value("g", F, [2])]),
        else_branch=graph([node("Neg", ["a"], "q")], [], [value("q", F, [2])]),
    )
    nodes = [node("Relu", ["x"], "a"), node("Mul", ["a", "k"], "p"), node("If", ["c"], "y", **region)]
    inputs = [X, C, value("data", F, [5000])]
    source = model(nodes, inputs, [Y], {"k": np.float32(4999)})
    result, found = converted(source)
    assert found["p"] == found["a"] == "f32"
    data = np.arange(5000, dtype=np.float32) / 5000
    agrees(source, result, 1e-3, x=np.array([0.7, 0.9999], np.float32), c=np.array(True), data=data)
    twin = model(nodes[:2] + [node("Add", ["a", "p"], "y")], inputs, [Y], {"k": np.float32(4999)})
    assert precisions(twin)["p"] == "f16"


@pytest.mark.parametrize("use", ["inside", "behind"])
def test_an_index_that_a_loop_carries_is_f32_all_the_way_round(use: str) -> None:
    """A counter: in f16 it would stop at 2048, in bf16 at 256."""
    ends = {"inside": [node("Cast", ["s"], "n", to=I64), node("Cast", ["n"], "e", to=F)], "behind": []}
    body = [node("Add", ["s", "one"], "t"), *(ends[use] or [node("Neg", ["s"], "e")])]
    after = [node("Cast", ["r"], "i", to=I64), node("Cast", ["i"], "y", to=F)]
    source = loop(*body, first="x", constants={"one": np.float32(1)}, after=after[0])
    source.graph.node.append(after[1])
    for policy, first in (("autocast-f16", 2040), ("autocast-bf16", 250)):
        result, found = converted(source, policy)
        assert found["t"] == found["r"] == "f32"
        agrees(source, result, 0, x=np.full(2, first, np.float32), c=np.array(True), m=np.array(20))


def test_a_scan_carries_and_collects_in_the_lower_float() -> None:
    region = graph(
        [node("Add", ["s", "one"], "t"), node("Mul", ["t", "k"], "e")],
        [value("s", F, [2]), value("one", F, [2])],
        [value("t", F, [2]), value("e", F, [2])],
    )
    scan = helper.make_node("Scan", ["b", "a"], ["r", "each"], body=region, num_scan_inputs=1)
    nodes = [node("Relu", ["x"], "a"), node("Neg", ["u"], "b"), scan, node("Neg", ["each"], "y")]
    inputs = [value("x", F, [3, 2]), value("u", F, [2])]
    outputs = [value("y", F, [3, 2]), value("r", F, [2])]
    source = model(nodes, inputs, outputs, {"k": np.float32(0.5)})
    result, found = converted(source)
    assert found["t"] == found["e"] == found["r"] == found["y"] == "f16"
    (body,) = [node.attribute for node in result.graph.node if node.op_type == "Scan"]
    (inner,) = [attribute.g for attribute in body if attribute.name == "body"]
    assert not casts(inner)
    agrees(source, result, 5e-3, x=np.ones((3, 2), np.float32), u=np.zeros(2, np.float32))


def test_bf16_passes_a_border_where_the_operator_set_lets_it() -> None:
    source = branches([node("Mul", ["a", "a"], "p")], [node("Neg", ["a"], "q")])
    for opset, runs_in in ((13, "f32"), (16, "bf16")):
        source.opset_import[0].version = opset
        _, report = convert(source, "autocast-bf16")
        assert {line.value: line.precision for line in report.lines}["r"] == runs_in


def test_an_operator_whose_regions_nobody_knows_gives_f32() -> None:
    region = graph([node("Exp", ["s"], "t")], [value("s", F, [2])], [value("t", F, [2])])
    nodes = [
        node("Relu", ["x"], "a"),
        node("SequenceConstruct", ["a", "a"], "l"),
        node("SequenceMap", ["l"], "n", body=region),
    ]
    nodes += [node("SequenceAt", ["n", "zero"], "b"), node("Neg", ["b"], "y")]
    source = model(nodes, [X], [Y], {"zero": np.array(0)})
    result, found = converted(source)
    assert (found["a"], found["t"], found["b"]) == ("f16", "f32", "f32")
    agrees(source, result, 2e-3, x=FEEDS["x"])
