"""Which nodes have one form, and that what is decided about a form is decided about no other node."""

from dataclasses import replace

import pytest

from passes.auto_mixed_precision import AutoMixedPrecision
from passes.precision.policy import AutocastBf16, AutocastF16, Override, Precision
from passes.precision.survey import Survey
from runtime import parse
from runtime.dtypes import bf16, f32
from runtime.text.printer import print_module
from runtime.verifier import verify


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
    """The sum is low; what it is taken from follows `%x`, which is f32, and takes the sum as an f32 scalar."""
    module = parse(
        "func @main(%x: f32[8,8]) {\n  %t: f32[8,1] = tensor_reduce add %x {reduce_dims = [1]}\n"
        "  %d: f32[8,8] = tensor_scalar subtract %x operand0 %t\n  return %d\n}\n"
    )
    policy = replace(AutocastBf16, reduction=Precision.LOW, elementwise=Precision.FOLLOW)
    assert AutoMixedPrecision.of(policy).runOnModule(module)
    assert list(verify(module)) == []
    total, subtracted = (next(inst for inst in module.insts if inst.name == name) for name in ("t", "d"))
    dtypes = [value.type.dtype for value in (total, subtracted, *subtracted.operands())]
    assert dtypes == [bf16, f32, f32, f32]  # the sum, the difference, and both operands of that
    text = print_module(module)
    assert not AutoMixedPrecision.of(policy).runOnModule(module) and print_module(module) == text


@pytest.mark.parametrize(("op", "followed"), [("max", "f16"), ("min", "f16"), ("add", "f32")])
def test_the_largest_of_low_elements_is_one_of_them(op: str, followed: str) -> None:
    module = parse(
        "func @main(%x: f32[8,8]) {\n  %s: f32[8,8] = activation relu %x\n"
        f"  %m: f32[8,1] = tensor_reduce {op} %s {{reduce_dims = [1]}}\n"
        f"  %p: f32[1,8] = tensor_partition_reduce {op if op != 'min' else 'max'} %s\n  return %m, %p\n}}\n"
    )
    AutoMixedPrecision.of(AutocastF16).runOnModule(module)
    dtypes = {inst.name: str(inst.type.dtype) for inst in module.insts if inst.name in ("s", "m", "p")}
    assert dtypes == {"s": "f16", "m": followed, "p": followed}
