"""Every single change to a program is a difference, and the difference says where it is."""

from __future__ import annotations

import numpy as np
import pytest

from runtime.constants import Constant
from runtime.dtypes import f32, i64
from runtime.equality import why_different
from runtime.functions import Function, Module
from runtime.generic import Initializer
from runtime.instruction_set import standard
from runtime.lazy_tensors import LazyTensor, StoredTensor
from runtime.text.parser import parse
from runtime.types import Type
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


FOREIGN = """\
func @main(%x: f32[2], %w: f32[2] = dense<1.0>) opset {"ai.onnx" = 17} {
  %t: ?[2] = onnx.initializer {value = carried<"0801">}
  %k: i64[1] = onnx.initializer {value = dense<1> carried<"0a">}
  %v: f32[1], %i: i64[1] = onnx.node "ai.onnx::TopK" %x, none, %k {
    axis = 1, to = f16, names = ["a", bytes<"ff">], node_name = "n", absent = [0], carried = "01"
  }
  %y: f32[2] = onnx.node "d::F" %x {
    alpha = @slope: float, empty = empty<int>, rest = encoded<"00">, type = f32[N], value = f32[2] dense<[1.0, 2.0]>
  } body {
    yield %x
    carried "02"
  }
  onnx.node "d::G" a[0] {
  } a[1] {
  }
  return %y
  carried "03"
}

carried "04"
"""

FOREIGN_CHANGES = [
    ("%w: f32[2] = dense<1.0>", "%w: f32[2]", "argument 1: default: <Constant f32[2]> and None"),
    ("= dense<1.0>", "= dense<2.0>", "argument 1: default: two constants of type f32[2] differ in their elements"),
    ("= dense<1.0>", "= f32[1] dense<1.0>", "argument 1: default: <Constant f32[2]> and <Constant f32[1]>"),
    ("= 17", "= 18", "@main: operator sets: {'ai.onnx': 17} and {'ai.onnx': 18}"),
    ('carried<"0801">', 'carried<"0802">', "initializer: value: carried: 2 bytes and 2 bytes"),
    ('carried<"0a">', 'carried<"0b">', "initializer: value: carried: 1 byte and 1 byte"),
    ("dense<1> carried", "dense<2> carried", "value: two constants of type i64[1] differ in their elements"),
    ("%x, none, %k", "%x, %w, %k", "onnx.node: values[1]: None and %w"),
    ("%x, none, %k", "%x, none", "onnx.node: values: length: 3 and 2"),
    ("::TopK", "::Max", "onnx.node: op_type: 'TopK' and 'Max'"),
    ("ai.onnx::", "b::", "onnx.node: domain: 'ai.onnx' and 'b'"),
    ("axis = 1", "axis = 1.0", "onnx.node: axis: 1 and 1.0"),
    ("axis = 1", "axis = true", "onnx.node: axis: 1 and True"),
    ("axis = 1, to = f16", "to = f16, axis = 1", "attributes: ['axis', 'to', 'names'] and ['to', 'axis', 'names']"),
    ("to = f16", "to = bf16", "onnx.node: to: f16 and bf16"),
    ('bytes<"ff">', '"ff"', "onnx.node: names[1]: b'\\xff' and 'ff'"),
    ('node_name = "n"', 'node_name = ""', "onnx.node: node_name: 'n' and ''"),
    ("absent = [0]", "absent = [1]", "onnx.node: absent[0]: 0 and 1"),
    (', carried = "01"', "", "onnx.node: carried: 1 byte and nothing"),
    ("@slope: float", "@slope: int", "onnx.node: alpha: AttributeReference("),
    ("empty<int>", "empty<float>", "onnx.node: empty: EmptyList(kind='int') and EmptyList(kind='float')"),
    ("empty<int>", "[]", "onnx.node: empty: EmptyList(kind='int') and ()"),
    ('encoded<"00">', 'encoded<"01">', "onnx.node: rest: Encoded("),
    ('encoded<"00">', 'bytes<"00">', "onnx.node: rest: Encoded("),
    ("type = f32[N]", "type = f32[M]", "onnx.node: type: <Type f32[N]> and <Type f32[M]>"),
    ("[1.0, 2.0]", "[1.0, 3.0]", "onnx.node: value: two constants of type f32[2] differ in their elements"),
    ("f32[2] dense<[1.0, 2.0]>", "1.0", "onnx.node: value: <Constant f32[2]> and 1.0"),
    ("body {", "branch {", "onnx.node: attributes: "),
    ("yield %x", "yield %w", "onnx.node.body[0] yield: values[0]: %x and %w"),
    ('carried "02"', "", "onnx.node.body: carried: 1 byte and nothing"),
    (" a[1] {\n  }", "", "onnx.node: number of regions: 2 and 1"),
    ("a[0] {\n  } a[1]", "a[1] {\n  } a[0]", "onnx.node: a[0]: Region(index=0) and Region(index=1)"),
    ('carried "03"', 'carried ""', "@main: body: carried: 1 byte and 0 bytes"),
    ('carried "04"', "", "carried: 1 byte and nothing"),
]


