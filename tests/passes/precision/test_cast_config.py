"""Conversions by configuration: what they are, and that text, BIR and the interpreter carry them."""

import ml_dtypes
import numpy as np
import pytest

import runtime
from passes.auto_mixed_precision import AutoMixedPrecision
from passes.precision.cast_config import CastConfig
from runtime import parse
from runtime.bir import bir_text
from runtime.dtypes import bf16, f4e2m1, f8e4m3fn, f16, f32
from runtime.text.printer import print_module
from runtime.verifier import verify


def test_what_a_configuration_says() -> None:
    plain = CastConfig.plain(bf16)
    assert plain == CastConfig(bf16, None, False)
    assert plain.is_noop(bf16) and not plain.is_noop(f16)
    assert not CastConfig(bf16, sf_block=(1, 32)).is_noop(bf16)


def test_a_round_trip_in_a_program() -> None:
    """By hand: 6 / 6 is 1, so the first block is as it is; 0.9 / 6 is 0.15, and 2 ** -2 is the next power of two."""
    module = parse("func @main(%x: f32[1,4]) {\n  return %x\n}\n")
    (x,), end = module.root_function.args, module.root_function.body.terminator
    assert end is not None
    config = CastConfig(f4e2m1, sf_block=(1, 2), round_sf=True)
    cast = config.cast(x)
    cast.insertBefore(end)
    (wide,) = config.uncast(cast, f32)
    wide.insertBefore(end)
    end.replaceUseOfWith(x, wide)
    assert verify(module) == []
    text = print_module(module)
    assert text == """\
func @main(%x: f32[1,4]) {
  %0: f4e2m1[1,4], %1: f32[1,2] = graph.block_cast %x block 1 x 2 {round_scales = true}
  %2: f32[1,4] = graph.block_uncast %0 scales %1 block 1 x 2
  return %2
}
"""
    assert print_module(parse(text)) == text and print_module(runtime.read_bir(bir_text(module))) == text
    (found,) = runtime.run(module, {"x": np.array([[6.0, -2.6, 0.9, 0.3]], np.float32)}).values()
    np.testing.assert_array_equal(found, np.array([[6.0, -3.0, 1.0, 0.25]], np.float32))


def test_scales_of_powers_of_two_are_f8e8m0_without_loss() -> None:
    text = """
        func @main(%x: f32[3,64]) {
          %q: f8e4m3fn[3,64], %s: f32[3,2] = graph.block_cast %x block 1 x 32 {round_scales = true}
          %e: f8e8m0[3,2] = graph.cast %s
          %y: f32[3,64] = graph.block_uncast %q scales %e block 1 x 32
          return %s, %e, %y
        }
        """
    x = np.random.default_rng(1).normal(size=(3, 64)).astype(np.float32)
    scales, exponents, found = runtime.run(parse(text), {"x": x}).values()
    np.testing.assert_array_equal(scales, exponents.astype(np.float32))
    by_hand = np.zeros_like(x)
    for row in range(3):
        for at in (0, 32):
            part = x[row, at : at + 32]
            scale = np.float32(2.0 ** np.ceil(np.log2(np.abs(part).max() / 448)))
            by_hand[row, at : at + 32] = (part / scale).astype(ml_dtypes.float8_e4m3fn).astype(np.float32) * scale
    np.testing.assert_array_equal(found, by_hand)


@pytest.mark.parametrize("policy", ["always-f16", "autocast-bf16", "auto-mixed"])
def test_policies_leave_scaled_conversions_alone(policy: str) -> None:
    text = """
        func @main(%x: f32[4,64]) {
          %a: f32[4,64] = graph.activation relu %x
          %q: f8e4m3fn[4,64], %s: f32[4,2] = graph.block_cast %a block 1 x 32
          %y: f32[4,64] = graph.block_uncast %q scales %s block 1 x 32
          return %y
        }
        """
    module = parse(text)
    AutoMixedPrecision(policy=policy).runOnModule(module)
    assert verify(module) == []
    cast = next(inst for inst in module.insts if inst.INFO.name == "BlockCast")
    assert [value.dtype for value in (*cast.operands(), *cast.results)] == [f32, f8e4m3fn, f32]


def test_what_is_wrong_with_scales() -> None:
    text = """
        func @main(%q: f8e4m3fn[4,64], %s: f32[4,3]) {
          %y: f32[4,64] = graph.block_uncast %q scales %s block 1 x 32
          return %y
        }
        """
    (problem,) = verify(parse(text))
    assert "there are [4, 3] scales; expected [4, 2] for blocks of f8e4m3fn[4,64]" in problem.message
    rounds = """
        func @main(%x: f32[4,64]) {
          %q: f16[4,64], %s: f32[4,2] = graph.block_cast %x block 1 x 32
          return %q
        }
        """
    assert 'the result "result" has elements of f16' in verify(parse(rounds))[0].message
