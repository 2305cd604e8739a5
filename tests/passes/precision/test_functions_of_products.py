"""What a function means that a product has as an attribute, and others of our own dialects: logarithm, sine, square."""

from __future__ import annotations

import numpy as np
import pytest

import passes
from runtime import parse, run
from tests.passes.precision.lossy_models import without_guards

PRODUCT = """
func @main(%x: f32[2,4], %w: f32[4,4], %b: f32[4]) {{
  %a: f32[2,4] = graph.activation {inner} %x
  %c: f32[2,4] = graph.matmul %a, %w
  %y: f32[2,4] = graph.fused_matmul_bias_act %c, %w, %b activation {outer}
  return %y
}}
"""


def runs_in(text: str, policy: str) -> dict[str | None, str]:
    _, report = passes.convert(parse(text), policy)
    return {line.value: line.precision for line in report.lines}


@pytest.mark.parametrize("policy", ["autocast-f16", "autocast-bf16"])
def test_a_logarithm_is_taken_of_all_products(policy: str) -> None:
    low = policy.removeprefix("autocast-")
    assert runs_in(PRODUCT.format(inner="tanh", outer="log"), policy) == dict.fromkeys("acy", "f32")
    assert runs_in(PRODUCT.format(inner="tanh", outer="relu"), policy) == {"a": low, "c": low, "y": low}


def test_what_the_logarithm_of_a_small_sum_would_be() -> None:
    text = PRODUCT.format(inner="relu", outer="log")
    feeds = {"x": np.full((2, 4), 1e-5, np.float32), "w": np.eye(4, dtype=np.float32) * np.float32(1e-2)}
    feeds["b"] = np.zeros(4, np.float32)
    feeds["w"] += np.float32(1e-6)
    wanted = run(parse(text), feeds)[0]
    np.testing.assert_allclose(wanted, np.log(feeds["x"] @ feeds["w"] @ feeds["w"]), 1e-5)
    np.testing.assert_allclose(run(passes.convert(parse(text))[0], feeds)[0], wanted, 1e-3)
    lost = run(passes.convert(parse(text), without_guards("autocast-f16"))[0], feeds)[0]
    assert abs(lost - wanted).max() > 0.1


@pytest.mark.parametrize("policy", ["autocast-f16", "autocast-bf16"])
@pytest.mark.parametrize(("source", "outer", "wanted"), [("%n", "sin", "f32"), ("%n", "cos", "f32"), ("%x", "sin", "")])
def test_angles_of_positions(source: str, outer: str, wanted: str, policy: str) -> None:
    text = f"""
        func @main(%i: i32[2,4], %x: f32[2,4], %w: f32[4,4]) {{
          %n: f32[2,4] = graph.cast %i
          %v: f32[4,4] = graph.constant {{value = dense<0.5>}}
          %b: f32[4] = graph.constant {{value = dense<0.25>}}
          %t: f32[2,4] = graph.activation tanh %x
          %y: f32[2,4] = graph.fused_matmul_bias_act {"%n" if source == "%n" else "%t"}, %v, %b activation {outer}
          return %y
        }}
        """
    assert runs_in(text, policy)["y"] == (wanted or policy.removeprefix("autocast-"))


def test_a_square_is_no_activation() -> None:
    """Where it is one before a logarithm, the way back ends at it; a spectrum goes on to its first product."""
    text = """
        func @main(%x: f32[2,4], %w: f32[4,4]) {{
          %a: f32[2,4] = graph.matmul %x, %w
          %q: f32[2,4] = graph.activation {function} %a
          %m: f32[2,4] = graph.matmul %q, %w
          %y: f32[2,4] = graph.activation log %m
          return %y
        }}
        """
    assert runs_in(text.format(function="square"), "autocast-bf16") == dict.fromkeys("aqmy", "f32")
    assert runs_in(text.format(function="gelu"), "autocast-bf16") == {"a": "bf16", "q": "bf16", "m": "f32", "y": "f32"}


@pytest.mark.parametrize(("function", "wanted"), [("log", "f32"), ("tanh", "bf16")])
def test_the_activation_of_an_engine(function: str, wanted: str) -> None:
    text = f"""
        func @main(%x: f32[4,4], %w: f32[4,4]) {{
          %a: f32[4,4] = graph.matmul %x, %w
          %y: f32[4,4] = activation {function} %a
          return %y
        }}
        """
    assert runs_in(text, "autocast-bf16") == {"a": wanted, "y": wanted}


@pytest.mark.parametrize("policy", ["autocast-f16", "autocast-bf16"])
def test_moments_and_roundings_of_the_graph(policy: str) -> None:
    text = """
        func @main(%x: f32[4,4], %w: f32[4,4]) {
          %a: f32[4,4] = graph.matmul %x, %w
          %q: f32[4,4] = graph.activation square %x
          %e: f32[4,1] = graph.reduce mean %q axes [1] {keepdims = true}
          %m: f32[4,1] = graph.reduce mean %x axes [1] {keepdims = true}
          %s: f32[4,1] = graph.activation square %m
          %v: f32[4,1] = graph.binary sub %e, %s
          %f: f32[4,4] = graph.activation round %x
          %r: f32[4,4] = graph.binary sub %x, %f
          %g: f32[4,4] = graph.binary add %a, %r
          %y: f32[4,4] = graph.binary add %g, %v
          return %y
        }
        """
    found = runs_in(text, policy)
    assert {name: found[name] for name in "qsvr"} == dict.fromkeys("qsvr", "f32")
    assert found["a"] == policy.removeprefix("autocast-")
