"""Counterparts that read or write something else: executed again on the same operands they agree, and are named yet."""

import json

import numpy as np
import pytest

import runtime
from runtime.comparison import Comparison

VALUES = """\
func @main(%x: f32[4], %y: f32[4]) {
  %a: f32[4] = graph.binary sub %x, %y
  %b: f32[4] = graph.binary sub %y, %x
  %c: f32[4] = graph.binary mul %a, %b
  return %c
}
"""
TILES = """\
func @main() {
  tensor %x: f32[2,4] sbuf input
  tensor %t: f32[2,4] sbuf
  tensor %y: f32[2,4] sbuf output
  for %i = 0 step 2 times 2 {
    %t[0 + 1*%i | 4:2, 1:2] = activation exp %x[0 + 1*%i | 4:2, 1:2]
    %y[0 + 1*%i | 4:2, 1:2] = activation tanh %t[0 + 1*%i | 4:2, 1:2]
  }
}
"""
ROUNDS = """\
func @main(%x: f32[4], %y: f32[4]) {
  %t: f32[4] = graph.scan (%x) over () rounds 2 body(%a: f32[4]) {
    %b: f32[4] = graph.binary sub %a, %y
    yield %b
  }
  return %t
}
"""


def compared(first: str, second: str) -> Comparison:
    random = np.random.default_rng(5)
    if first is TILES:
        inputs = {"x": random.standard_normal((2, 4)).astype(np.float32)}
    else:
        inputs = {name: random.standard_normal(4).astype(np.float32) for name in ("x", "y")}
    before, after = runtime.parse(first), runtime.parse(second)
    assert runtime.verify(before) == runtime.verify(after) == []
    return runtime.compare(before, after, inputs)


@pytest.mark.parametrize(
    ("program", "right", "wrong"),
    [
        (VALUES, "%b: f32[4] = graph.binary sub %y, %x", "%b: f32[4] = graph.binary sub %x, %y"),
        (VALUES, "%c: f32[4] = graph.binary mul %a, %b", "%c: f32[4] = graph.binary mul %a, %a"),
        (VALUES, "%a: f32[4] = graph.binary sub %x, %y", "%a: f32[4] = graph.binary sub %x, %x"),
        (TILES, "exp %x[0 + 1*%i | 4:2, 1:2]", "exp %x[0 | 4:2, 1:2]"),
        (TILES, "exp %x[0 + 1*%i | 4:2, 1:2]", "exp %x[2 + -1*%i | 4:2, 1:2]"),
        (TILES, "exp %x[0 + 1*%i | 4:2, 1:2]", "exp %x[0 + 1*%i | 4:2, 0:2]"),
        (TILES, "tanh %t[0 + 1*%i | 4:2, 1:2]", "tanh %x[0 + 1*%i | 4:2, 1:2]"),
        (TILES, "%y[0 + 1*%i | 4:2, 1:2] =", "%y[2 + -1*%i | 4:2, 1:2] ="),
        (ROUNDS, "%b: f32[4] = graph.binary sub %a, %y", "%b: f32[4] = graph.binary sub %y, %a"),
    ],
)
def test_the_instruction_with_other_operands_is_named(program: str, right: str, wrong: str) -> None:
    found = compared(program, program.replace(right, wrong))
    assert [(wrong in second, right in first) for second, first in found.rewired] == [(True, True)]
    assert any(output is None or output.differing for output in found.outputs.values())
    report = str(found).partition("with other operands than in the first version")[2].splitlines()
    assert wrong in report[1] and report[2].startswith("    was ") and right in report[2]
    assert wrong in json.loads(json.dumps(found.as_data()["rewired"]))[0]["second"]


SWAPPED = """\
func @main(%y: f32[4], %x: f32[4]) {
  %1: f32[4] = graph.binary sub %y, %x
  %0: f32[4] = graph.binary sub %x, %y
  %2: f32[4] = graph.binary mul %0, %1
  return %2
}
"""
NARROW = """\
func @main(%x: f32[4], %y: f32[4]) {
  %0: f16[4] = graph.cast %x
  %1: f16[4] = graph.cast %y
  %2: f16[4] = graph.binary sub %0, %1
  %3: f16[4] = graph.binary sub %1, %0
  %4: f16[4] = graph.binary mul %2, %3
  %c: f32[4] = graph.cast %4
  return %c
}
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (VALUES, VALUES),
        (VALUES, SWAPPED),  # in another order, without names, the arguments too
        (VALUES, NARROW),
        (VALUES, VALUES.replace("%x", "%p").replace("%y", "%q")),
        (TILES, TILES.replace("%i", "%k")),
        (TILES, TILES.replace("%t: f32", "%t: bf16")),
        (ROUNDS, ROUNDS.replace("%a", "%p")),
    ],
)
def test_what_was_renamed_moved_or_narrowed_is_not(first: str, second: str) -> None:
    found = compared(first, second)
    assert found.rewired == () and found.only_first == found.only_second == ()
    assert "other operands" not in str(found)
