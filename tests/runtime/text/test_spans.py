"""Where the parts of a statement stand in its text: in every program that is printed, and in what people write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given, settings

from runtime.builtin import Opaque
from runtime.functions import Module
from runtime.generic import GenericInst
from runtime.instruction_set import standard
from runtime.instructions import Instruction
from runtime.names import Names
from runtime.quoting import quoted
from runtime.text.parser import parse_with_places
from runtime.text.printer import print_module
from runtime.text.spans import end_of_first_line, spans_of
from runtime.types import Type
from tests.runtime.random_programs import modules
from tests.runtime.text.kinds import CLASSES as KINDS

CLASSES = {**standard(), **KINDS}


@given(modules(CLASSES))
@settings(max_examples=30)
def test_parts_stand_where_they_were_printed(module: Module) -> None:
    check(module)


@pytest.mark.parametrize("mnemonic", sorted(CLASSES))
def test_parts_of_every_instruction_stand_where_they_were_printed(mnemonic: str) -> None:
    @given(modules(CLASSES, (mnemonic,)))
    @settings(max_examples=8)
    def run(module: Module) -> None:
        check(module)

    run()


def test_parts_stand_where_people_write_them() -> None:
    lines = """\
    %r :f32[2],%"a [b": seq<f32[2]>= opaque  "x]" %t[ 0|1 :2 ] , %a{ // a brace: {
      loc = "// } here" , k = [1, [2]],
      "engine" = "x" }   // done
"""
    text = f"func @main(%a: f32[2]) {{\n  tensor %t: f32[2] dram\n{lines}}}\n"
    assert shown(text) == {
        "result": "f32[2]",
        "result[0]": "f32[2]",
        "result[1]": "seq<f32[2]>",
        "label": '"x]"',
        "values": "%t[ 0|1 :2 ] , %a",
        "values[0]": "%t[ 0|1 :2 ]",
        "values[1]": "%a",
        "loc": 'loc = "// } here"',
        "k": "k = [1, [2]]",
        '"engine"': '"engine" = "x"',
    }


def test_groups_and_regions_that_people_write() -> None:
    text = """\
func @main(%a: f32[2], %c: bool[]) {
  %r: f32[2] = graph.if %c {loc="{"} then{  // }
    yield %a
  }else { yield %a
  }
}
"""
    found = shown(text)
    assert found["condition"] == "%c" and found["loc"] == 'loc="{"'
    assert found["end of then"] == found["end of else"] == "}"


def test_parts_of_generic_instructions_that_people_write() -> None:
    text = """\
func @main(%a: f32[2]) {
  %r "own [" :f32[2], %s: i64[] = onnx.node "a::b"  ::"Op" none ,%a { k = [f32[2] dense<[1.0, 2.0]>, "]"],
    t = f32[2]dense<1.0> carried < "00" >, // }
    r = @"a b" : float, b = bytes<"ff">, e = encoded<"00">, w = empty < int >, ty = seq<f32[2]>, body=region,
    "loc" = ?[2] carried<"00">, absent = [1], carried = "00", loc = "here" } body( %x: f32[2] = dense<1.0> ){ // {
  } "else"[0]{
  }
}
"""
    assert shown(text) == {
        **{"result": "f32[2]", "result[0]": "f32[2]", "result[1]": "i64[]"},
        **{"domain": '"a::b"', "op_type": '"Op"', "values": "none ,%a", "values[0]": "none", "values[1]": "%a"},
        **{"k": 'k = [f32[2] dense<[1.0, 2.0]>, "]"]', "t": 't = f32[2]dense<1.0> carried < "00" >'},
        **{"r": 'r = @"a b" : float', "b": 'b = bytes<"ff">', "e": 'e = encoded<"00">', "w": "w = empty < int >"},
        **{"ty": "ty = seq<f32[2]>", "body": "body=region", '"loc"': '"loc" = ?[2] carried<"00">'},
        **{"absent": "absent = [1]", "carried": 'carried = "00"', "loc": 'loc = "here"'},
        **{"end of body": "}", "end of else[0]": "}"},
    }


def test_a_label_is_one_part() -> None:
    found = shown('func @main() {\n  %a: f32[], %b: f32[] = onnx.node "d::Op"\n}\n')
    assert found["domain"] == found["op_type"] == '"d::Op"' and "values" not in found


@pytest.mark.parametrize(
    "text", ["", "%r", "%r: f32[2] = ", "%r: f32[2] = opaque", '%r: f32[2] = opaque "x" %a[', "<X>"]
)
def test_a_text_that_is_out_of_order_has_the_parts_met_so_far(text: str) -> None:
    inst = Opaque("x", result_types=[Type.unknown()])
    assert all(0 <= start <= end <= len(text) for start, end in spans_of(text, 0, inst).values())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("return %a  // done", "return %a"),
        ("for %i = 0 step 1 times 2 { // { \n", "for %i = 0 step 1 times 2"),
        ('test.sync {loc = "a // b {"}', 'test.sync {loc = "a // b {"}'),
        ("yield\n  yield", "yield"),
    ],
)
def test_the_first_line_ends_before_a_comment_and_the_brace_of_a_block(text: str, expected: str) -> None:
    assert text[: end_of_first_line(text, 0)] == expected


def check(module: Module) -> None:
    text = print_module(module)
    parsed = parse_with_places(text, CLASSES)
    for function in parsed.module.functions.values():
        names = Names(function)
        for inst in function.insts:
            spans = spans_of(text, parsed.places.offsets[inst], inst)
            found = {name: text[start:end] for name, (start, end) in spans.items()}
            expected = dict(parts_of(inst, names))
            assert {name: found.get(name) for name in expected} == expected, text
            assert found.keys() >= {name for name in inst.INFO.shown if in_text(getattr(inst, name))} - groups_of(inst)


def parts_of(inst: Instruction, names: Names) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of what stands in the text of `inst`, but for attributes."""
    if inst.dst is not None:
        yield "dst", inst.dst.use_str(names)
    for index, result in enumerate(inst.all_results):
        yield f"result[{index}]", "none" if result is None else str(result.type)
    for info in inst.INFO.operands:
        held = getattr(inst, info.name)
        if info.variadic:
            for index, item in enumerate(held):
                yield f"{info.name}[{index}]", "none" if item is None else item.use_str(names)
        elif held is not None:
            yield info.name, f"{info.name} = " * (info.name not in inst.INFO.shown) + held.use_str(names)
    if inst.loc is not None:
        yield "loc", f"loc = {quoted(inst.loc)}"
    regions = inst.region_names if isinstance(inst, GenericInst) else inst.INFO.region_names
    yield from ((f"end of {name}", "}") for name in regions)


def groups_of(inst: Instruction) -> set[str]:
    """Return the fields whose group vanishes where they have their default."""
    return {part.field for part in inst.INFO.rhs if hasattr(part, "field")}


def in_text(value: object) -> bool:
    return value not in (None, ())


def shown(text: str) -> Mapping[str, str]:
    """Return the parts of the only instruction of a program that has regions or several results."""
    parsed = parse_with_places(text, CLASSES)
    inst = next(inst for inst in parsed.module.insts if inst.INFO.regions or len(inst.results) > 1)
    spans = spans_of(text, parsed.places.offsets[inst], inst)
    return {name: text[start:end] for name, (start, end) in spans.items()}
