"""A new instruction from YAML alone prints, parses, serializes, reads back and verifies; one function runs it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tree import ROOT

NEGATE = """\
name: Negate
base: GraphInst
summary: Changes the sign of each element.
source: {document: numpy documentation, section: numpy.negative}
rhs_str: "graph.negate {src}(? mode {mode})"
operands:
  src: {dtypes: floats, doc: What is negated.}
attributes:
  mode: {type: negate_mode, default: plain, doc: What becomes of the lowest value.}
results:
  result: {same_as: src}
op_kind: elementwise
"""

MODE = "enums:\n  negate_mode:\n    doc: What becomes of the lowest value.\n    values: [plain, saturating]\n"

PROGRAM = """\
func @main(%x: f32[2]) {
  %0: f32[2] = graph.negate %x
  %1: f32[2] = graph.negate %0 mode saturating
  return %1
}
"""

SHOW = """
import io, numpy, runtime
from runtime.equality import why_different
from runtime.instruction_set import standard

text = open("program.txt").read()
module = runtime.parse(text)
assert runtime.print_module(module) == text
bir = io.StringIO()
runtime.write_bir(module, bir)
assert '"mode": "saturating"' in bir.getvalue()
assert why_different(runtime.read_bir(bir.getvalue(), standard()), module) is None
assert runtime.verify(module) == []
first, second, _ = module.insts
assert (first.mode, second.mode, second.src) == ("plain", "saturating", first)
second.mode = "wrap"
(wrong,) = runtime.verify(module)
assert 'wrap' in wrong.message, wrong
"""

RUN = """
import numpy, runtime
module = runtime.parse(open("program.txt").read())
print(runtime.run(module, {"x": numpy.array([1.5, -2], numpy.float32)})[0].tolist())
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project with the new definition, not brewed yet."""
    for name in ("brewer", "defs", "generated", "runtime", "templates"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "defs/graph/Negate.yaml").write_text(NEGATE, encoding="utf-8")
    words = tmp_path / "defs/vocabulary.yaml"
    words.write_text(words.read_text(encoding="utf-8").replace("enums:\n", MODE, 1), encoding="utf-8")
    (tmp_path / "program.txt").write_text(PROGRAM, encoding="utf-8")
    return tmp_path


def python(project: Path, *arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], cwd=project, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_yaml_alone_gives_everything_but_a_meaning_and_that_takes_one_function(project: Path) -> None:
    written = python(project, "-m", "brewer")
    assert [line.split()[:2] for line in written.splitlines()] == [
        ["overwrote", "generated/__init__.py"],
        ["wrote", "generated/graph/NegateGen.py"],
        ["overwrote", "generated/vocabulary.py"],
    ]
    python(project, "-c", SHOW)
    with (project / "runtime/semantics/graph.py").open("a", encoding="utf-8") as file:
        file.write("\n\ndef negate(inst, operands):\n    return -operands[0]\n")
    with (project / "defs/graph/Negate.yaml").open("a", encoding="utf-8") as file:
        file.write("semantics: graph.negate\n")
    python(project, "-m", "brewer")
    assert python(project, "-c", RUN) == "[1.5, -2.0]\n"
