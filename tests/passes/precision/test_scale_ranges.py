"""A scale times the range of its integers says what floats there are: f32 where a lower float does not hold them.

Limits by hand: an i8 reaches -128, a u16 65,535; what rounds to infinity in f16 is 65,520, its smallest normal 6.1e-5.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import passes
from passes.precision.policy import policy_named
from passes.precision.reasons import Rule
from runtime import parse
from tests.passes.precision.lossy_models import EYE, NOISE, XY, Lossy, check
from tests.passes.precision.models import convert, precisions, read

I8 = np.random.default_rng(0).integers(-100, 100, (4, 4)).astype(np.int8)
U16 = np.random.default_rng(1).integers(0, 60000, (4, 4)).astype(np.uint16)
BIAS = np.array([100, 2000, -3000, 5], np.int32)
PRODUCT = "e = DequantizeLinear(w, s) m = MatMul(x, e) y = Mul(m, k)"
SUM = "e = DequantizeLinear(w, s) m = MatMul(x, v) y = Add(m, e)"
ZERO = PRODUCT.replace("(w, s)", "(w, s, z)")
HELD = "a = Mul(x, h) q = QuantizeLinear(a, s) d = DequantizeLinear(q, s) m = MatMul(a, v) t = Mul(m, k) y = Add(t, d)"
F16 = ("autocast-f16",)


def scaled(scale: Any, w: Any = I8, body: str = PRODUCT, opset: int = 21, **others: Any) -> Lossy:
    constants = {"w": w, "s": np.asarray(scale, np.float32), "k": 1 / float(np.max(scale)) / 100, **others}
    return Lossy(
        body,
        NOISE,
        {name: one for name, one in constants.items() if f"{name})" in body or f"{name}," in body},
        opset=opset,
    )


def with_limits(case: Lossy, f32: str, low: str = "") -> Lossy:
    return Lossy(case.body, case.x, case.constants, f32, low, F16, case.opset, loses=bool(f32.strip()))


FIRES: dict[str, Lossy] = {
    "a tiny scale": with_limits(scaled(1e-8), "e m y"),
    "a large one": with_limits(scaled(1000), "e m y"),
    "of 16 bits": with_limits(scaled(2, U16), "e m y"),
    "one of several": with_limits(scaled([0.01, 2000, 0.01, 0.01]), "e m y"),
    "with a zero point at one end": with_limits(scaled(300, body=ZERO, z=np.int8(-128)), "e m y"),
    "of constants of 32 bits": with_limits(
        scaled(1e-4, np.array([10**9, 2000, 3, 5], np.int32), SUM, v=EYE), "e y", "m"
    ),
}


@pytest.mark.parametrize("name", FIRES)
def test_what_f16_does_not_hold(name: str) -> None:
    check(FIRES[name], "autocast-f16")


TWINS: dict[str, tuple[Lossy, str]] = {
    "a scale": (scaled(0.01), "m y"),
    "one whose integers are in range": (scaled(1.5, U16 // 2), "m y"),  # at most 45,000, though u16 could reach 98,302
    "a small one": (scaled(1e-6), "m"),  # 1.28e-4 is normal
    "of a bias": (scaled(1e-4, BIAS, SUM, v=EYE), "m y"),  # i32 would reach 2e5, these 0.3
    "of a bias with one for each": (
        scaled([1e-4, 1e-5, 1e-4, 2.0], BIAS, SUM.replace("(w, s)", "<axis = 0>(w, s)"), v=EYE),
        "m y",
    ),
}


@pytest.mark.parametrize("name", TWINS)
def test_twins_run_low(name: str) -> None:
    case, low = TWINS[name]
    check(with_limits(case, "", low), "autocast-f16")


@pytest.mark.parametrize(("scale", "runs_in"), [(1e-7, "f32"), (1000.0, "f32"), (0.1, "f16")])
def test_what_is_quantized_has_the_range_of_the_integers(scale: float, runs_in: str) -> None:
    constants: dict[str, Any] = {"h": np.float32(2), "s": np.float32(scale), "v": EYE, "k": np.float32(1)}
    assert precisions(read(f"{XY}{{ {HELD} }}", 23, **constants))["a"] == runs_in
    assert precisions(read(f"{XY}{{ {HELD} }}", 23, **constants), "autocast-bf16")["a"] == "bf16"


def test_it_is_the_scale_that_keeps_it() -> None:
    """By hand: some of the integers are beyond 66, and 66,000 is infinite in f16."""
    model = read(f"g (float[2,4] x) => (float[2,4] y) {{ {PRODUCT} }}", 21, w=I8, s=np.float32(1000), k=np.float32(1))
    _, report = convert(model, "autocast-f16")
    assert {line.value: line.rule for line in report.lines}["e"] is Rule.SCALE
    assert report.to_json()["kept_in_f32"]["scale"] == 1


def test_what_the_program_takes_in_may_be_quantized() -> None:
    body = "q = QuantizeLinear(x, s) d = DequantizeLinear(q, s) m = MatMul(x, v) y = Add(m, d)"
    for scale, runs_in in ((1000.0, "f32"), (0.1, "f16")):
        assert precisions(read(f"{XY}{{ {body} }}", 23, s=np.float32(scale), v=EYE))["m"] == runs_in


@pytest.mark.parametrize(("head", "runs_in"), [("float[2,4] x, float s", "f16"), ("float[2,4] x", "f32")])
def test_a_scale_that_is_not_known_says_nothing(head: str, runs_in: str) -> None:
    constants = {"w": I8, "k": np.float32(1e-3)} | ({} if " s" in head else {"s": np.float32(1e4)})
    assert precisions(read(f"g ({head}) => (float[2,4] y) {{ {PRODUCT} }}", 21, **constants))["m"] == runs_in


@pytest.mark.parametrize(("scale", "low"), [("1e-08", "f32"), ("1000.0", "f32"), ("0.01", "f16")])
def test_operations_of_the_graph(scale: str, low: str) -> None:
    text = (
        "func @main(%q: i8[4,4], %x: f32[4,4]) {\n"
        f"  %e: f32[4,4] = graph.dequantize %q scales [{scale}] zero_points [0]\n"
        "  %m: f32[4,4] = graph.matmul %x, %e\n"
        "  return %m\n}\n"
    )
    _, report = passes.convert(parse(text), policy_named("autocast-f16"))
    assert {line.value: line.precision for line in report.lines}["m"] == low
    text = text.replace("%q: i8", "%z: f32").replace("graph.dequantize %q", "graph.activation relu %z", 1)
    text = text.replace(f" scales [{scale}] zero_points [0]", "")
    held = text.replace(
        "  return %m", f"  %c: i8[4,4] = graph.quantize %e scales [{scale}] zero_points [0]\n  return %m, %c"
    )
    _, report = passes.convert(parse(held), policy_named("autocast-f16"))
    assert {line.value: line.precision for line in report.lines}["e"] == low
