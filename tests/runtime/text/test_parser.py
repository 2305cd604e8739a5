"""Places, line ends, the class table: what the cases of the text form cannot show."""

from __future__ import annotations

import gc
import re
from contextlib import suppress
from pathlib import Path

import pytest

import runtime
import runtime.text.parser
from runtime.blocks import Loop
from runtime.builtin import Return
from runtime.diagnostics import DiagnosticsError, Place
from runtime.instruction_set import standard
from runtime.text.parser import parse, parse_with_places
from runtime.text.places import Placed
from runtime.text.printer import print_module
from runtime.verifier import verify

TEXT = """\
func @main(%a: f32[2], %b: f32[2]) {
  tensor %t: f32[4] dram
  for %i = 0 step 1 times 2 {
    %t[0 + 2*%i | 1:2] = dma_copy %a  // store
  }
  %x: f32[2], %y: f32[2] = opaque "pair" %b {
    k = 1
  }
  return %x
}
"""


def test_places_of_statements_arguments_tensors_and_functions() -> None:
    parsed = parse_with_places(TEXT, standard(), "model.ir")
    main = parsed.module.functions["main"]
    loop, pair, end = main.body
    assert isinstance(loop, Loop)
    (copy,) = loop.body
    expected: dict[Placed, tuple[int, int, str]] = {
        main: (1, 1, "func @main(%a: f32[2], %b: f32[2])"),
        loop: (3, 3, "for %i = 0 step 1 times 2"),
        copy: (4, 5, "%t[0 + 2*%i | 1:2] = dma_copy %a"),
        pair: (6, 3, '%x: f32[2], %y: f32[2] = opaque "pair" %b'),
        end: (9, 3, "return %x"),
    }
    for thing, (line, column, shown) in expected.items():
        place = parsed.places.of(thing)
        assert place == Place("model.ir", line, column, len(shown))
        assert parsed.places.source_line(place)[column - 1 :].startswith(shown)
    named: dict[Placed, tuple[int, int]] = {main.args[1]: (1, 24), main.tensors["t"]: (2, 3)}
    assert {thing: (p.line, p.column) for thing in named if (p := parsed.places.of(thing))} == named
    assert parsed.places.of(Return()) is None


def test_places_in_programs_of_front_ends() -> None:
    text = (
        'func @main(%x "y": f32[2], %w: f32[2] = dense<1.0>) opset {"ai.onnx" = 17} {  // a comment\n'
        '  %a "b": f32[2] = onnx.node "d::Op" %x body {\n'
        '    %c: f32[2] = onnx.node "d::Op" none\n  }\n  carried "00"\n}\n'
    )
    parsed = parse_with_places(text, standard(), "model.ir")
    main = parsed.module.functions["main"]
    outer, inner = main.insts
    expected: dict[Placed, tuple[int, int, str]] = {
        main: (1, 1, 'func @main(%x "y": f32[2], %w: f32[2] = dense<1.0>) opset {"ai.onnx" = 17}'),
        main.args[0]: (1, 12, '%x "y": f32[2]'),
        main.args[1]: (1, 28, "%w: f32[2]"),
        outer: (2, 3, '%a "b": f32[2] = onnx.node "d::Op" %x body'),
        inner: (3, 5, '%c: f32[2] = onnx.node "d::Op" none'),
    }
    for thing, (line, column, shown) in expected.items():
        assert parsed.places.of(thing) == Place("model.ir", line, column, len(shown))


def test_a_byte_order_mark_and_the_line_ends_of_windows_are_no_mistakes() -> None:
    text = "\ufeff" + TEXT.replace("\n", "\r\n")
    assert print_module(parse(text, standard())) == print_module(parse(TEXT, standard()))


def test_a_text_without_a_last_line_end_is_whole() -> None:
    assert print_module(parse(TEXT.rstrip(), standard())) == print_module(parse(TEXT, standard()))


def test_carets_stand_under_the_mistake_where_lines_end_the_windows_way() -> None:
    with pytest.raises(DiagnosticsError) as caught:
        parse("func @main() {\r\n  return %x\r\n}\r\n", standard(), "f.ir")
    assert str(caught.value) == ("f.ir:2:10: error[T010]: nothing is called %x here\n  return %x\n         ^^")


def test_an_instruction_that_the_table_does_not_have_is_unknown() -> None:
    with pytest.raises(DiagnosticsError, match='no instruction is called "dma_copy"'):
        parse(TEXT, {name: cls for name, cls in standard().items() if name != "dma_copy"})


@pytest.mark.parametrize("text", [TEXT, "nonsense"])
def test_the_garbage_collector_is_left_as_it_was(text: str) -> None:
    assert gc.isenabled()
    with suppress(DiagnosticsError):
        parse(text, standard())
    assert gc.isenabled()


def test_after_a_hundred_mistakes_the_rest_is_not_read() -> None:
    with pytest.raises(DiagnosticsError) as caught:
        parse("func @main() {\n" + "  nonsense\n" * 1000 + "}\n", standard())
    assert len(caught.value.diagnostics) == 100


@pytest.mark.parametrize("block", [1, 3, 5])
def test_the_examples_of_the_grammar_are_programs(block: int) -> None:
    grammar = Path(runtime.text.parser.__file__).with_name("grammar.md").read_text(encoding="utf-8")
    example = grammar.split("```\n")[block]
    text = print_module(parse(example, standard(), "grammar.md"))
    stripped = [re.sub(r"\s*//.*", "", line) for line in example.splitlines()]
    assert text.splitlines() == stripped, "but for its comments, the example is canonical"
    assert verify(parse(example, standard())) == []


def test_the_same_left_side_is_a_store_where_a_tensor_is_declared_and_a_value_elsewhere() -> None:
    line = "  %t: f32[4,8] = activation gelu %x\n"
    store = parse(f"func @main(%x: f32[4,8]) {{\n  tensor %t: f32[4,8] sbuf\n{line}  return %x\n}}\n", standard())
    value = parse(f"func @main(%x: f32[4,8]) {{\n{line}  return %t\n}}\n", standard())
    written, given = (next(iter(module.root_function.insts)) for module in (store, value))
    assert written.dst is not None and written.dst.tensor.name == "t" and not written.results
    assert given.dst is None and given.results == (given,)
    untyped = line.replace(": f32[4,8] =", " =")
    assert "%t = activation gelu %x" in print_module(parse(print_module(store).replace(line, untyped), standard()))
    with pytest.raises(DiagnosticsError, match=r"T010.*no tensor %t is declared"):
        parse(f"func @main(%x: f32[4,8]) {{\n{untyped}  return %t\n}}\n", standard())


def test_the_ways_to_read_and_write_programs_are_public(tmp_path: Path) -> None:
    module = runtime.parse_with_places(TEXT, standard()).module
    runtime.write_bir(module, tmp_path / "program.bir")
    again = runtime.read_bir(tmp_path / "program.bir", standard())
    assert runtime.print_module(again) == runtime.print_module(runtime.parse(TEXT))
