"""Which nodes have one form, and that what is decided about a form is decided about no other node."""

from dataclasses import replace
from pathlib import Path

import pytest

from passes.auto_mixed_precision import AutoMixedPrecision
from passes.precision.policy import AutocastF16, Override, Precision
from passes.precision.survey import Survey
from runtime import parse
from runtime.text.printer import print_module
from runtime.verifier import verify

ATTENTION = Path(__file__).parents[1] / "programs" / "attention.txt"


def n_forms(*lines: str) -> int:
    body = "\n".join(f"  {line}" for line in lines)
    module = parse(f"func @main(%a: f32[2,4], %b: f32[4,2], %h: f16[2,4], %n: i32[2,4]) {{\n{body}\n  return\n}}\n")
    survey = Survey(module.root_function)
    return len({node.form for node in survey.nodes.values()})


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ('%x: f32[2,4] = onnx.node "ai.onnx::Softmax" %a {axis = 1}', '%y: f32[4,2] = onnx.node "ai.onnx::Softmax" %b'),
        ("%x: f32[2,4] = graph.softmax %a axis 1", "%y: f32[4,2] = graph.softmax %b axis 0"),
        ("%x: f32[2,4] = graph.binary add %a, %a", "%y: f32[4,2] = graph.binary add %b, %b"),
    ],
)
def test_shapes_and_numbers_make_no_form(first: str, second: str) -> None:
    assert n_forms(first, second) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ('%x: f32[2,4] = onnx.node "ai.onnx::Relu" %a', '%y: f32[2,4] = onnx.node "ai.onnx::Tanh" %a'),
        ('%x: f32[2,4] = onnx.node "ai.onnx::Relu" %a', '%y: f32[2,4] = onnx.node "com.example::Relu" %a'),
        ('%x: f32[2,4] = onnx.node "ai.onnx::Relu" %a', '%y: f16[2,4] = onnx.node "ai.onnx::Relu" %h'),
        ('%x: f32[2,4] = onnx.node "ai.onnx::Clip" %a, %a', '%y: f32[2,4] = onnx.node "ai.onnx::Clip" %a, none, %a'),
        ("%x: f32[2,4] = graph.binary add %a, %a", "%y: f32[2,4] = graph.binary sub %a, %a"),
        ("%x: f32[2,4] = graph.cast %h", "%y: f32[2,4] = graph.cast %h {rounding = user}"),
        ("%x: f32[2,4] = graph.cast %h", "%y: f32[2,4] = graph.cast %n"),
    ],
)
def test_words_and_dtypes_do(first: str, second: str) -> None:
    assert n_forms(first, second) == 2


def test_a_name_may_mean_one_of_several_nodes_of_a_form() -> None:
    module = parse(
        "func @main(%a: f32[2,4]) {\n  %x: f32[2,4] = graph.activation relu %a\n"
        "  %y: f32[2,4] = graph.activation relu %x\n  %z: f32[2,4] = graph.activation relu %y\n  return %z\n}\n"
    )
    policy = replace(AutocastF16, overrides=(Override(Precision.F32, name="y"),))
    AutoMixedPrecision.of(policy).runOnModule(module)
    dtypes = {inst.name: str(inst.type.dtype) for inst in module.insts if inst.name in ("x", "y", "z")}
    assert dtypes == {"x": "f16", "y": "f32", "z": "f16"}


def test_what_follows_may_also_read_what_it_does_not_follow() -> None:
    module = parse(ATTENTION.read_text())
    policy = replace(AutocastF16, reduction=Precision.LOW, elementwise=Precision.FOLLOW)
    assert AutoMixedPrecision.of(policy).runOnModule(module)
    assert list(verify(module)) == []
    text = print_module(module)
    assert not AutoMixedPrecision.of(policy).runOnModule(module) and print_module(module) == text
