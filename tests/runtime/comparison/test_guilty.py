"""`compare` finds the instruction that loses the accuracy, in programs with one loss planted in each.

What is expected is worked out by hand beside each program.
"""

from math import inf
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import runtime
from frontends.onnx import SIGNATURES
from frontends.onnx.evaluate import evaluator
from runtime.comparison import Compared, Comparison

SUM = """\
func @main() {
  tensor %x: f32[1,512] sbuf input
  tensor %zero: f32[1,1] sbuf const = dense<0.0>
  tensor %acc: f32[1,1] sbuf
  tensor %mean: f32[1,1] sbuf output
  %acc = tensor_copy %zero
  for %i = 0 step 1 times 512 {
    %s: f32[1,1] = activation square %x[0 + 1*%i | 512:1, 1:1]
    %acc = tensor_tensor add %acc, %s
  }
  %mean = activation copy %acc scale 0.001953125
}
"""

SOFTMAX = """\
func @main(%x: f32[2,4]) {
  %e: f32[2,4] = graph.activation exp %x
  %ones: f32[4,1] = graph.constant {value = dense<1.0>}
  %s: f32[2,1] = graph.matmul %e, %ones
  %p: f32[2,4] = graph.binary div %e, %s
  return %p
}
"""

SOFTMAX_IN_F16 = """\
func @main(%x: f32[2,4]) {
  %0: f16[2,4] = graph.cast %x
  %1: f16[2,4] = graph.activation exp %0
  %2: f16[4,1] = graph.constant {value = dense<1.0>}
  %3: f16[2,1] = graph.matmul %1, %2
  %4: f16[2,4] = graph.binary div %1, %3
  %p: f32[2,4] = graph.cast %4
  return %p
}
"""

ATTENTION = """\
func @main(%q: f32[4,8], %k: f32[8,4], %v: f32[4,8]) {
  %scores: f32[4,4] = graph.matmul %q, %k
  %e: f32[4,4] = graph.activation tanh %scores
  %ones: f32[4,1] = graph.constant {value = dense<1.0>}
  %sum: f32[4,1] = graph.matmul %e, %ones
  %weights: f32[4,4] = graph.binary div %e, %sum
  %y: f32[4,8] = graph.matmul %weights, %v
  return %y
}
"""


def compared(first: str, second: str, **inputs: NDArray[Any]) -> Comparison:
    modules = runtime.parse(first), runtime.parse(second)
    assert [runtime.verify(module) for module in modules] == [[], []]
    return runtime.compare(*modules, inputs)


def introduced(one: Compared) -> Any:
    assert one.introduced is not None
    return one.introduced


def test_a_long_sum_that_is_accumulated_in_bf16() -> None:
    """bf16 has 8 significant bits, so 256 + 1 is a tie that goes to 256: from there on the sum of ones stands still.

    From the 257th run on, the sum that is read is even in bf16, so one more is odd, a tie, and off by one: 256 times.
    """
    found = compared(SUM, SUM.replace("%acc: f32", "%acc: bf16"), x=np.ones((1, 512), np.float32))
    first, *others = found.ranking
    assert first.line == "%acc = tensor_tensor add %acc, %s"
    assert [one.score for one in others] == [0.0] * len(others)
    assert (first.runs, first.first_parted, first.is_carried) == (512, 257, True)
    assert (first.first_range.high, first.second_range.high) == (512, 256)
    assert (introduced(first).largest, introduced(first).differing, introduced(first).norms) == (1, 256, 256)
    assert first.score == 256 / 513  # the largest sum that both were asked for is 512 + 1
    assert first.total is not None and first.total.largest == 256
    assert found.outputs["mean"] is not None and found.outputs["mean"].largest == 0.5


def test_a_softmax_without_the_maximum_taken_off_overflows_in_f16() -> None:
    """The largest f16 is 65504, and exp(12) is 162754.8."""
    x = np.array([[0, 1, 2, 3], [0, 12, 1, 2]], np.float32)
    found = compared(SOFTMAX, SOFTMAX_IN_F16, x=x)
    first, *others = found.ranking
    assert (first.line, first.first_line) == (
        "%1: f16[2,4] = graph.activation exp %0",
        "%e: f32[2,4] = graph.activation exp %x",
    )
    assert first.score == inf and introduced(first).overflowed == 1
    assert all(one.score < 1e-3 for one in others)  # the sum and the quotient only pass the infinity on
    quotient = next(one for one in others if "div" in one.line)
    assert introduced(quotient).special == 0 and quotient.is_own_rounding
    assert quotient.inherited is not None and quotient.inherited.overflowed == 1  # infinity / infinity
    assert found.outputs[0] is not None and found.outputs[0].overflowed == 1 and found.outputs[0].vanished == 3


