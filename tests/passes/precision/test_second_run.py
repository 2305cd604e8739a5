"""What a second run would decide in another way, had the first one not looked through what it puts in itself.

Each with its twin, in which what the program says must still count.
"""

import pytest

from passes.auto_mixed_precision import AutoMixedPrecision
from runtime import parse
from runtime.text.printer import print_module
from runtime.verifier import verify


def converted(text: str, policy: str, guards: bool = False) -> list[str]:
    """Return the statements of a program after the pass, which a second run does not change."""
    module = parse(text)
    AutoMixedPrecision(policy=policy, guards=guards).runOnModule(module)
    assert verify(module) == []
    printed = print_module(module)
    assert not AutoMixedPrecision(policy=policy, guards=guards).runOnModule(module)
    assert print_module(module) == printed
    return [line.strip() for line in printed.splitlines()]


def test_a_cast_to_f16_asks_for_nothing() -> None:
    text = """
        func @main(%x: f32[4,4], %n: bf16[4,4]) {
          %a: bf16[4,4] = graph.binary max %n, %n
          %b: f32[4,4] = graph.softmax %x axis 1
          return %n, %b
        }
        """
    lines = converted(text, "auto-mixed", guards=True)
    assert "%a: f16[4,4] = graph.binary max %n_f16, %n_f16" in lines
    assert "%b: f16[4,4] = graph.softmax %x_f16 axis 1" in lines


WIDENED = """
    func @main(%n: bf16[4,4]) {
      %a: f32[4,4] = graph.cast %n
      %b: f32[4,4] = graph.binary max %a, %a
      return %b
    }
    """


def test_a_widening_asks_for_f32_unless_kinds_decide_alone() -> None:
    assert "%b: f16[4,4] = graph.binary max %a_f16, %a_f16" in converted(WIDENED, "auto-mixed", guards=True)
    assert "%b: f32[4,4] = graph.binary max %a, %a" in converted(WIDENED, "autocast-f16")


def test_a_cast_of_what_a_guard_keeps_in_f32_stays_a_cast() -> None:
    text = """
        func @main(%n: bf16[4,4]) {
          %a: bf16[4,4] = graph.cumsum %n axis 1
          %b: bf16[4,4] = graph.binary max %a, %a
          return %a, %b
        }
        """
    lines = converted(text, "auto-mixed-conservative", guards=True)
    assert "%a_bf16: bf16[4,4] = graph.cast %a" in lines
    assert "%b: f32[4,4] = graph.binary max %a, %a" in lines  # the sum may be out of range, and so may this


ONE_PRODUCT = """
    func @main(%x: f32[4,4], %z: f32[4,4]) {{
      %a: f32[4,4] = matmul %x, %z {{rounding = user}}
      %b: f32[4,4] = matmul %x, %a
      %c: f32[4,4] = activation relu {source}
      return %b, %c
    }}
    """


def test_a_product_that_accumulates_in_f32_is_low_by_what_it_reads() -> None:
    lines = converted(ONE_PRODUCT.format(source="%x"), "autocast-f16")
    assert "%b: f32[4,4] = matmul %x_f16, %a_f16" in lines and "%c: f32[4,4] = activation relu %x" in lines


def test_what_a_product_gives_is_low_with_it() -> None:
    text = """
        func @main(%x: f32[4,4]) {
          %a: f32[4,4] = activation relu %x
          %b: f32[4,4] = matmul %a, %a
          return %b
        }
        """
    assert "%a: f16[4,4] = activation relu %x_f16" in converted(text, "autocast-f16")


SCAN = """
    func @main(%x: f32[4,4]) {{
      %f: f32[4,4], %r: f32[4,4] = graph.scan (%x) over (%x) body(%s: f32[4,4], %i: f32[4]) {{
        %a: f32[4] = graph.activation tanh %i
        {state}
        yield {next}, %a
      }}
      %c: f32[4,4] = graph.activation tanh %x
      return %f, %r, %c
    }}
    """


def test_a_scan_is_a_product_by_what_stands_in_it() -> None:
    product = SCAN.format(state="%p: f32[4,4] = graph.matmul %x, %x", next="%p")
    assert "%p: f16[4,4] = graph.matmul %x_f16, %x_f16" in converted(product, "autocast-f16")
    none = SCAN.format(state="%p: f32[4,4] = graph.softmax %s axis 1", next="%p")
    assert "%c: f16[4,4] = graph.activation tanh %x_f16" in converted(none, "autocast-f16")


def test_a_copy_that_converts_nothing_any_more_is_left_out() -> None:
    text = """
        func @main(%n: bf16[4,4]) {
          %a: f32[4,4] = activation tanh %n
          %b: f16[4,4] = tensor_copy %a
          return %b
        }
        """
    lines = converted(text, "auto-mixed")
    assert lines[1:4] == ["%n_f16: f16[4,4] = tensor_copy %n", "%a: f16[4,4] = activation tanh %n_f16", "return %a"]


@pytest.mark.parametrize("mark", ["", " {rounding = user}"])
def test_a_copy_that_still_converts_stays(mark: str) -> None:
    dtype = "f16" if mark else "bf16"
    text = f"""
        func @main(%n: bf16[4,4]) {{
          %a: f32[4,4] = activation tanh %n
          %b: {dtype}[4,4] = tensor_copy %a{mark}
          return %b
        }}
        """
    assert f"%b: {dtype}[4,4] = tensor_copy %a{mark}" in converted(text, "auto-mixed")


def test_centring_is_seen_through_a_cast() -> None:
    text = """
        func @main(%n: f16[4,4]) {
          %a: f32[4,4] = graph.cast %n
          %b: f32[4,1] = graph.reduce max %a axes [1] {keepdims = true}
          %c: f32[4,4] = graph.binary sub %a, %b
          return %c
        }
        """
    assert "%c: f32[4,4] = graph.binary sub %a, %b_f32" in converted(text, "always-f16", guards=True)
    twin = text.replace("max %a", "max %x").replace("(%n", "(%x: f32[4,4], %n")
    assert "%c: f16[4,4] = graph.binary sub %n, %b" in converted(twin, "always-f16", guards=True)


def test_what_a_logarithm_is_taken_of_is_seen_through_a_cast() -> None:
    text = """
        func @main(%n: bf16[4,4]) {
          %a: bf16[4,4] = graph.binary max %n, %n
          %b: bf16[4,4] = graph.cumsum %a axis 1
          %c: bf16[4,4] = graph.activation log %b
          return %c
        }
        """
    assert "%a: bf16[4,4] = graph.binary max %n, %n" in converted(text, "always-f16", guards=True)
    twin = text.replace("activation log", "activation exp")
    assert "%a: f16[4,4] = graph.binary max %n_f16, %n_f16" in converted(twin, "always-f16", guards=True)
