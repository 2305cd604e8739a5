"""What RLX's pass is tested with, on our IR, and what it gets wrong: each of its faults is a case here."""

import pytest

from passes.auto_mixed_precision import AutoMixedPrecision
from passes.precision.policy import POLICIES
from runtime import parse
from runtime.text.printer import print_module
from runtime.verifier import verify


def converted(body: str, policy: str) -> str:
    """Return the text of a program after the pass, which a second run does not change."""
    module = parse(body)
    AutoMixedPrecision(policy=policy).runOnModule(module)
    assert verify(module) == []
    text = print_module(module)
    assert not AutoMixedPrecision(policy=policy).runOnModule(module) and print_module(module) == text
    return text


def test_always_f32_changes_nothing() -> None:
    body = """\
func @main(%x: f32[2,4], %w: f32[4,3], %h: f16[2]) {
  %y: f32[2,3] = graph.matmul %x, %w
  %a: f16[2] = graph.activation relu %h
  return %y, %a
}
"""
    assert converted(body, "always-f32") == body


def test_auto_mixed_has_casts_where_f32_and_f16_meet() -> None:
    body = """
        func @main(%x: f32[2,4], %w: f32[4,3]) {
          %y: f32[2,3] = graph.matmul %x, %w
          %r: f32[2,3] = graph.activation relu %y
          return %r
        }
        """
    assert converted(body, "auto-mixed") == """\
func @main(%x: f32[2,4], %w: f32[4,3]) {
  %y: f32[2,3] = graph.matmul %x, %w
  %y_f16: f16[2,3] = graph.cast %y
  %r: f16[2,3] = graph.activation relu %y_f16
  %r_f32: f32[2,3] = graph.cast %r
  return %r_f32
}
"""


def test_auto_mixed_leaves_packed_weights_alone() -> None:
    body = """\
func @main(%x: f32[5,64], %w: u8[216]) {
  %y: f32[5,6] = graph.dequant_matmul gguf_q4_0 %x, %w
  return %y
}
"""
    assert converted(body, "auto-mixed") == body


def test_an_integer_output_stays_an_integer() -> None:
    body = """\
func @main(%x: f32[4], %i: i32[2]) {
  %y: i32[2] = graph.binary add %i, %i
  %c: bool[4] = graph.compare lt %x, %x
  return %y, %c, %i
}
"""
    for policy in POLICIES:
        text = converted(body, policy)
        assert "%y: i32[2] = graph.binary add %i, %i" in text and "%c: bool[4]" in text and "return %y, %c, %i" in text


@pytest.mark.parametrize("policy", ["always-f16", "auto-mixed", "auto-mixed-bf16"])
def test_an_integer_result_of_what_runs_in_f32_stays_an_integer(policy: str) -> None:
    body = """
        func @main(%x: f32[4,8]) {
          %a: f32[4,8] = graph.activation relu %x
          %v: f32[4,3], %i: i64[4,3] = graph.top_k %a k 3 axis 1
          return %v, %i
        }
        """
    assert "%v: f32[4,3], %i: i64[4,3] = graph.top_k %a_f32 k 3 axis 1\n  return %v, %i" in converted(body, policy)


def test_an_f16_input_of_what_runs_in_f32_is_widened() -> None:
    body = """
        func @main(%x: f16[2,4], %w: f16[4,3]) {
          %y: f16[2,3] = graph.matmul %x, %w
          return %y
        }
        """
    assert converted(body, "auto-mixed") == """\
func @main(%x: f16[2,4], %w: f16[4,3]) {
  %x_f32: f32[2,4] = graph.cast %x
  %w_f32: f32[4,3] = graph.cast %w
  %y: f32[2,3] = graph.matmul %x_f32, %w_f32
  %y_f16: f16[2,3] = graph.cast %y
  return %y_f16
}
"""


def test_an_f16_input_becomes_bf16_where_the_policy_says_so() -> None:
    body = """
        func @main(%x: f16[2]) {
          %y: f16[2] = graph.activation relu %x
          return %y
        }
        """
    text = converted(body, "auto-mixed-bf16")
    assert "%y: bf16[2] = graph.activation relu %x_bf16" in text and "return %y_f16" in text


def test_no_cast_stands_in_front_of_a_cast_that_the_program_has() -> None:
    body = """
        func @main(%x: f32[4]) {
          %a: f32[4] = graph.activation relu %x
          %i: i32[4] = graph.cast %a
          %b: bf16[4] = graph.cast %a
          return %i, %b
        }
        """
    for policy, low in (("always-f16", "f16"), ("auto-mixed-bf16", "bf16")):
        text = converted(body, policy)
        assert f"%a: {low}[4] = graph.activation relu %x_{low}" in text
        assert "%i: i32[4] = graph.cast %a\n  %b: bf16[4] = graph.cast %a\n  return %i, %b" in text


def test_one_cast_for_all_that_runs_in_f32_only() -> None:
    body = """
        func @main(%x: f32[4,8]) {
          %a: f32[4,8] = graph.activation relu %x
          %v: f32[4,3], %i: i64[4,3] = graph.top_k %a k 3 axis 1
          %w: f32[4,2], %j: i64[4,2] = graph.top_k %a k 2 axis 1
          %s: f32[4,8] = graph.cumsum %a axis 1
          return %v, %w, %s
        }
        """
    assert converted(body, "always-f16").count("= graph.cast %a\n") == 1


def test_one_cast_for_all_that_quantizes() -> None:
    body = """
        func @main(%x: f32[5,64]) {
          %a: f32[5,64] = graph.activation relu %x
          %s: f32[1] = graph.scaled_quant_scale %a as f8e5m2 layout per_tensor
          %q: u8[5,64] = graph.scaled_quantize %a scale %s as f8e5m2 layout per_tensor
          %p: u8[5,64] = graph.scaled_quantize %a scale %s as f8e4m3 layout per_tensor
          %y: f32[5,5] = graph.scaled_matmul %q as f8e5m2 scale %s, %q as f8e5m2 scale %s layout per_tensor
          return %p, %y
        }
        """
    text = converted(body, "always-f16")
    assert text.count("= graph.cast %a\n") == 1 and "%s: f32[1] = graph.scaled_quant_scale %a_f32" in text
    assert "%y: f32[5,5] = graph.scaled_matmul %q" in text and "return %p, %y\n" in text


def test_a_second_policy_starts_from_what_the_first_has_left() -> None:
    body = """
        func @main(%x: f32[4], %w: f32[4]) {
          %a: f32[4] = graph.binary mul %x, %w
          %b: f32[4] = graph.activation relu %a
          return %b
        }
        """
    once = converted(body, "always-f16")
    module = parse(once)
    AutoMixedPrecision(policy="auto-mixed-bf16").runOnModule(module)
    assert (
        verify(module) == []
        and [value.type for value in module.root_function.args] == [parse(body).root_function.args[0].type] * 2
    )
    assert "%a: bf16[4]" in print_module(module)
