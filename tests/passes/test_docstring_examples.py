"""The programs in the docstrings of the passes are programs, and each pass makes the second one of the first.

What an example reads and does not declare, and what becomes of its results, stands here: `$` is the example.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from textwrap import dedent, indent

import pytest

import passes
from generated.graph.CastGen import CastGen
from passes.build import build_pipeline
from passes.framework.pass_manager import PassManager
from passes.precision.ends import narrow_ends
from passes.registry import PASSES
from runtime.dtypes import f16
from runtime.functions import Module
from runtime.instruction_set import standard
from runtime.targets import parse_target
from runtime.text.parser import parse
from runtime.text.printer import print_module
from runtime.verifier import verify

FOLDER = Path(passes.__file__).parent
X = "(%x: f32[128,512])"
AROUND = {  # pipeline, around the program before, around the program after
    "auto-cast-fp32": (
        "{mode=all}",
        "() {\n$}",
        "() {\n  tensor %x: f32[128,512] dram input\n  tensor %y: f32[128,512] dram output\n$}",
    ),
    "auto-cast-inputs": ("", "() {\n$  return %y\n}", "() {\n$  return %y\n}"),
    "auto-cast-tc-inputs": ("", *["(%x: f32[2,4], %w: f32[4,4]) {\n$  return %z\n}"] * 2),
    "auto-mixed-precision": (
        "{policy=autocast-f16}",
        *["(%x: f32[2,3]) {\n$  return %s\n}"] * 2,
    ),
    "cast-op-elimination": (
        "",
        "() {\n  tensor %x: f32[8,8] dram input\n  tensor %t: f32[4,2] dram\n  tensor %y: bf16[4,2] dram output\n$}",
        "() {\n  tensor %x: f32[8,8] dram input\n  tensor %y: bf16[4,2] dram output\n$}",
    ),
    "dtype-mutator": (
        "",
        "() {\n  tensor %x: f32[128,512] dram input\n  tensor %t: f32[128,512] sbuf\n$  return %u\n}",
        "() {\n  tensor %x: f32[128,512] dram input\n  tensor %t: bf16[128,512] sbuf\n$  return %u\n}",
    ),
    "eliminate-casts": ("", *[f"{X} {{\n$  return %u\n}}"] * 2),
    "eliminate-copies": (
        "",
        "() {\n  tensor %x: f32[8,8] dram input\n  tensor %t: f32[4,8] dram\n  tensor %u: f32[4,2] dram\n"
        "  tensor %y: f32[4,2] sbuf output\n$}",
        "() {\n  tensor %x: f32[8,8] dram input\n  tensor %y: f32[4,2] sbuf output\n$}",
    ),
    "eliminate-dead-code": ("", *[f"{X} {{\n$  return %x\n}}"] * 2),
    "enforce-alu-dt-acc": ("", *[f"{X} {{\n$  return %s\n}}"] * 2),
    "fold-casts": ("", *["(%a: bf16[128,512]) {\n$  return %c, %u\n}"] * 2),
    "share-casts": (
        "",
        "(%x: f32[128,512], %flag: bool[]) {\n$  return %a, %b, %y\n}",
        "(%x: f32[128,512], %flag: bool[]) {\n$  return %a, %a, %y\n}",
    ),
}


def examples_of(name: str) -> list[str]:
    """Return the examples behind `Before` and `After` in the docstring of a pass's module; nothing left is none."""
    file = FOLDER / f"{name.replace('-', '_')}.py"
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    before, after = (
        re.search(rf"^{word}\b(.*:\n\n((?:    .*\n)+)|: nothing)", text, re.M) for word in ("Before", "After")
    )
    assert before is not None and after is not None
    return [before[2], after[2] or ""]


def program(example: str, around: str) -> Module:
    text = around.replace("$", indent(dedent(example), "  "))
    module = parse(f"target trn2\n\nfunc @main{text}\n" if around != "$" else dedent(example), standard(), "docstring")
    assert not [found.render() for found in verify(module)]
    return module


@pytest.mark.parametrize("name", PASSES)
def test_the_pass_does_what_its_docstring_shows(name: str) -> None:
    options, before, after = AROUND[name]
    first, second = (program(*each) for each in zip(examples_of(name), (before, after), strict=True))
    PassManager(build_pipeline(name + options, parse_target("trn2")), check=verify).run(first)
    assert print_module(first) == print_module(second)


def test_the_ends_become_narrow_as_their_docstring_shows() -> None:
    first, second = (program(example, "$") for example in examples_of("precision/ends"))
    casts = {inst for inst in first.insts if isinstance(inst, CastGen)}
    assert len(narrow_ends(first.functions["main"], casts, f16)) == 2
    assert print_module(first) == print_module(second)


def test_every_docstring_with_examples_is_tested() -> None:
    files = {str(file.relative_to(FOLDER)) for file in FOLDER.rglob("*.py") if "\nBefore:\n" in file.read_text("utf-8")}
    assert files == {f"{name.replace('-', '_')}.py" for name in (*AROUND, "precision/ends")}


def test_an_example_that_is_no_program_is_found() -> None:
    with pytest.raises(AssertionError, match="axis"):
        program("%y: f32[2,4] = graph.softmax %x axis -1\n", "(%x: f32[2,4]) {\n$  return %y\n}")
