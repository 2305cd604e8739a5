"""Every single change to a program is a difference, and the difference says where it is."""

from __future__ import annotations

import pytest

from runtime.equality import why_different
from runtime.functions import Module
from runtime.instruction_set import standard
from runtime.text.parser import parse
from tests.runtime.text.kinds import CLASSES as KINDS

TEXT = """\
target trn2

func @main(%a: f32[4], %b: f32[4], %c: bool[]) {
  tensor %t: f32[8] dram input const = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]>
  tensor %u: f32[8] sbuf
  for %i = 0 step 2 times 4 {loc = "l"} {
    for %j = 0 step 1 times 2 {
      %u[0 + 2*%i + 1*%j | 1:4 @p] = dma_copy %t[0 | 1:4 | as i32]
    }
  }
  %x: f32[4] = activation exp %a scale 0.0 {engine = scalar, rounding = user, loc = "f"}
  %y: f32[4], %n: i64[4] = opaque "topk" %x, %a {k = 2, list = [1, 2.0], flag = true}
  %r: f32[4] = graph.if %c then {
    yield %x
  } else {
    yield %y
  }
  %h: f32[] = test.hidden {a_int = 1, a_tensor = i8[2] dense<[1, 2]>, l_str = ["a", "b"]}
  return %r, %n
}
"""

CHANGES = [
    ("trn2", "trn1", "target: trn2 and trn1"),
    ("@main", "@other", "functions: @main and @other"),
    ("%b: f32[4], ", "", "@main: body: number of arguments: 3 and 2"),
    ("%b: f32[4]", "%b: f32[5]", "@main: body: argument 1: type: f32[4] and f32[5]"),
    ("8.0]>", "9.0]>", "@main: tensor %t: contents: two constants of type f32[8] differ in their elements"),
    (" input", "", "@main: tensor %t: isInput: True and False"),
    (" sbuf", " psum", "@main: tensor %u: memory: 'sbuf' and 'psum'"),
    ("step 2", "step 3", "@main: body[0]: step: 2 and 3"),
    ("times 2", "times 3", "@main: body[0][0]: trip_count: 2 and 3"),
    ('{loc = "l"}', '{loc = "m"}', "@main: body[0]: loc: 'l' and 'm'"),
    ("2*%i + 1*%j", "2*%i", "dma_copy: dst: offset: "),
    ("2*%i + 1*%j", "1*%i + 2*%j", "dma_copy: dst: offset: "),
    ("1:4 @p", "1:4", "dma_copy: dst: indices: "),
    ("1:4 @p", "2:4 @p", "dma_copy: dst: pairs: "),
    ("as i32", "as u32", "dma_copy: src: read as: i32 and u32"),
    ("dma_copy %t[", "dma_copy %u[", "dma_copy: src: tensor: %t and %u"),
    ("activation exp", "activation log", "@main: body[1] activation: function: 'exp' and 'log'"),
    ("scale 0.0", "scale -0.0", "activation: scale: 0.0 and -0.0"),
    ("= scalar", "= vector", "activation: engine: "),
    ("rounding = user, ", "", "activation: rounding: 'user' and None"),
    ('loc = "f"', 'loc = "g"', "activation: loc: 'f' and 'g'"),
    ("exp %a", "exp %b", "activation: src: %a and %b"),
    ('"topk"', '"top"', "opaque: label: 'topk' and 'top'"),
    ("k = 2", "k = 2.0", "opaque: k: 2 and 2.0"),
    ("flag = true", "flag = 1", "opaque: flag: True and 1"),
    ("[1, 2.0]", "[1, 2]", "opaque: list[1]: 2.0 and 2"),
    ("%n: i64[4]", "%n: i32[4]", "opaque: result 1: type: i64[4] and i32[4]"),
    ("yield %x", "yield %y", "graph.if.then[0] yield: values[0]: %x and %y"),
    ("    yield %x\n", "", "graph.if.then[0]: yield and nothing"),
    ("a_int = 1", "a_int = 2", "test.hidden: a_int: 1 and 2"),
    ("a_int = 1, ", "", "test.hidden: a_int: 1 and None"),
    ("[1, 2]>", "[1, 3]>", "test.hidden: a_tensor: two constants of type i8[2] differ in their elements"),
    ('"b"', '"c"', "test.hidden: l_str[1]: 'b' and 'c'"),
    ("return %r, %n", "return %r", "return: values: length: 2 and 1"),
    ("  return", "  test.sync\n  return", "@main: body[5]: return and test.sync"),
]

NAMES = [
    ("%a", "%aa", "@main: body: argument 0: name: 'a' and 'aa'"),
    ("%t", "%tt", "@main: tensor %t: name: 't' and 'tt'"),
    ("%i", "%ii", "@main: body[0]: name: 'i' and 'ii'"),
    ("%n", "%nn", "opaque: result 1: name: 'n' and 'nn'"),
    ("%x", "%5", "activation: result 0: name: 'x' and None"),
]


@pytest.mark.parametrize(("old", "new", "reason"), CHANGES)
def test_a_change_is_found(old: str, new: str, reason: str) -> None:
    found = why_different(read(TEXT), read(TEXT.replace(old, new, 1)))
    assert found is not None and reason in found
    back = why_different(read(TEXT.replace(old, new, 1)), read(TEXT))
    assert back is not None


@pytest.mark.parametrize(("old", "new", "reason"), NAMES)
def test_names_count_unless_told_otherwise(old: str, new: str, reason: str) -> None:
    renamed = read(TEXT.replace(old, new))
    found = why_different(read(TEXT), renamed)
    assert found is not None and reason in found
    assert why_different(read(TEXT), renamed, names=False) is None


def test_a_program_is_equal_to_itself_read_again_and_cloned() -> None:
    module = read(TEXT)
    assert why_different(module, module) is None
    assert why_different(module, read(TEXT)) is None
    assert why_different(module, module.clone()) is None
    assert why_different(module.functions["main"], read(TEXT).functions["main"]) is None


def test_numbers_are_no_names() -> None:
    assert why_different(read(TEXT.replace("%x", "%1")), read(TEXT.replace("%x", "%9"))) is None


def read(text: str) -> Module:
    return parse(text, {**standard(), **KINDS})
