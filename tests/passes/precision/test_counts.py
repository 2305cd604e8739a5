"""Counters that a lower float does not count to, and values that statistics say are out of its range.

Limits by hand: f16 has every integer up to 2,048, bf16 up to 256.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import passes
from passes.precision.reasons import Rule
from runtime import parse
from tests.passes.precision.lossy_models import EYE, NOISE, Lossy, check
from tests.passes.precision.models import convert, precisions, read

LOW = {"f16": 2048, "bf16": 256}
CONSTANTS: dict[str, Any] = {"z": np.array(0), "o": np.array(1), "one": np.float32(1)}
WAYS = {
    "cast": "r = Range(z, n, o) c = Cast<to = 1>(r)",
    "moved": "r = Range(z, n, o) u = Unsqueeze(r, ax) d = Squeeze(u, ax) e = Cast<to = 6>(d) c = Cast<to = 1>(e)",
    "backwards": "r = Range(n, z, m) c = Cast<to = 1>(r)",
    "a sum of ones": "k = Expand(one, s) c = CumSum(k, z)",
    "a sum of a mask": "k = Greater(x, h) i = Cast<to = 6>(k) g = Cast<to = 1>(i) c = CumSum(g, z)",
}


@pytest.mark.parametrize("low", LOW)
@pytest.mark.parametrize("way", WAYS)
def test_counters(way: str, low: str) -> None:
    ends = [(LOW[low] + 1, "f32"), (LOW[low], low)]
    for end, wanted in ends[: 1 if "sum" in way and low == "f16" else 2]:  # sums are f32 there for their range
        text = f"g (float[{end}] x) => (float[{end}] y) {{ {WAYS[way]} a = MatMul(x, v) b = Mul(x, a) y = Add(b, c) }}"
        text = text.replace("a = MatMul(x, v)", "w = Unsqueeze(x, ax) p = MatMul(w, v) a = Squeeze(p, ax)")
        held = {**CONSTANTS, "n": np.array(end), "m": np.array(-1), "s": np.array([end])}
        held |= {"ax": np.array([1]), "v": np.ones((1, 1), np.float32), "h": np.float32(0.5)}
        used = {name: one for name, one in held.items() if f"({name}," in text or f", {name}" in text}
        found = precisions(read(text, 14, **used), f"autocast-{low}")
        assert (found["p"], found["y"]) == (low, wanted)


@pytest.mark.parametrize(("pattern", "wanted"), [("steps [1] counts [512]", "f32"), ("steps [1] counts [256]", "bf16"),
                                                 ("steps [-1] counts [2] channel_multiplier 3", "f32")])  # fmt: skip
def test_numbers_of_an_engine(pattern: str, wanted: str) -> None:
    extent = int(pattern.split("[")[2].split("]")[0])
    text = f"""
        func @main(%x: f32[128,{extent}], %w: f32[{extent},{extent}]) {{
          %n: f32[128,{extent}] = iota {pattern}
          %a: f32[128,{extent}] = graph.matmul %x, %w
          %y: f32[128,{extent}] = graph.binary add %a, %n
          return %y
        }}
        """
    _, report = passes.convert(parse(text), "autocast-bf16")
    assert {line.value: line.precision for line in report.lines}["y"] == wanted


def test_it_is_the_counter_that_keeps_it() -> None:
    model = read(f"g (float[3000] x) => (float[3000] y) {{ {WAYS['cast']} y = Add(x, c) }}", 14,
                 z=np.array(0), n=np.array(3000), o=np.array(1))  # fmt: skip
    (line,) = [line for line in convert(model, "autocast-f16")[1].lines if line.value == "c"]
    assert (line.rule, line.reason) == (Rule.COUNTER, "counts up to 3000, and f16 counts to 2048")


NORM = "c = Conv(x, w) n = BatchNormalization(c, s, s, m, t) y = Conv(n, w)"


@pytest.mark.parametrize(
    ("mean", "variance", "wanted"), [(0.0, 1e9, "f32"), (1e5, 1.0, "f32"), (1e4, 1e8, "f16"), (0.0, 1.0, "f16")]
)
def test_statistics_say_what_is_normalized(mean: float, variance: float, wanted: str) -> None:
    ones = np.ones(1, np.float32)
    held = {"w": ones.reshape(1, 1, 1, 1) * np.float32(3e4), "s": ones, "m": ones * np.float32(mean)}
    head = "g (float[1,1,2,2] x) => (float[1,1,2,2] y) "
    text = f"{head}{{ {NORM} }}"
    found = precisions(read(text, 15, **held, t=ones * np.float32(variance)))
    assert (found["c"], found["y"]) == (wanted, "f16")
    _, report = convert(read(text, 15, **held, t=ones * np.float32(variance)), "autocast-f16")
    rule = {line.value: line.rule for line in report.lines}["c"]
    assert rule is (Rule.STATISTICS if wanted == "f32" else Rule.POLICY_LOW)
    assert precisions(read(text, 22, **held, t=ones * np.float32(variance)), "autocast-bf16")["c"] == "bf16"


def test_a_square_that_is_halved_is_summed_all_the_same() -> None:
    head = "g (float[2,4] x, float[2,4] z) => (float[2,4] y) "
    body = "d = Sub(x, z) q = Mul(d, d) h = Mul(q, half) m = ReduceMean<axes = [1]>(h) a = MatMul(x, v) y = Add(a, m)"
    others = {"z": np.full((2, 4), -400, np.float32)}
    held = {"half": 0.5, "v": EYE}
    check(Lossy(body, NOISE, held, "q h m", "a", head=head, others=others), "autocast-f16")
    product = body.replace("Mul(d, d)", "Mul(d, x)")
    check(Lossy(product, NOISE, held, "", "a y", head=head, others=others, loses=False), "autocast-f16")