@pytest.mark.parametrize(("old", "new", "reason"), FOREIGN_CHANGES)
def test_a_change_to_a_program_of_a_front_end_is_found(old: str, new: str, reason: str) -> None:
    assert old in FOREIGN
    test_a_change_is_found(old, new, reason, FOREIGN)


class Lazy(LazyTensor):
    """A tensor that is made when somebody asks."""

    @property
    def parts(self) -> tuple[Constant | None, bytes]:
        return Constant.of(np.arange(self.shape[0]), f32), b"kept"


def test_a_lazy_tensor_is_equal_to_a_constant_of_the_same_dtype_shape_and_bytes() -> None:
    lazy, same = Lazy(f32, (3,)), Constant.of([0.0, 1.0, 2.0], f32)
    assert difference(lazy, same) is None and difference(same, lazy) is None
    assert difference(lazy, Lazy(f32, (3,))) is None and difference(lazy, lazy) is None
    assert difference(lazy, StoredTensor((3,), same, b"kept")) is None
    assert difference(lazy, StoredTensor((3,), same, b"other")) == "carried: 4 bytes and 5 bytes"
    differ = "two constants of type f32[3] differ in their elements"
    assert difference(lazy, Constant.of([0.0, 1.0, 2.5], f32)) == differ
    assert difference(lazy, Constant.of([-0.0, 1.0, 2.0], f32)) == differ
    assert difference(lazy, StoredTensor((3,), None, b"kept")) == "<Lazy f32[3]> and <StoredTensor ?[3]>"
    assert difference(lazy, Constant.of(np.arange(3), i64)) == "<Lazy f32[3]> and <Constant i64[3]>"
    foreign = StoredTensor((3,), None, b"kept")
    assert difference(foreign, StoredTensor((3,), None, b"kept")) is None
    assert difference(foreign, StoredTensor((3,), None, b"other")) == "carried: 4 bytes and 5 bytes"


def difference(a: Constant | LazyTensor, b: Constant | LazyTensor) -> str | None:
    """Return the difference between two programs of one weight each, without its place."""
    modules = []
    for held in (a, b):
        module = Module()
        module.add_function(Function("main")).body.append(Initializer(held, result_type=Type.unknown()))
        modules.append(module)
    found = why_different(*modules)
    return None if found is None else found.removeprefix("@main: body[0] onnx.initializer: value: ")


@pytest.mark.parametrize(("old", "new", "reason"), CHANGES)
def test_a_change_is_found(old: str, new: str, reason: str, text: str = TEXT) -> None:
    found = why_different(read(text), read(text.replace(old, new, 1)))
    assert found is not None and reason in found
    back = why_different(read(text.replace(old, new, 1)), read(text))
    assert back is not None


@pytest.mark.parametrize(("old", "new", "reason"), NAMES)
def test_names_count_unless_told_otherwise(old: str, new: str, reason: str) -> None:
    renamed = read(TEXT.replace(old, new))
    found = why_different(read(TEXT), renamed)
    assert found is not None and reason in found
    assert why_different(read(TEXT), renamed, names=False) is None


@pytest.mark.parametrize("text", [TEXT, FOREIGN])
def test_a_program_is_equal_to_itself_read_again_and_cloned(text: str) -> None:
    module = read(text)
    assert why_different(module, module) is None
    assert why_different(module, read(text)) is None
    assert why_different(module, module.clone()) is None
    assert why_different(module.functions["main"], read(text).functions["main"]) is None


def test_bare_numbers_are_no_names() -> None:
    assert why_different(read(TEXT.replace("%x", "%1")), read(TEXT.replace("%x", "%9"))) is None
    found = why_different(read(TEXT.replace("%x", '%"1"')), read(TEXT.replace("%x", '%"9"')))
    assert found is not None and "activation: result 0: name: '1' and '9'" in found
    found = why_different(read(TEXT.replace("%x", "%1")), read(TEXT.replace("%x", '%"1"')))
    assert found is not None and "activation: result 0: name: None and '1'" in found


def read(text: str) -> Module:
    return parse(text, {**standard(), **KINDS})