@pytest.mark.parametrize(("dtype", "largest"), [("f8e4m3fn", 448), ("f8e4m3", 240)])
def test_a_cast_to_an_8_bit_float_in_the_middle_of_an_attention_block(dtype: str, largest: int) -> None:
    """One score, 8 * 8 * 8 = 512, is larger than the largest value of the two types; all others fit."""
    second = ATTENTION.replace(
        "  %e: f32[4,4] = graph.activation tanh %scores\n",
        f"  %low: {dtype}[4,4] = graph.cast %scores\n"
        "  %wide: f32[4,4] = graph.cast %low\n"
        "  %e: f32[4,4] = graph.activation tanh %wide\n",
    )
    q = np.eye(4, 8, dtype=np.float32)
    q[2, :] = 8
    k = np.full((8, 4), 0.5, np.float32)
    k[:, 1] = 8
    found = compared(ATTENTION, second, q=q, k=k, v=np.ones((4, 8), np.float32))
    first, *others = found.ranking
    assert first.line == f"%low: {dtype}[4,4] = graph.cast %scores" and first.first is None
    assert introduced(first).overflowed == 1 and largest < 512
    assert [one.score for one in others] == [0.0] * len(others)  # the powers of two among the scores are exact
    assert [one.line.partition(":")[0] for one in others if one.first is None] == ["%wide"]
    tanh = next(one for one in others if "tanh" in one.line)
    assert tanh.inherited is not None and tanh.inherited.special == (1 if dtype == "f8e4m3fn" else 0)


def test_nothing_is_guilty_where_nothing_is_lost() -> None:
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    found = compared(SOFTMAX, SOFTMAX, x=x)
    assert all(one.score == 0.0 and one.total is not None and not one.total.differing for one in found.ranking)
    assert "none of 4 values that were compared introduces an error" in str(found)


def test_a_changed_attribute_is_an_error_that_is_introduced() -> None:
    first = "func @main(%x: f32[2,2]) {\n  %y: f32[2,2] = activation copy %x scale 2.0\n  return %y\n}\n"
    found = compared(first, first.replace("2.0", "2.5"), x=np.array([[1, 2], [3, 4]], np.float32))
    (one,) = found.ranking
    assert introduced(one).relative == 0.25 and introduced(one).largest == 2.0


def test_a_rounded_operand_is_not_the_fault_of_who_reads_it() -> None:
    """1 + 2 ** -8 is a tie of bf16 that goes to 1; 1 + 1 is exact. 2 ** -8 / (1 + 2 ** -8) is 1 / 257, 0.003891."""
    first = """\
func @main(%x: f32[1,1]) {
  %a: f32[1,1] = activation copy %x
  %b: f32[1,1] = tensor_tensor add %a, %a
  return %b
}
"""
    found = compared(
        first,
        first.replace("%a: f32", "%a: bf16").replace("%b: f32", "%b: bf16"),
        x=np.array([[1 + 2**-8]], np.float32),
    )
    a, b = found.ranking
    assert (a.line[:2], b.line[:2]) == ("%a", "%b")
    assert introduced(a).largest == 2**-8 and introduced(a).ulps == 0.5 and a.is_own_rounding
    assert b.score == 0.0 and b.inherited is not None and b.inherited.largest == 2**-7
    assert str(found) == """\
outputs of the second version, beside those of the first:
  result 0: relative 0.003891, at most 0.007812

what introduces most, beside the size of its own result (the outputs may feel little of it):
  1. %a: bf16[1,1] = activation copy %x
     was %a: f32[1,1] = activation copy %x
     introduces  relative 0.003891, at most 0.003906, 0.5 ulp; one rounding of its result
     range       1.004 to 1.004 in the first, 1 to 1 in the second
  none of them introduces more than one rounding of its result
  1 of 2 values introduces nothing"""


def test_a_matrix_product_with_narrow_operands_in_an_onnx_model() -> None:
    """The evaluator of the front end computes the nodes; the loss is the rounding of 4097 to f16, which is 4096."""
    text = """\
func @main(%x: f32[1,1]) opset {"ai.onnx" = 17} {
  %big: f32[1,1] = onnx.initializer {value = dense<4097.0>}
  %h: f32[1,1] = onnx.node "ai.onnx::MatMul" %x, %big {node_name = "product"}
  %y: f32[1,1] = onnx.node "ai.onnx::Relu" %h {node_name = "out"}
  return %y
}
"""
    low = """\
func @main(%x: f32[1,1]) opset {"ai.onnx" = 17} {
  %big: f16[1,1] = onnx.initializer {value = dense<4096.0>}
  %l: f16[1,1] = onnx.node "ai.onnx::Cast" %x {to = f16, node_name = "cast"}
  %h: f16[1,1] = onnx.node "ai.onnx::MatMul" %l, %big {node_name = "product"}
  %w: f32[1,1] = onnx.node "ai.onnx::Cast" %h {to = f32, node_name = "back"}
  %y: f32[1,1] = onnx.node "ai.onnx::Relu" %w {node_name = "out"}
  return %y
}
"""
    x = np.array([[2.0]], np.float32)
    before, after = runtime.parse(text), runtime.parse(low)
    found = runtime.compare(before, after, {"x": x}, evaluator=evaluator)
    before.signatures = after.signatures = SIGNATURES  # as those of models that were loaded
    assert str(runtime.compare(before, after, {"x": x})) == str(found)
    first, *others = found.ranking
    assert first.line.startswith("%big") and introduced(first).largest == 1.0
    assert all(one.score == 0.0 for one in others)
    assert found.outputs[0] is not None and found.outputs[0].largest == 2.0
