"""Names, attributes and elision in print: what no text can say, since it parses to programs that are in order."""

from __future__ import annotations

from io import StringIO

import numpy as np
import pytest

from runtime.access import NeuronAP
from runtime.affine import Affine
from runtime.builder import Builder
from runtime.builtin import Opaque
from runtime.constants import Constant
from runtime.diagnostics import DiagnosticsError
from runtime.dtypes import f32
from runtime.equality import why_different
from runtime.functions import Function, Module
from runtime.generic import Encoded, Initializer, OnnxNode, Region
from runtime.instruction_set import standard
from runtime.lazy_tensors import StoredTensor
from runtime.names import Names
from runtime.tensors import NeuronSBTensor
from runtime.text.open_values import is_region
from runtime.text.parser import parse
from runtime.text.printer import print_function, print_module, print_statement, print_tensor, write_module
from runtime.types import Type

F32 = Type.tensor(f32, (2,))


@pytest.fixture
def builder() -> Builder:
    return Builder(Module().add_function(Function("main")))


def insert(builder: Builder, name: str | None, *operands: Opaque | NeuronAP) -> Opaque:
    return builder.insert(Opaque("x", operands, result_types=[F32]), name)


def test_names_that_clash_get_suffixes_and_numbers_are_names(builder: Builder) -> None:
    for name in ("a", "a", "a_1", "7", None, "a", "7", ""):
        insert(builder, name)
    shown = [line.split(":")[0].strip() for line in print_function(builder.function).split("\n")[1:-2]]
    assert shown == ["%a", '%a_1 "a"', '%a_1_1 "a_1"', '%"7"', "%0", '%a_2 "a"', '%"7_1" "7"', '%""']
    again = check(builder)
    assert [inst.name for inst in again.insts] == ["a", "a", "a_1", "7", None, "a", "7", ""]


def test_an_axis_inside_a_loop_of_the_same_name_gets_a_suffix(builder: Builder) -> None:
    tensor = builder.tensor("i_2", f32, (64,), "dram")
    with builder.loop("i", 4) as outer, builder.loop("i", 2) as inner:
        offset = Affine.of(outer) * 8 + Affine.of(inner) * 2
        insert(builder, "i", NeuronAP(tensor, [(1, 2)], offset))
    with builder.loop("i", 3) as other:
        insert(builder, None, NeuronAP(tensor, [(1, 2)], other))
    text = print_function(builder.function)
    assert 'for %i = 0 step 1 times 4 {\n    for %i_1 "i" = 0 step 1 times 2 {' in text
    assert '%i_3 "i": f32[2] = opaque "x" %i_2[0 + 8*%i + 2*%i_1 | 1:2]' in text
    assert "  for %i = 0 step 1 times 3 {" in text, "loops that stand side by side may have axes of one name"
    check(builder)


def test_a_tensor_keeps_its_name_whatever_it_is(builder: Builder) -> None:
    for name in ("0", "a b", "%"):
        builder.tensor(name, f32, (2,), "sbuf")
    insert(builder, None)
    again = check(builder)
    assert list(again.functions["main"].tensors) == ["0", "a b", "%"]


def test_one_instruction_is_printed_with_the_names_of_its_function(builder: Builder) -> None:
    insert(builder, None)
    with builder.loop("i", 2):
        first = insert(builder, None)
        second = insert(builder, None, first, first)
    assert second.rhs_str() == 'opaque "x" %1, %1'
    assert Names(builder.function).of(second) == "2"


def test_the_result_of_an_instruction_and_what_stands_in_its_regions_may_share_a_name(builder: Builder) -> None:
    outer = builder.insert(OnnxNode("If", [], {"then_branch": Region(0)}, result_types=[F32], n_regions=1), "y")
    for name in ("y", "y"):
        outer.blocks[0].append(made := OnnxNode("Neg", [], result_types=[F32]))
        made.name = name
    insert(builder, "y")
    text = print_function(builder.function)
    assert [line.split(":")[0].strip() for line in text.split("\n")[1:-2]] == ["%y", "%y", '%y_1 "y"', "}", '%y_2 "y"']
    assert Names(builder.function).of(made) == "y_1"
    check(builder)


