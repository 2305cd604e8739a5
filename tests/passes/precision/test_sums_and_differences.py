"""Sums over rounds, ratios of sums, differences of what a program receives, and terms that cancel; and their twins.

What each gives is held against its source, on onnxruntime and with one rounding for each result.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

from tests.passes.precision.models import precisions, read
from tests.passes.precision.test_probes import F16, POLICIES, Probe, f32, holds, random

LOOP: Final = "(int64 i, bool go, float[2] s) => (bool on, float[2] t)"
ROWS: Final = {"x": abs(random(3000, 2)) + np.float32(0.5)}
ZERO: Final = {"z": f32(0, 0)}
AXIS: Final = {"a": np.array([1])}
IMAGES: Final = {"x": abs(random(1, 1, 16, 16)) / 10 + f32(0.5), "v": abs(random(1, 1, 16, 16)) / 9 + f32(0.5)}
MEANS: Final = (
    " mx = Conv(x, k) mv = Conv(v, k) p = Mul(x, v) e = Conv(p, k) q = Mul(mx, mv) y = Sub(e, q) }",
    {"k": np.full((1, 1, 7, 7), 1 / 49, np.float32)},
)
SUMS: Final = {
    "rows, one after the other": Probe(
        "g (float[3000,2] x) => (float[2] y) { y = Scan <num_scan_inputs = 1, body ="
        " b (float[2] s, float[2] e) => (float[2] t) { q = Mul(e, e) t = Add(s, q) }> (z, x) }",
        ROWS,
        wide="t y",
        within=0.01,
        weights=ZERO,
    ),
    "rows in a branch": Probe(
        "g (float[3000,2] x, int64 m, bool c) => (float[2] y) { y = Loop(m, c, z) <body = b " + LOOP + " {"
        " on = Identity(go) r = Gather(x, i) t = If (c) <then_branch = h () => (float[2] u) { u = Add(s, r) },"
        " else_branch = l () => (float[2] v) { v = Identity(s) }> }> }",
        {**ROWS, "m": np.array(3000), "c": np.array(True)},
        wide="u y",
        within=0.01,
        weights=ZERO,
    ),
    "a mean that moves slowly": Probe(
        "g (float[3000,2] x) => (float[2] y) { y = Scan <num_scan_inputs = 1, body = b (float[2] s, float[2] e)"
        " => (float[2] t) { d = Sub(e, s) q = Mul(d, k) t = Add(s, q) }> (z, x) }",
        ROWS,
        wide="t y",
        weights={**ZERO, "k": f32(0.001)},
    ),
    "a count": Probe(
        "g (int64 m, bool c) => (float y) { y = Loop(m, c, z) <body = b (int64 i, bool go, float s)"
        " => (bool on, float t) {"
        " on = Identity(go) t = Add(s, k) }> }",
        {"m": np.array(5000), "c": np.array(True)},
        wide="t y",
        within=0,
        weights={"z": f32(0), "k": f32(1)},
    ),
    "sum that is forgotten slowly": Probe(
        "g (float[300,2] x) => (float[2] y) { y = Scan <num_scan_inputs = 1, body = b (float[2] s, float[2] e)"
        " => (float[2] t) { d = Mul(s, k) t = Add(d, e) }> (z, x) }",
        {"x": abs(random(300, 2))},
        wide="d t",
        within=5e-3,
        weights={**ZERO, "k": f32(0.99)},
    ),
    "few rounds in few rounds": Probe(
        "g (float[2] x, bool c) => (float[2] y) { y = Loop(m, c, z) <body = b " + LOOP + " { on = Identity(go)"
        " t = Loop(m, c, s) <body = e (int64 j, bool g, float[2] u) => (bool o, float[2] v) {"
        " o = Identity(g) v = Add(u, x) }> }> }",
        {"x": f32(1, 0.7), "c": np.array(True)},
        wide="v",
        within=1e-3,
        weights={**ZERO, "m": np.array(60)},
        policies=F16,
    ),
    "few rounds anew in each round": Probe(
        "g (float[2] x, int64 n, bool c) => (float[2] y) { y = Loop(n, c, z) <body = b " + LOOP + " {"
        " on = Identity(go) q = Neg(x) t = Loop(m, c, q) <body = e (int64 j, bool g, float[2] u) => (bool o,"
        " float[2] v) { o = Identity(g) v = Add(u, x) }> }> }",
        {"x": f32(1, 0.7), "n": np.array(9), "c": np.array(True)},
        low="v",
        weights={**ZERO, "m": np.array(6)},
    ),
    "sum that is forgotten": Probe(
        "g (float[300,2] x) => (float[2] y) { y = Scan <num_scan_inputs = 1, body = b (float[2] s, float[2] e)"
        " => (float[2] t) { d = Mul(s, k) t = Add(d, e) }> (z, x) }",
        {"x": random(300, 2)},
        low="d t",
        weights={**ZERO, "k": f32(0.5)},
    ),
    "state that is doubled": Probe(
        "g (float[2] x, int64 m, bool c) => (float[2] y) { y = Loop(m, c, x) <body = b " + LOOP + " {"
        " on = Identity(go) t = Add(s, s) }> }",
        {"x": f32(0.1, 0.2), "m": np.array(9), "c": np.array(True)},
        low="t",
    ),
}
RATIOS: Final = {
    "a cosine": Probe(
        "g (float[4,8] x, float[4,8] v) => (float[4] y) { p = Mul(x, v) d = ReduceSum <keepdims = 0> (p, a)"
        " n = ReduceL2 <axes = [1], keepdims = 0> (x) m = ReduceL2 <axes = [1], keepdims = 0> (v) q = Mul(n, m)"
        " y = Div(d, q) }",
        {"x": random(4, 8) * 3000, "v": random(4, 8) * 2000 + 1},
        wide="p d",
        within=2e-3,
        policies=F16,
        weights=AXIS,
    ),
    "a cosine of small values": Probe(
        "g (float[4,8] x, float[4,8] v) => (float[4] y) { p = Mul(x, v) d = ReduceSum <keepdims = 0> (p, a)"
        " n = ReduceL2 <axes = [1], keepdims = 0> (x) m = ReduceL2 <axes = [1], keepdims = 0> (v) q = Mul(n, m)"
        " e = Max(q, k) y = Div(d, e) }",
        {"x": random(4, 8) / 1000, "v": random(4, 8) / 500},
        wide="p d",
        within=5e-3,
        policies=F16,
        weights={**AXIS, "k": f32(1e-8)},
    ),
    "a weighted sum": Probe(
        "g (float[4,8] x, float[4,8] v) => (float[4] y) { p = Mul(x, v) y = ReduceSum <keepdims = 0> (p, a) }",
        {"x": random(4, 8), "v": random(4, 8) + 1},
        low="p",
        policies=F16,
        weights=AXIS,
    ),
}
RECEIVED: Final = {
    "timestamps": Probe(
        "g (float[3] x) => (float[3] y) { d = Sub(x, k) y = Div(d, q) }",
        {"x": f32(1.6e9, 1.6e9 + 256, 1.6e9 + 1024)},
        wide="d",
        weights={"k": f32(1.6e9), "q": f32(1000)},
    ),
    "steps between timestamps": Probe(
        "g (float[4] x) => (float[2] y) { l, r = Split(x) d = Sub(r, l) y = Mul(d, k) }",
        {"x": f32(40000, 40030, 40010, 40047)},
        low="y",
        wide="d",
        weights={"k": f32(0.1)},
    ),
    "the range of an input": Probe(
        "g (float[64] x) => (float[64] y) { l = ReduceMin(x) h = ReduceMax(x) r = Sub(h, l) d = Sub(x, l)"
        " y = Div(d, r) }",
        {"x": random(64) + 2000},
        wide="r d",
        within=5e-3,
    ),
    "nothing but a difference": Probe(
        "g (float[64] x, float[64] v) => (float[64] d) { d = Sub(x, v) }",
        {"x": random(64), "v": random(64) + 1},
        low="d",
    ),
    "an image and its copy": Probe(
        "g (float[64] x, float[64] v) => (float y) { d = Sub(x, v) q = Mul(d, d) y = ReduceMean <keepdims = 0> (q) }",
        {"x": random(64) + 100, "v": random(64) + np.float32(99.99)},
        wide="d",
        within=1e-3,
    ),
    "a small constant is taken off": Probe(
        "g (float[4] x) => (float[4] y) { d = Sub(x, k) y = Mul(d, d) }",
        {"x": random(4)},
        low="d y",
        weights={"k": f32(0.5)},
    ),
    "a sum of both": Probe(
        "g (float[4] x, float[4] v) => (float[4] y) { y = Add(x, v) }", {"x": random(4), "v": random(4)}, low="y"
    ),
    "one side is computed": Probe(
        "g (float[2,2] x) => (float[2,2] y) { p = MatMul(x, w) y = Sub(p, x) }",
        {"x": random(2, 2)},
        low="p y",
        weights={"w": random(2, 2)},
    ),
    "millimetres": Probe(
        "g (int32[4] x) => (float[4] y) { f = Cast <to = 1> (x) m = Mul(f, k) y = Sqrt(m) }",
        {"x": np.array([100000, 250000, 3, 70000], np.int32)},
        wide="m",
        policies=F16,
        weights={"k": f32(0.001)},
    ),
    "bytes": Probe(
        "g (uint8[4] x) => (float[4] y) { f = Cast <to = 1> (x) m = Div(f, k) y = Mul(m, m) }",
        {"x": np.array([0, 255, 3, 70], np.uint8)},
        low="m y",
        weights={"k": f32(256)},
    ),
    "bits of a number": Probe(
        "g (float[4] x) => (int32[4] y) { m = Mul(x, k) y = BitCast <to = 6> (m) }",
        {"x": random(4)},
        wide="m",
        opset=26,
        within=0,
        weights={"k": f32(3)},
    ),
}
CANCELLED: Final = {
    "a covariance by windows": Probe(
        "g (float[1,1,16,16] x, float[1,1,16,16] v) => (float[1,1,10,10] y) {" + MEANS[0],
        IMAGES,
        wide="mx mv p e q",
        opset=22,
        within=1e-4,
        weights=MEANS[1],
    ),
    "a filter of both signs is no mean": Probe(
        "g (float[1,1,16,16] x, float[1,1,16,16] v) => (float[1,1,10,10] y) {" + MEANS[0],
        IMAGES,
        low="p",
        opset=22,
        within=0.1,
        weights={"k": random(1, 1, 7, 7) / 49},
    ),
    "a variance by sums and a size": Probe(
        "g (float[4,64] x) => (float[4,1] y) { q = Pow(x, k) e = ReduceSum <keepdims = 1> (q, a) f = Div(e, n)"
        " m = ReduceSum <keepdims = 1> (x, a) o = Div(m, n) p = Pow(o, k) v = Sub(f, p) y = Sqrt(v) }",
        {"x": random(4, 64) + 50},
        wide="q f o p v",
        weights={**AXIS, "k": f32(2), "n": f32(64)},
    ),
    "a distance by one Gemm": Probe(
        "g (float[8,4] x, float[5,4] v) => (float[8,5] y) { q = Mul(x, x) s = ReduceSum <keepdims = 1> (q, a)"
        " r = Mul(v, v) u = ReduceSum <keepdims = 1> (r, a) w = Transpose(u) p = Add(s, w)"
        " y = Gemm <alpha = -2.0, transB = 1> (x, v, p) }",
        {"x": random(8, 4) + 30, "v": random(5, 4) + 30},
        wide="q r p y",
        weights=AXIS,
    ),
    "a sum by one Gemm": Probe(
        "g (float[8,4] x, float[5,4] v) => (float[8,5] y) { q = Mul(x, x) s = ReduceSum <keepdims = 1> (q, a)"
        " y = Gemm <alpha = 2.0, transB = 1> (x, v, s) }",
        {"x": random(8, 4), "v": random(5, 4)},
        low="y",
        policies=POLICIES[1:],
        weights=AXIS,
    ),
    "a row that is all hidden": Probe(
        "g (float[2,4] x, float[2,4] b) => (float[2,4] y) { p = MatMul(x, w) m = Mul(b, k) s = Add(p, m)"
        " y = Softmax(s) }",
        {"x": random(2, 4), "b": np.ones((2, 4), np.float32)},
        low="p",
        wide="s",
        within=5e-3,
        weights={"k": f32(-10000), "w": random(4, 4)},
    ),
    "the largest of what is scattered": Probe(
        "g (float[4] x, float[2] v) => (float[4] y) { m = Mul(x, k) u = Mul(v, k)"
        ' y = ScatterND <reduction = "max"> (m, i, u) }',
        {"x": random(4), "v": random(2)},
        wide="y",
        opset=18,
        policies=F16,
        weights={"k": f32(2), "i": np.array([[1], [3]])},
    ),
}
PROBES: Final = {**SUMS, **RATIOS, **RECEIVED, **CANCELLED}


@pytest.mark.parametrize("policy", ["always-f16", "auto-mixed", "auto-mixed-bf16", *POLICIES])
def test_a_function_with_a_constant_of_f32_stays_f32(policy: str) -> None:
    """onnx's full check expands it, and finds two types in one sum."""
    body = "m = Mul(x, x) y = MeanVarianceNormalization <axes = [0, 2, 3]> (m)"
    text = f"g (float[1,2,8,8] x) => (float[1,2,8,8] y) {{ {body} }}"
    assert precisions(read(text), policy)["y"] == "f32"


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", PROBES)
def test_probe(name: str, policy: str) -> None:
    holds(PROBES[name], policy)
