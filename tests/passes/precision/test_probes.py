"""Small models beside what public reports are about, one kind of fault each; of a value is said what it is computed in.

Each gives what its source gives, within a tolerance, on onnxruntime and with one rounding for each result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pytest

from tests.passes.precision.models import converted, read
from tests.passes.precision.report_case import ReportCase
from tests.passes.precision.test_public_reports import compare, on_onnxruntime

POLICIES: Final = ("autocast-f16", "autocast-bf16")


def f32(*numbers: float) -> Any:
    """Return a scalar, or a vector of f32."""
    return np.array(numbers if len(numbers) > 1 else numbers[0], np.float32)


def random(*shape: int) -> Any:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


@dataclass(frozen=True)
class Probe:
    """A model by its text, what it is run on, and what is low or f32 of it; in bf16 only where that is asked for."""

    text: str
    feeds: Mapping[str, Any]
    low: str = ""
    wide: str = ""
    opset: int = 17
    within: float = 0.02
    policies: tuple[str, ...] = POLICIES
    weights: Mapping[str, Any] = field(default_factory=dict)


X22, W22 = {"x": random(2, 2)}, {"w": random(2, 2)}
F16 = POLICIES[:1]
PROBES: Final[Mapping[str, Probe]] = {
    "text of a float": Probe(
        "g (float[2] x) => (string[2] s, float[2] y) { h = Mul(x, k) s = Cast <to = 8> (h) y = MatMul(w, h) }",
        {"x": f32(0.1, 0.2)},
        wide="h",
        weights={"k": f32(1), **W22},
    ),
    "number in a text": Probe(
        "g (string[2] s, float[2,2] x) => (float[2] y) { h = Cast <to = 1> (s) y = MatMul(x, h) }",
        {"s": np.array(["0.5", "-2"], object), **X22},
        low="y",
    ),
    "average of many, divided by a size": Probe(
        "g (float[300,300] x) => (float y) { s = ReduceSum <keepdims = 0> (x) n = Size(x) f = Cast <to = 1> (n)"
        " m = Div(s, f) y = Mul(m, m) }",
        {"x": random(300, 300) + 1},
        wide="m",
        opset=13,
        policies=F16,
    ),
    "rounding through reshapes": Probe(
        "g (float[4] x) => (float[4] y) { h = Cast <to = 10> (x) r = Reshape(h, s) w = Cast <to = 1> (r)"
        " f = Reshape(w, t) e = Sub(x, f) y = Mul(e, k) }",
        {"x": f32(1.0001, 2.0003, 3.0007, 0.33333)},
        wide="e y",
        within=1e-6,
        weights={"k": f32(1000), "s": np.array([2, 2]), "t": np.array([4])},
    ),
    "value outside of a crop": Probe(
        'g (float[1,1,4,4] x) => (float[1,1,3,3] y) { a = Mul(x, k) y = Resize <mode = "linear",'
        ' coordinate_transformation_mode = "tf_crop_and_resize", extrapolation_value = -70000.0> (a, r, , n) }',
        {"x": random(1, 1, 4, 4)},
        wide="y",
        opset=13,
        policies=F16,
        weights={"k": f32(2), "r": f32(0, 0, 0.2, 0.2, 1, 1, 1.3, 0.9), "n": np.array([1, 1, 3, 3])},
    ),
    "value of a pad, an attribute": Probe(
        "g (float[1,1,4] x) => (float[1,1,6] y) { a = Mul(x, k) p = Pad <pads = [0,0,1,0,0,1], value = -3e38> (a)"
        " y = Mul(p, h) }",
        {"x": random(1, 1, 4)},
        low="a",
        wide="p y",
        opset=7,
        policies=F16,
        weights={"k": f32(2), "h": f32(0.5)},
    ),
    "scales that are computed and used": Probe(
        "g (float[1,1,4,4] x, float[2] r) => (float[1,1,N,M] y) { h = Mul(r, k) s = Concat <axis = 0> (o, h)"
        ' z = Resize <mode = "nearest"> (x, , s) y = Mul(z, k) }',
        {"x": random(1, 1, 4, 4), "r": f32(1.25, 0.5)},
        low="z y",
        wide="h s",
        opset=13,
        weights={"k": f32(2), "o": np.ones(2, np.float32)},
    ),
    "values that Unique counts": Probe(
        "g (float[6] x) => (float[N] y, int64[N] c) { a = Mul(x, k) u, , , c = Unique(a) y = Mul(u, k) }",
        {"x": f32(4097, 4098, 4099, 4097, 1, 1)},
        wide="a u",
        opset=13,
        weights={"k": f32(1)},
    ),
    "end of a slice": Probe(
        "g (float[6000] x, float r) => (float[N] y) { p = Mul(r, n) c = Ceil(p) i = Cast <to = 7> (c)"
        " e = Unsqueeze(i, z) s = Slice(x, z, e) y = Mul(s, k) }",
        {"x": random(6000), "r": f32(0.68334)},
        low="y",
        wide="p c",
        opset=13,
        weights={"n": f32(6000), "z": np.array([0]), "k": f32(2)},
    ),
    "length of an expansion": Probe(
        "g (float[1] x, float r) => (float[N] y) { p = Mul(r, n) i = Cast <to = 7> (p) u = Unsqueeze(i, z)"
        " e = Expand(x, u) y = Mul(e, k) }",
        {"x": random(1), "r": f32(0.68334)},
        low="y",
        wide="p",
        opset=13,
        weights={"n": f32(6000), "z": np.array([0]), "k": f32(2)},
    ),
    "positions by a running sum": Probe(
        "g (float[1,4100] m, float[4101,2] e) => (float[1,4100,2] y) { c = CumSum(m, a) p = Mul(c, m)"
        " i = Cast <to = 7> (p) g = Gather(e, i) y = Mul(g, k) }",
        {"m": np.ones((1, 4100), np.float32), "e": np.arange(8202, dtype=np.float32).reshape(4101, 2) / 100},
        low="y",
        wide="c p",
        opset=14,
        within=2e-3,
        weights={"a": np.array(1), "k": f32(2)},
    ),
    "places that are scattered to": Probe(
        "g (float[5000] x, float[2,1] r, float[2] u) => (float[5000] y) { p = Mul(r, n) i = Cast <to = 7> (p)"
        " s = ScatterND(x, i, u) y = Mul(s, k) }",
        {"x": random(5000), "r": np.array([[0.98123], [0.77771]], np.float32), "u": random(2)},
        low="y",
        wide="p",
        opset=16,
        weights={"n": f32(4999), "k": f32(2)},
    ),
    "branches that read one low value": Probe(
        "g (float[2,2] x, bool c) => (float[2,2] y) { a = MatMul(x, w) y = If (c) <then_branch = p () =>"
        " (float[2,2] u) { b = MatMul(a, w) u = Add(b, a) }, else_branch = q () => (float[2,2] v) { v = MatMul(a, a)"
        " }> }",
        {**X22, "c": np.array(True)},
        low="a b u v",
        weights=W22,
    ),
    "branch that is a large constant": Probe(
        "g (float[2,2] x, bool c) => (float[2,2] y) { a = MatMul(x, w) b = If (c) <then_branch = p () =>"
        " (float[2,2] u) { u = Constant <value = float[2,2] {1e9, 1, 2, 3}> () }, else_branch = q () =>"
        " (float[2,2] v) { v = Identity(a) }> y = Add(b, b) }",
        {**X22, "c": np.array(True)},
        low="a",
        wide="y",
        policies=F16,
        weights=W22,
    ),
    "states that change places": Probe(
        "g (int64 n, bool c, float[2,2] x) => (float[2,2] y, float[2,2] v) { a = MatMul(x, w) y, v = Loop (n, c, a, x)"
        " <body = b (int64 i, bool go, float[2,2] s, float[2,2] t) => (bool on, float[2,2] p, float[2,2] q)"
        " { on = Identity(go) p = Identity(t) q = MatMul(s, w) }> }",
        {**X22, "n": np.array(3), "c": np.array(True)},
        low="a q",
        weights=W22,
    ),
    "rows from behind": Probe(
        "g (float[2,3] x, float[2,2] h) => (float[2,2] y, float[2,3] z) { y, z = Scan <num_scan_inputs = 1,"
        " scan_input_axes = [1], scan_output_axes = [1], scan_input_directions = [1], body = b (float[2,2] s,"
        " float[2] e) => (float[2,2] t, float[2] o) { p = MatMul(s, e) o = Tanh(p) t = MatMul(s, s) }> (h, x) }",
        {"x": random(2, 3), "h": random(2, 2) / 2},
        low="p o t",
        within=0.03,
    ),
    "sequence that is split and read": Probe(
        "g (float[4,2] x) => (seq(float[2,2]) s, float[2,2] y) { a = MatMul(x, w) s = SplitToSequence(a, n)"
        " e = SequenceAt(s, z) y = MatMul(e, w) }",
        {"x": random(4, 2)},
        low="a y",
        opset=13,
        weights={"n": np.array(2), "z": np.array(1), **W22},
    ),
    "epsilon by a cast from double": Probe(
        "g (float[4] x, float[4] v) => (float[4] y) { e = Cast <to = 1> (d) m = Max(v, e) q = Div(x, m) y = Tanh(q) }",
        {"x": np.zeros(4, np.float32), "v": np.zeros(4, np.float32)},
        wide="m q",
        weights={"d": np.float64(1e-12)},
        policies=F16,
    ),
    "epsilon around a branch": Probe(
        "g (float[4] x, float[4] v, bool c) => (float[4] y) { y = If (c) <then_branch = p () => (float[4] u)"
        " { m = Max(v, e) d = Div(x, m) u = Tanh(d) }, else_branch = q () => (float[4] w) { w = Relu(x) }> }",
        {"x": np.zeros(4, np.float32), "v": np.zeros(4, np.float32), "c": np.array(True)},
        wide="m d",
        weights={"e": f32(1e-12)},
        policies=F16,
    ),
    "step of an optimizer": Probe(
        "g (float[4] m, float[4] v, float[4] p) => (float[4] y) { r = Sqrt(v) d = Add(r, e) q = Div(m, d)"
        " s = Mul(q, l) y = Sub(p, s) }",
        {"m": np.zeros(4, np.float32), "v": np.zeros(4, np.float32), "p": random(4)},
        wide="d q",
        weights={"e": f32(1e-8), "l": f32(1e-3)},
        policies=F16,
    ),
    "softplus by hand": Probe(
        "g (float[4] x) => (float[4] y) { a = Mul(x, k) e = Exp(a) o = Add(e, i) y = Log(o) }",
        {"x": f32(-20, 0, 1, 15)},
        wide="e o",
        weights={"k": f32(2), "i": f32(1)},
        policies=F16,
    ),
    "root of two squares": Probe(
        "g (float[4] a, float[4] b) => (float[4] y) { p = Pow(a, t) q = Pow(b, t) s = Add(p, q) y = Sqrt(s) }",
        {"a": f32(300, 400, 1, 2), "b": f32(400, 300, 1, 2)},
        wide="p q s",
        policies=F16,
        weights={"t": f32(2)},
    ),
    "a mean and what is left without it": Probe(
        "g (float[2,64] x) => (float[2,64] y) { m = ReduceMean <axes = [-1]> (x) d = Sub(x, m) a = Abs(d)"
        " s = ReduceMean <axes = [-1]> (a) e = Add(s, k) y = Div(d, e) }",
        {"x": random(2, 64) * 2 + 100},
        wide="d",
        within=0.005,
        weights={"k": f32(1e-5)},
    ),
    "statistics of a batch in training": Probe(
        "g (float[2,2,3] x) => (float[2,2,3] y, float[2] a, float[2] b) { h = Mul(x, k) y, a, b = BatchNormalization"
        " <training_mode = 1, momentum = 0.9> (h, s, t, m, v) }",
        {"x": random(2, 2, 3)},
        low="h",
        wide="y",
        opset=14,
        weights={"k": f32(2), "s": f32(1, 2), "t": f32(0, 1), "m": f32(0.5, 1e5), "v": f32(1, 1e9)},
    ),
    "bias of 32 bits": Probe(
        "g (float[2,4] x) => (float[2,3] y) { b = DequantizeLinear(q, s) a = MatMul(x, w) y = Add(a, b) }",
        {"x": random(2, 4)},
        low="a",
        opset=13,
        weights={"q": np.array([100000, -3000000, 5], np.int32), "s": f32(1e-6), "w": random(4, 3)},
    ),
    "weight by scales of blocks": Probe(
        "g (float[2,4] x) => (float[2,3] y) { w = DequantizeLinear <axis = 0, block_size = 2> (q, s)"
        " y = MatMul(x, w) }",
        {"x": random(2, 4)},
        low="y",
        opset=21,
        weights={"q": np.arange(-6, 6, dtype=np.int8).reshape(4, 3), "s": abs(random(2, 3)) / 50},
    ),
    "states and lengths of an LSTM": Probe(
        "g (float[3,1,4] x, int32[1] n) => (float[3,2,1,2] y, float[2,1,2] h) { a = MatMul(x, w) o, h, c = LSTM"
        ' <hidden_size = 2, direction = "bidirectional"> (a, i, r, b, n, s, t) y = Mul(o, k) }',
        {"x": random(3, 1, 4), "n": np.array([3], np.int32)},
        low="a",
        opset=14,
        within=0.03,
        weights={
            **{"k": f32(2), "w": random(4, 4), "i": random(2, 8, 4), "r": random(2, 8, 2), "b": random(2, 16)},
            **{"s": random(2, 1, 2), "t": random(2, 1, 2)},
        },
    ),
    "mask of one operand and its type": Probe(
        "g (float[2,2] x) => (float[2,2] y, bool[2,2] m) { a = MatMul(x, w) y, m = Dropout <ratio = 0.3> (a) }",
        X22,
        low="a y",
        opset=10,
        policies=F16,
        weights=W22,
    ),
    "probability that is shared with a factor": Probe(
        "g (float[2,2] x) => (float[2,2] y) { a = MatMul(x, w) d = Dropout(a, r) y = Mul(d, r) }",
        X22,
        low="a d y",
        opset=13,
        weights={"r": f32(0.1), **W22},
    ),
    "cache of keys and values": Probe(
        "g (float[1,2,1,8] q, float[1,2,1,8] k, float[1,2,3,8] p) => (float[1,2,1,8] y, float[1,2,4,8] n,"
        " float[1,2,4,8] m) { a = Mul(q, s) y, n, m = Attention <softmax_precision = 1> (a, k, k, , p, p) }",
        {"q": random(1, 2, 1, 8), "k": random(1, 2, 1, 8), "p": random(1, 2, 3, 8)},
        low="a",
        opset=23,
        weights={"s": f32(2)},
    ),
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", PROBES)
def test_probe(name: str, policy: str) -> None:
    holds(PROBES[name], policy)


def holds(probe: Probe, policy: str) -> None:
    """Hold what a converted model gives against its source, and what its values are computed in."""
    source = read(probe.text, probe.opset, **probe.weights)
    source.ir_version = 10
    result, found = converted(source, policy)
    within = probe.within * (4 if policy == "autocast-bf16" and probe.within > 1e-3 else 1)
    compare(ReportCase(source, probe.feeds, (), within), result, within)
    if policy in probe.policies:
        low = policy.removeprefix("autocast-")
        assert {one: found.get(one) for one in probe.low.split()} == dict.fromkeys(probe.low.split(), low)
        assert {one: found.get(one, "f32") for one in probe.wide.split()} == dict.fromkeys(probe.wide.split(), "f32")


@pytest.mark.parametrize("policy", ["always-f16", "auto-mixed", "auto-mixed-conservative", "auto-mixed-bf16"])
def test_policies_that_look_at_no_values_give_models_that_load(policy: str) -> None:
    for name, probe in PROBES.items():
        source = read(probe.text, probe.opset, **probe.weights)
        source.ir_version = 10
        result, _ = converted(source, policy)
        given = on_onnxruntime(result, probe.feeds)
        assert given is None or len(given) == len(source.graph.output), name


@pytest.mark.parametrize("policy", ["autocast-bf16", "auto-mixed-bf16"])
@pytest.mark.parametrize(
    ("body", "opset"),
    [
        ("a = Mul(x, x) y = Clip(a, k) l = ReduceSum <keepdims = 0> (y)", 13),
        ("a = Mul(x, x) l, y = SoftmaxCrossEntropyLoss(a, t)", 13),
        ("a = Mul(x, x) l, y = SoftmaxCrossEntropyLoss(a, t)", 21),
    ],
)
def test_functions_of_what_has_no_bf16_stay_f32(policy: str, body: str, opset: int) -> None:
    """onnxruntime expands them, and refuses what their bodies have in bf16; so the f32 model must come of it."""
    source = read(f"g (float[2,3] x, int64[2] t) => (float l, float[2,3] y) {{ {body} }}", opset, k=f32(0))
    result, found = converted(source, policy)
    assert (found["a"], found.get("y", found["l"])) == ("bf16", "f32")
    on_onnxruntime(result, {"x": random(2, 3), "t": np.array([0, 2])})