@pytest.mark.parametrize(
    ("attributes", "shown"),
    [
        ({"a": np.int64(3), "b": np.float32(0.5), "c": True}, "{a = 3, b = 0.5, c = true}"),  # as they are computed
        ({"a": [1, 2], "b": ()}, "{a = [1, 2], b = []}"),
        ({"a": Region(1), "b": (Region(0),)}, "{a = region, b = region} b[0] {"),
        ({"b": (Region(0),), "a": Region(1)}, "b[0] {"),
    ],
)
def test_attributes_that_passes_may_give(builder: Builder, attributes: dict[str, object], shown: str) -> None:
    n_regions = sum(map(is_region, attributes.values()))
    builder.insert(OnnxNode("Op", [], attributes, node_name="", n_regions=n_regions))
    assert f'onnx.node "ai.onnx::Op" {shown}\n' in print_function(builder.function)


def test_a_value_that_no_attribute_has_is_a_fault(builder: Builder) -> None:
    builder.insert(OnnxNode("Op", [], {"a": object()}))
    with pytest.raises(AssertionError, match="no attribute value: <object"):
        print_function(builder.function)


NUMBERS = Constant.of(range(5), f32)


@pytest.mark.parametrize(
    ("elide", "shown"),
    [(None, "dense<[0.0, 1.0, 2.0, 3.0, 4.0]>"), (5, "dense<[0.0, 1.0, 2.0, 3.0, 4.0]>"), (4, "dense<elided>")],
)
def test_long_constants_are_left_out_on_request(builder: Builder, elide: int | None, shown: str) -> None:
    builder.function.add_tensor(NeuronSBTensor("t", f32, (5,), init=NUMBERS))
    builder.function.body.add_argument(NUMBERS.type).default = NUMBERS
    builder.insert(Initializer(NUMBERS))
    builder.insert(OnnxNode("Op", [], {"a": NUMBERS, "more": (NUMBERS, NUMBERS)}))
    builder.insert(Initializer(Constant.of([0.0] * 5, f32)))
    assert builder.function.module is not None
    text = print_module(builder.function.module, elide=elide)
    assert text.count(shown) == 6 and text.count("dense<0.0>") == 1
    assert print_function(builder.function, elide=elide) == text
    file = StringIO()
    write_module(builder.function.module, file, elide=elide)
    assert file.getvalue() == text


def test_bytes_are_left_out_on_request(builder: Builder) -> None:
    module = builder.function.module
    assert module is not None
    module.carried = builder.function.body.carried = bytes(3)
    node = builder.insert(OnnxNode("Op", [], {"a": bytes(3), "b": Encoded(bytes(3)), "c": bytes(2)}))
    node.carried = bytes(3)
    builder.insert(Initializer(StoredTensor((2,), None, bytes(3))))
    text = print_module(module, elide=2)
    assert text.count("elided") == 4 and 'c = bytes<"0000">' in text
    assert print_module(module, elide=3).count("elided") == 1


def test_what_is_carried_is_left_out_on_request_and_the_last_line_says_so(builder: Builder) -> None:
    module = builder.function.module
    assert module is not None
    assert print_module(module, elide=0) == print_module(module) == "func @main() {\n}\n"
    module.carried, builder.function.body.carried = b"12345", b"1"
    builder.insert(OnnxNode("Op", node_name="")).carried = b"123"
    builder.insert(OnnxNode("Op", node_name="", n_regions=1)).blocks[0].carried = b"12"
    text = print_module(module, elide=100)
    assert "carried" not in text.replace("front end carries", "")
    assert text.endswith("}\n\nelided  // 11 bytes that a front end carries\n")
    assert print_function(builder.function, elide=100).endswith("}\n\nelided  // 6 bytes that a front end carries\n")
    with pytest.raises(DiagnosticsError, match=r"<text>:7:1: error.T042"):
        parse(text, standard())


def test_a_line_for_people_has_no_long_constant(builder: Builder) -> None:
    long = builder.insert(Initializer(Constant.of(range(200), f32)))
    assert print_statement(long, Names()) == "%0: f32[200] = onnx.initializer {value = dense<elided>}\n"
    tensor = builder.function.add_tensor(NeuronSBTensor("t", f32, (200,), init=Constant.of(range(200), f32)))
    assert print_tensor(tensor, Names()) == "tensor %t: f32[200] sbuf const = dense<elided>"


def check(builder: Builder) -> Module:
    module = builder.function.module
    assert module is not None
    again = parse(print_module(module), standard())
    assert why_different(module, again) is None
    assert print_module(again) == print_module(module)
    return again
