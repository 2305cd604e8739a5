"""Layer norms that are spelled out: onnxruntime fuses them, and must load what was converted and compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
import pytest

import passes
from frontends.onnx import load, to_proto
from tests.passes.precision.models import converted, read

F32, F16 = "f32", "f16"
X = np.random.default_rng(1).normal(size=(1, 3, 8)).astype(np.float32)
CONSTANTS: dict[str, Any] = {
    "w": np.eye(8, dtype=np.float32) / 2,
    "two": np.float32(2),
    "eps": np.float32(1e-5),
    "scale": np.linspace(0.5, 1.5, 8, dtype=np.float32),
    "bias": np.linspace(-1, 1, 8, dtype=np.float32),
}
MEAN = "ReduceMean<axes=[-1], keepdims=1>"
NORM = f"""m = {MEAN}(h) d = Sub(h, m) p = Pow(d, two) v = {MEAN}(p) e = Add(v, eps) s = Sqrt(e) n = Div(d, s)
    g = Mul(n, scale)"""
LAST = f"a = MatMul(x, w) h = Add(x, a) {NORM} y = Add(g, bias)"


def norm(body: str, opset: int = 17) -> Any:
    return read(f"q (float[1,3,8] x) => (float[1,3,8] y) {{ {body} }}", opset, **CONSTANTS)


def computed(model: Any) -> Any:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (result,) = session.run(None, {session.get_inputs()[0].name: X.astype(_dtype(session))})
    return result


def _dtype(session: Any) -> str:
    return "float16" if session.get_inputs()[0].type == "tensor(float16)" else "float32"


TWINS: dict[str, tuple[str, int, str]] = {
    "scale and bias are f32": (LAST, 17, F32),
    "two differences, as an old exporter has them": (
        LAST.replace("p = Pow(d, two)", "d2 = Sub(h, m) p = Pow(d2, two)"),
        17,
        F32,
    ),
    "operands in the other order": (
        LAST.replace("Mul(n, scale)", "Mul(scale, n)").replace("(v, eps)", "(eps, v)"),
        17,
        F32,
    ),
    "no operator to fuse into": (LAST, 16, F16),
    "scale and bias are f16": (LAST.replace("y = Add(g, bias)", "b = Add(g, bias) y = MatMul(b, w)"), 17, F16),
    "no bias": (LAST.replace("g = Mul(n, scale) y = Add(g, bias)", "y = Mul(n, scale)").replace("\n", " "), 17, F16),
    "the square is a product": (LAST.replace("Pow(d, two)", "Mul(d, d)"), 17, F16),
    "others read it in f32": (
        LAST.replace("y = Add(g, bias)", "b = Add(g, bias) f = CumSum(h, t) y = Add(b, f)"),
        17,
        F16,
    ),
    "the mean of something else": (LAST.replace(f"{MEAN}(h)", f"{MEAN}(a)"), 17, F16),
}


@pytest.mark.parametrize("name", TWINS)
def test_what_a_norm_reads_is_f32_where_its_scale_is(name: str) -> None:
    body, opset, runs_in = TWINS[name]
    source = norm(body.replace("CumSum(h, t)", "CumSum(h, one)"), opset)
    if "CumSum" in body:
        source.graph.initializer.add(name="one", data_type=7, int64_data=[1])
    result, found = converted(source)
    assert (found["a"], found["h"]) == (F16, runs_in)
    np.testing.assert_allclose(computed(result), computed(source), rtol=1e-2, atol=2e-3)


@pytest.mark.parametrize("between", ["i = Identity(a)", "i = Cast<to=1>(a)", "i = Dropout(a)"])
def test_what_is_handed_on_to_a_norm_is_f32_too(between: str) -> None:
    source = norm(LAST.replace("h = Add(x, a)", f"b = Add(x, a) {between.replace('a)', 'b)')} h = Identity(i)"))
    result, found = converted(source)
    assert (found["a"], found["b"], found["h"]) == (F16, F32, F32)
    np.testing.assert_allclose(computed(result), computed(source), rtol=1e-2, atol=2e-3)


def test_a_norm_behind_a_norm() -> None:
    second = NORM
    for name in ("m", "d", "p", "v", "e", "s", "n", "g"):
        second = (
            second.replace(f"{name} =", f"{name}2 =")
            .replace(f"({name},", f"({name}2,")
            .replace(f", {name})", f", {name}2)")
        )
    second = second.replace("(p)", "(p2)").replace("(e)", "(e2)").replace("(h", "(b")
    body = LAST.replace("y = Add(g, bias)", f"b = Add(g, bias) {second} y = Add(g2, bias)")
    result, found = converted(norm(body))
    assert {found["h"], found["b"], found["y"]} == {F32}
    np.testing.assert_allclose(computed(result), computed(norm(body)), rtol=1e-2, atol=2e-3)


@pytest.mark.parametrize("keep_io", [True, False])
@pytest.mark.parametrize(
    ("keep", "runs_in"),
    [(["Mul", "Add"], {"h": F32, "g": F32}), (["Div"], {"g": F32, "h": F32, "y": F16}), (["Div", "h"], {"g": F32})],
)
def test_norms_of_which_a_user_keeps_a_part(keep: list[str], runs_in: dict[str, str], keep_io: bool) -> None:
    source = norm(f"h = Relu(x) {NORM} b = Add(g, bias) y = MatMul(b, w)")
    module, report = passes.convert(load(source), "autocast-f16", keep=keep, keep_io=keep_io)
    found = {line.value: line.precision for line in report.lines}
    assert {name: found[name] for name in runs_in if name != "y"} == {k: v for k, v in runs_in.items() if k != "y"}
    np.testing.assert_allclose(computed(to_proto(module)), computed(source), rtol=1e-2, atol=2e-3)


def test_the_operand_of_a_norm_may_come_out_of_a_branch() -> None:
    branches = (
        "t = ReduceMax<keepdims=0>(x) c = Greater(t, eps) h = If(c) <then_branch = t () => (float[1,3,8] r)"
        " { r = MatMul(a, w) }, else_branch = f () => (float[1,3,8] u) { u = Relu(a) }>"
    )
    source = norm(LAST.replace("h = Add(x, a)", branches))
    result, found = converted(source)
    assert (found["a"], found["h"]) == (F16, F32)
    np.testing.assert_allclose(computed(result), computed(source), rtol=1e-2, atol=2e-3)
