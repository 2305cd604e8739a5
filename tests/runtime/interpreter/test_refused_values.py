"""What classes, probabilities, random numbers, segments and indices cannot be: a run ends, and names the wrong one."""

from typing import Any

import numpy as np
import pytest

from runtime.interpreter import InterpreterError
from tests.runtime.semantics.check import outputs
from tests.runtime.semantics.from_arrays import program
from tests.runtime.semantics.written import written

LOGITS = np.array([[0.5, 1.5, 0], [2, 0, 1]])
LOSS = "graph.softmax_cross_entropy_with_logits %x labels %l"
GRADIENT = "graph.softmax_cross_entropy_backward %x labels %l gradient %d"
ROWS = np.zeros(2)


@pytest.mark.parametrize(
    ("form", "result", "inputs", "message"),
    [
        (LOSS, ROWS, {"x": LOGITS, "l": np.array([0, 3])}, r"labels\[1\] is 3; the 3 classes count from 0"),
        (LOSS, ROWS, {"x": LOGITS, "l": np.array([-1, 0])}, r"labels\[0\] is -1"),
        (LOSS, ROWS, {"x": LOGITS, "l": np.array([0, 0.5], np.float32)}, r"labels\[1\] is 0.5"),
        (LOSS, ROWS, {"x": LOGITS, "l": np.array([np.nan, 0], np.float32)}, r"labels\[0\] is nan"),
        (GRADIENT, LOGITS, {"x": LOGITS, "l": np.array([0, 9]), "d": ROWS}, r"labels\[1\] is 9"),
        ("graph.sample %x", np.zeros(2, np.int32), {"x": LOGITS}, "draws random numbers of its backend's own"),
        ("graph.sample %x {seed = 7}", np.zeros(2, np.int32), {"x": LOGITS}, "give them as `uniforms`, or top_p = 0"),
        ("graph.sample %x uniforms %u", np.zeros(2, np.int32), {"x": LOGITS, "u": np.ones(2)}, "below 1"),
        ("graph.sample %x uniforms %u", np.zeros(2, np.int32), {"x": LOGITS, "u": -np.ones(2)}, "at least 0"),
        ("graph.sample %x uniforms %u", np.zeros(2, np.int32), {"x": LOGITS, "u": ROWS * np.nan}, "at least 0"),
        ("graph.sample %x", np.zeros(2, np.int32), {"x": LOGITS * np.nan}, r"logits\[0\] have no probabilities"),
        ("graph.sample %x", np.zeros(1, np.int32), {"x": np.array([[-np.inf, -np.inf]])}, "have no probabilities"),
    ],
)
def test_a_value_that_means_nothing_is_refused(form: str, result: Any, inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(InterpreterError, match=message):
        outputs(program(form, [result], inputs), **inputs)


def test_an_index_that_i32_does_not_hold_is_refused() -> None:
    text = """
    func @main(%x: f32[1,2]) {
      tensor %w: i32[1,3] sbuf input output
      %w = nonzero_with_count %x offset 2147483647
    }"""
    held = np.zeros((1, 3), np.int32)
    first = written(text, x=np.array([[1, 0]], np.float32), w=held)
    assert first.tolist() == [[2147483647, -1, 1]]
    with pytest.raises(InterpreterError, match="index 2147483648, with its offset, is no number of i32"):
        written(text, x=np.array([[1, 1]], np.float32), w=held)


@pytest.mark.parametrize("number", [-1.0, 1.5, np.nan, np.inf])
def test_a_segment_has_a_whole_number_that_is_not_negative(number: float) -> None:
    text = """
    func @main(%s: f32[1,3]) {
      tensor %b: f32[1,2,3] sbuf output
      %b = sequence_bounds %s
    }"""
    with pytest.raises(InterpreterError, match=f"a segment is called {number}; expected a whole number"):
        written(text, s=np.array([[2, number, 0]], np.float32))
