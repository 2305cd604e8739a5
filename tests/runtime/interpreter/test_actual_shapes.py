"""Shapes that only a run shows are held to the rules of the instruction; numpy would broadcast some of them."""

from typing import Any

import numpy as np
import pytest

import runtime
from runtime.interpreter import InterpreterError

RELU = "graph.relu_backward %a gradient %b"
LABELS = "graph.softmax_cross_entropy_with_logits %a labels %b"
SOLVE = "graph.dense_solve %a, %b"


def result_of(types: str, line: str, **inputs: Any) -> Any:
    text = f"func @main({types}) {{\n  %y: f32[*] = {line}\n  return %y\n}}"
    return runtime.run(runtime.parse(text), inputs)[0]


def ones(*shape: int, dtype: Any = np.float32) -> Any:
    return np.ones(shape, dtype)


@pytest.mark.parametrize(
    ("types", "line", "inputs", "said"),
    [
        ("%a: f32[2,3], %b: f32[?,?]", RELU, (ones(2, 3), ones(1, 1)), "gradient and src have one shape"),
        ("%a: f32[*], %b: f32[2,3]", RELU, (ones(1, 3), ones(2, 3)), "gradient and src have one shape"),
        (
            "%a: f32[2,3], %b: i32[?]",
            LABELS,
            (ones(2, 3), ones(1, dtype=np.int32)),
            "logits and labels have one extent N",
        ),
        ("%a: f32[?,?], %b: f32[?]", SOLVE, (ones(3, 4), ones(3)), "matrix has one extent N"),
        (
            "%a: f32[?,?], %b: f32[?]",
            SOLVE,
            (np.eye(3, dtype=np.float32), ones(4)),
            "rhs has one row for each equation",
        ),
        ("%a: f32[2,?], %b: f32[4,3]", "graph.log_mel %a filters %b", (ones(2, 7), ones(4, 3)), "real and imaginary"),
        ("%a: f32[2,4], %b: f32[?]", "graph.layer_norm %a gamma %b", (ones(2, 4), ones(1)), "gamma"),
    ],
)
def test_shapes_that_break_a_rule_are_refused(types: str, line: str, inputs: tuple[Any, Any], said: str) -> None:
    with pytest.raises(InterpreterError, match=said):
        result_of(types, line, a=inputs[0], b=inputs[1])


def test_shapes_that_keep_the_rules_are_not() -> None:
    found = result_of("%a: f32[?,?], %b: f32[?]", SOLVE, a=np.eye(3, dtype=np.float32) * 2, b=ones(3))
    assert np.array_equal(found, [0.5, 0.5, 0.5])


def test_the_rules_are_asked_again_where_a_loop_brings_other_shapes() -> None:
    text = """func @main(%n: i32[], %d: f32[1,2]) {
      %one: i32[] = graph.constant {value = dense<1>}
      %m: i32[], %r: f32[?,2] = graph.while (%n, %d) condition(%i: i32[], %a: f32[?,2]) {
        %c: bool[] = graph.cast %i
        yield %c
      } body(%j: i32[], %b: f32[?,2]) {
        %k: i32[] = graph.binary sub %j, %one
        %g: f32[?,2] = graph.relu_backward %b gradient %d
        %e: f32[?,2] = graph.concat (%g, %g) axis 0
        yield %k, %e
      }
      return %r
    }"""
    module = runtime.parse(text)
    assert runtime.run(module, {"n": np.int32(1), "d": ones(1, 2)})[0].shape == (2, 2)
    with pytest.raises(InterpreterError, match="gradient and src have one shape"):
        runtime.run(module, {"n": np.int32(2), "d": ones(1, 2)})
