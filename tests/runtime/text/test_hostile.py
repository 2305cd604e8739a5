"""Whatever the text is: a program or diagnostics with places, soon, and never anything else.

The case files hold what is said; here only that something is.
"""

from __future__ import annotations

import random
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.diagnostics import DiagnosticsError
from runtime.instruction_set import standard
from runtime.text.codes import CODES
from runtime.text.parser import parse
from runtime.text.printer import print_module
from tests.runtime.text.kinds import CLASSES as KINDS

CLASSES = {**standard(), **KINDS}
PROGRAMS = [
    path.read_text(encoding="utf-8").partition("// expect\n")[0]
    for path in sorted((Path(__file__).parent / "cases").glob("*.case"))
]
TOKENS = sorted({token for program in PROGRAMS for token in re.findall(r"[%@]?[\w.]+|\S", program[:5000])})

BODIES = """
{ | } | ( | ) | [ | " | % | %: | %a | %a: | %a = | %a, | %a: f32 | %a: f32[ | %a: f32[2] | %a: f32[2] =
%a: f32[2] = x | %a: f32[2], | %a: f32[2], %b = x | %"a | %"a": f32[2] = | %"\\x": f32[2] = y | %0: f32[2] = opaque
opaque "x" % | opaque "x" { | opaque "x" {k | opaque "x" {k = | opaque "x" {k = 1 | opaque "x" {k = 1,} | opaque "x" {,}
opaque "x" {} {} | opaque "x" {k = [} | opaque "x" {k = [,]} | opaque "x" {k = 0x} | opaque "x" {k = -}
opaque "x" {k = 1e} | for | for %i | for %i = | for %i = 0 step 1 times 2 { | for { | for { } | tensor | tensor %t
tensor %t: | tensor %t: f32[] | return % | return , | return %x, | yield { | func | func @f() { | target trn1
test.scan over body { | test.scan over body( { | %a: f32[2] = graph.if %x then { | %t[ = x | %t[0 = x | %t[0 | = x
%a: seq< = x | \x00 | \u00e9 | /* */ | ;
onnx.node | onnx.node " | onnx.node "" | onnx.node "d::" { | onnx.node "d::Op" none, | onnx.node "d::Op" {a = @
onnx.node "d::Op" {a = @x: | onnx.node "d::Op" {a = bytes< | onnx.node "d::Op" {a = empty<"
onnx.node "d::Op" {a = region}
onnx.node "d::Op" a { | onnx.node "d::Op" a[0] | onnx.node "d::Op" a[1] { | onnx.node "d::Op" {a = f32[2] carried<"0"> }
%a: ?[2] = onnx.initializer {value = | %a "b | %a "b": | carried | carried " | carried "0" | a {
"""


@pytest.mark.parametrize("body", [body.strip() for body in re.split(r" \| |\n", BODIES.strip())])
def test_a_broken_statement_gives_diagnostics(body: str) -> None:
    text = f"func @main(%x: f32[2]) {{\n  {body}\n}}\n"
    assert _diagnostics(text), f"{body!r} is no program"
    assert _diagnostics(text.removesuffix("\n}\n")) or body == "}", "cut off behind the statement"


@pytest.mark.parametrize("seed", range(5))
def test_mutations_give_diagnostics_or_a_program(seed: int) -> None:
    choose = random.Random(seed)
    for _ in range(150):
        text = choose.choice(PROGRAMS)
        for _ in range(choose.randint(1, 3)):
            text = _mutated(text, choose)
        _diagnostics(text)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 140))
def test_many_mutations_give_diagnostics_or_a_program(seed: int) -> None:
    test_mutations_give_diagnostics_or_a_program(seed)


@given(st.lists(st.sampled_from(TOKENS), max_size=40).map(" ".join))
@settings(max_examples=100)
def test_any_tokens_give_diagnostics_or_a_program(body: str) -> None:
    _diagnostics(body)
    _diagnostics(f"func @main(%x: f32[2]) {{\n{body}\n}}")


@given(st.text(max_size=60))
@settings(max_examples=100)
def test_any_text_gives_diagnostics_or_a_program(text: str) -> None:
    _diagnostics(text)


