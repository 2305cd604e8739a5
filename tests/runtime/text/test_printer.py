"""Names in print: what no text can say, since it parses to programs whose names are in order."""

from __future__ import annotations

import pytest

from runtime.access import NeuronAP
from runtime.affine import Affine
from runtime.builder import Builder
from runtime.builtin import Opaque
from runtime.dtypes import f32
from runtime.equality import why_different
from runtime.functions import Function, Module
from runtime.instruction_set import standard
from runtime.names import Names
from runtime.text.parser import parse
from runtime.text.printer import print_function, print_module
from runtime.types import Type

F32 = Type.tensor(f32, (2,))


@pytest.fixture
def builder() -> Builder:
    return Builder(Module().add_function(Function("main")))


def insert(builder: Builder, name: str | None, *operands: Opaque | NeuronAP) -> Opaque:
    return builder.insert(Opaque("x", operands, result_types=[F32]), name)


def test_names_that_clash_get_suffixes_and_numbers_are_no_names(builder: Builder) -> None:
    for name in ("a", "a", "a_1", "7", None, "a"):
        insert(builder, name)
    shown = [line.split(":")[0].strip() for line in print_function(builder.function).split("\n")[1:-2]]
    assert shown == ["%a", "%a_1", "%a_1_1", "%0", "%1", "%a_2"]
    check(builder)


def test_an_axis_inside_a_loop_of_the_same_name_gets_a_suffix(builder: Builder) -> None:
    tensor = builder.tensor("i_2", f32, (64,), "dram")
    with builder.loop("i", 4) as outer, builder.loop("i", 2) as inner:
        offset = Affine.of(outer) * 8 + Affine.of(inner) * 2
        insert(builder, "i", NeuronAP(tensor, [(1, 2)], offset))
    with builder.loop("i", 3) as other:
        insert(builder, None, NeuronAP(tensor, [(1, 2)], other))
    text = print_function(builder.function)
    assert "for %i = 0 step 1 times 4 {\n    for %i_1 = 0 step 1 times 2 {" in text
    assert '%i_3: f32[2] = opaque "x" %i_2[0 + 8*%i + 2*%i_1 | 1:2]' in text
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


def check(builder: Builder) -> Module:
    module = builder.function.module
    assert module is not None
    again = parse(print_module(module), standard())
    assert why_different(module, again, names=False) is None
    assert print_module(again) == print_module(module)
    return again
