"""Policies by name and by kind, and the facts that they read."""

from dataclasses import FrozenInstanceError

import pytest

from passes.auto_mixed_precision import AutoMixedPrecision
from passes.precision.facts_of import facts_of
from passes.precision.policy import (
    POLICIES,
    AutocastBf16,
    AutocastF16,
    OpKind,
    Precision,
    PrecisionPolicy,
    UnknownPolicyError,
    policy_named,
)
from passes.precision.policy_table import HEADER, policy_rows
from runtime import parse
from runtime.dtypes import bf16, f16
from runtime.generic import OnnxNode
from runtime.text.printer import print_module
from tests.passes.precision.test_all_operations import RESOLUTION
from tests.tree import ROOT


def test_policies_are_found_by_name() -> None:
    assert policy_named("autocast-f16") is AutocastF16 and AutocastF16.low is f16
    assert policy_named("autocast-bf16") is AutocastBf16 and AutocastBf16.low is bf16


def test_a_name_that_is_nearly_right_is_answered_with_near_ones() -> None:
    with pytest.raises(UnknownPolicyError, match='no policy "autocast-f61"; did you mean "autocast-f16"'):
        policy_named("autocast-f61")
    with pytest.raises(UnknownPolicyError, match='there are "autocast-f16", "autocast-bf16", "always-f32", '):
        policy_named("")


def test_what_autocast_does_with_each_kind() -> None:
    found = {kind: AutocastF16.precision_of(kind) for kind in OpKind}
    assert found == {
        OpKind.COMPUTE: Precision.LOW,
        OpKind.ELEMENTWISE: Precision.LOW,
        OpKind.REDUCTION: Precision.F32,
        OpKind.DATA_MOVEMENT: Precision.FOLLOW,
        OpKind.BOUNDARY: Precision.F32,
    }


def test_the_table_of_policies_is_that_of_the_source_and_of_the_readme() -> None:
    rows = policy_rows(POLICIES.values())
    assert {row[0]: row[1:5] for row in rows if row[0] in RESOLUTION} == RESOLUTION
    assert rows[0] == ("autocast-f16", "f16", "f32", "f16", "as its operands", "stay f32", "stays")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, *cells in (HEADER, *rows):
        first = name if name == HEADER[0] else f"`{name}`"
        assert f"| {' | '.join([first, *cells])} |\n" in readme


def test_always_f32_changes_nothing() -> None:
    text = """\
func @main(%x: f32[2,2], %h: f16[2,2]) {
  %y: f32[2,2] = graph.matmul %x, %x
  %z: f16[2,2] = graph.matmul %h, %h
  %c: f32[2,2] = graph.cast %z
  return %y, %c
}
"""
    module = parse(text)
    assert not AutoMixedPrecision.of("always-f32").runOnModule(module) and print_module(module) == text


def test_a_policy_does_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        AutocastF16.guards = False  # type: ignore[misc]
    assert PrecisionPolicy("autocast-f16", f16) == AutocastF16


def test_facts_depend_on_the_version_of_the_operator_set() -> None:
    resize = OnnxNode("Resize")
    old, new = (facts_of(resize, {"ai.onnx": version}) for version in (10, 11))
    assert old is not None and dict(old.operands) == {1: "f32"}
    assert new is not None and dict(new.operands) == {1: "f32", 2: "f32", 3: "index"}
    assert facts_of(resize, {}) is None
    assert facts_of(OnnxNode("Resize", domain="com.example"), {"ai.onnx": 17, "com.example": 1}) is None


def test_facts_of_a_defined_instruction_depend_on_its_attributes() -> None:
    module = parse("""
        func @main(%x: f32[2]) {
          %e: f32[2] = graph.activation exp %x
          %r: f32[2] = graph.activation relu %x
          %s: f32[2] = graph.activation sigmoid %x
          return %e, %r, %s
        }
        """)
    *activations, terminator = module.root_function.insts
    found = [facts_of(inst, {}) for inst in activations]
    assert [(one.op_kind, one.wide_range, one.range_safe) for one in found if one is not None] == [
        ("elementwise", True, False),
        ("elementwise", False, False),
        ("elementwise", False, True),
    ]
    assert facts_of(terminator, {}) is None


def test_eigenvalues_of_a_large_matrix_stay_f32_and_its_logarithm_may_be_f16() -> None:
    # Those of diag(1e6, 2e6) are its diagonal, beyond the 65504 of f16, and their logarithms 13.8 and 14.5.
    module = parse("""
        func @main(%x: f32[2,2], %q: f32[2,2]) {
          %c: f32[2,2] = graph.constant {value = dense<[[1000000.0, 0.0], [0.0, 2000000.0]]>}
          %m: f32[2,2] = graph.binary add %x, %c
          %l: f32[2,2], %w: f32[2], %v: f32[2,2] = graph.log_eig %m epsilon 0.0001
          %y: f32[2] = graph.activation relu %w
          %p: f32[2,2] = graph.matmul %l, %q
          return %y, %p
        }""")
    assert AutoMixedPrecision.of("autocast-f16").runOnModule(module)
    text = print_module(module)
    assert "%y: f32[2] = graph.activation relu %w" in text and "%p: f16[2,2] = graph.matmul %l_f16" in text


def test_what_follows_a_tangent_at_a_large_point_stays_f32() -> None:
    # The tangent at 1e4 I that leads to I is 1e4 log(1e-4) I = -92103 I, beyond the 65504 of f16, which no point is.
    module = parse("""
        func @main(%p: f32[2,2], %x: f32[2,2]) {
          %t: f32[2,2] = graph.spd_log_map %p, %x
          %y: f32[2,2] = graph.activation relu %t
          %z: f32[2,2] = graph.matmul %x, %x
          return %y, %z
        }""")
    assert AutoMixedPrecision.of("autocast-f16").runOnModule(module)
    text = print_module(module)
    assert "%y: f32[2,2] = graph.activation relu %t" in text and "%z: f16[2,2] = graph.matmul %x_f16" in text