DEEP = 5000
BIG = {
    "open brackets": "opaque " + '"x" {k = ' + "[" * DEEP,
    "open loops": "for %i = 0 step 1 times 2 {\n" * DEEP,
    "open regions": "test.scan over body {\n" * DEEP,
    "open regions of generic instructions": 'onnx.node "d::Op" a {\n' * DEEP,
    "many regions": 'onnx.node "d::Op"' + " a {\n}" * DEEP,
    "many regions of a list": 'onnx.node "d::Op"' + "".join(f" a[{2 * at}] {{\n}}" for at in range(DEEP)),
    "many regions on lines of their own": 'onnx.node "d::Op"\n' + "a {\n}\n" * DEEP,
    "open lists of an attribute": 'onnx.node "d::Op" {a = ' + "[" * DEEP,
    "long bytes": 'onnx.node "d::Op" {a = bytes<"' + "0" * 200_001 + '">}',
    "many own names": "".join(f'%v{at} "a": f32[2] = graph.activation exp %w\n' for at in range(DEEP)),
    "open types": "%a: " + "seq<" * DEEP,
    "open lists of a constant": "tensor %t: f32[2,2] dram const = dense<" + "[" * DEEP,
    "open quotes": '"' * DEEP * 20,
    "open quotes on lines": '%a: f32[2] = opaque "\n' * DEEP,
    "a long name": "%" + "a" * 200_000 + ": f32[2] = x",
    "a long mnemonic": "%a: f32[2] = " + "a" * 200_000,
    "a long type": "%a: " + "f" * 200_000 + "[2] = x",
    "a long number": 'opaque "x" {k = ' + "9" * 200_000 + "}",
    "many mistakes": "%a: f32[2] = nothing %x\n" * DEEP,
    "many unknown names": "".join(f"%v{i}: f32[2] = graph.activation exp %w{i}\n" for i in range(DEEP)),
    "many closing braces": "}" * DEEP,
    "many commas": "return " + "," * DEEP * 20,
    "spaces": " " * 1_000_000 + "x",
    "slashes": "/" * 1_000_000,
    "empty lines": "\n" * 1_000_000 + "x",
    "comments": "// x\n" * 100_000 + "x",
}


@pytest.mark.parametrize("name", BIG)
def test_big_nonsense_gives_diagnostics_soon(name: str) -> None:
    start = time.process_time()
    diagnostics = _diagnostics(f"func @main(%x: f32[2]) {{\n{BIG[name]}\n}}\n")
    assert len(diagnostics) <= 100
    assert bool(diagnostics) == (name != "slashes")
    assert time.process_time() - start < 5, "seconds; a fraction of one is usual"


def test_reading_and_printing_take_time_in_proportion_to_the_text() -> None:
    small, big = _seconds(2_000), _seconds(20_000)
    assert big < 40 * small, f"ten times the text took {big / small:.0f} times as long"


def test_reading_and_printing_generic_instructions_takes_time_in_proportion_to_the_text() -> None:
    small, big = _seconds_of(_generic(200)), _seconds_of(_generic(2_000))
    assert big < 40 * small, f"ten times the text took {big / small:.0f} times as long"


def _generic(n: int) -> str:
    """Nodes with two regions each, in which the same name is hidden, and a node with many regions."""
    lines = []
    for at in range(n):
        lines += [f'  %v{at}: f32[2] = onnx.node "d::Op" %x, none {{axis = 1, node_name = "n{at}"}} a {{']
        lines += [f'    %x_{2 * at + 1} "x": f32[2] = onnx.node "d::Op" %x', "  } b {"]
        lines += [f'    %x_{2 * at + 2} "x": f32[2] = onnx.node "d::Op" %x', "  }"]
    many = "".join(f" c[{at}] {{\n  }}" for at in range(n))
    return "\n".join(["func @main(%x: f32[2]) {", *lines, f'  onnx.node "d::Op"{many}', "}\n"])


def _seconds(n: int) -> float:
    lines = [f"  %{i}: f32[128,512] = graph.binary add %{max(i - 1, 0)}, %{i // 2}" for i in range(1, n)]
    return _seconds_of("\n".join(["func @main(%0: f32[128,512]) {", *lines, "}\n"]))


def _seconds_of(text: str) -> float:
    start = time.process_time()
    assert print_module(parse(text, CLASSES)) == text
    return time.process_time() - start


def _diagnostics(text: str) -> tuple[str, ...]:
    """The codes of what is wrong; every diagnostic points into the text."""
    lines = text.split("\n")
    try:
        parse(text, CLASSES)
    except DiagnosticsError as error:
        for diagnostic in error.diagnostics:
            place = diagnostic.place
            assert place is not None and diagnostic.code in CODES and diagnostic.message
            assert 1 <= place.line <= len(lines)
            assert 1 <= place.column <= len(lines[place.line - 1]) + 1
            assert diagnostic.render()
        return tuple(diagnostic.code for diagnostic in error.diagnostics)
    return ()


def _mutated(text: str, choose: random.Random) -> str:
    """The text with a piece left out, doubled, moved, exchanged or put in."""
    start = choose.randrange(len(text) + 1)
    end = min(len(text), start + choose.choice((1, 1, 2, 5, 20, 100)))
    elsewhere = choose.randrange(len(text) + 1)
    strange = (0, 9, 10, 13, 34, 37, 64, 91, 123, 233, 0x2028, 0xFFFF)
    put_in: str = choose.choice((*TOKENS, *map(chr, strange)))
    match choose.randrange(5):
        case 0:
            return text[:start] + text[end:]
        case 1:
            return text[:end] + text[start:]
        case 2:
            return text[:elsewhere] + text[start:end] + text[elsewhere:]
        case 3:
            return text[:start] + put_in + text[end:]
        case _:
            return text[:start] + put_in + text[start:]
