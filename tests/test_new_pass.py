"""A new pass is one file, one line and its cases, as the README says; all laws and tests of passes then hold for it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tree import ROOT

PASS = '''\
"""Removes a copy of a value to a value of the same type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from passes.framework.dot_transform import DotTransform
from runtime.functions import Function
from runtime.statistics import Unit, register_stats
from runtime.values import Value
from runtime.wrappers.TensorCopyOp import TensorCopyOp


class DropMoves(DotTransform):
    """Remove copies that change nothing."""

    pass_name = "drop-moves"
    dropped: ClassVar[int] = 0
    register_stats(dropped=("Number of copies dropped", Unit.Count))

    def transformTensorCopyOp(self, copy: TensorCopyOp) -> bool:
        if self.why_not_drop(copy) is not None:
            return False
        copy.replaceWith(copy.src)
        DropMoves.dropped += 1
        return True

    def why_not_drop(self, copy: TensorCopyOp) -> str | None:
        if copy.dst is not None or copy.type is not copy.src.type:
            return "it writes a tensor, or converts"
        return None if isinstance(copy.src, Value) else "the tensor may be overwritten"

    def why_kept(self, f: Function) -> Iterator[tuple[TensorCopyOp, str]]:
        for inst in f.insts:
            if isinstance(inst, TensorCopyOp) and (reason := self.why_not_drop(inst)) is not None:
                yield inst, reason
'''

LINE = '    "drop-moves": ("passes.drop_moves", "DropMoves"),\n'

FIRES = """\
// A copy that converts nothing goes.
// passes: drop-moves
func @main(%x: f32[4,8]) {
  %c: f32[4,8] = tensor_copy %x
  %u: f32[4,8] = activation relu %c
  return %u
}
// expect
// Number of copies dropped: 1
func @main(%x: f32[4,8]) {
  %u: f32[4,8] = activation relu %x
  return %u
}
"""

TWIN = """\
// A copy that converts stays.
// passes: drop-moves
func @main(%x: f32[4,8]) {
  %c: bf16[4,8] = tensor_copy %x
  %u: bf16[4,8] = activation relu %c
  return %u
}
// expect
// kept: %c: it writes a tensor, or converts
// unchanged
"""

TESTS = ("test_cases", "test_random", "test_pipeline")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project with the new pass."""
    for name in ("frontends", "generated", "passes", "runtime", "tests/passes"):
        shutil.copytree(ROOT / name, tmp_path / name)  # with what Python has compiled, which saves a second
    for name in ("pyproject.toml", ".gitignore", "tests/__init__.py", "tests/conftest.py", "tests/tree.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "passes/drop_moves.py").write_text(PASS, encoding="utf-8")
    table = tmp_path / "passes/registry.py"
    head, opening, tail = table.read_text(encoding="utf-8").partition('    "dtype-mutator": (')
    table.write_text(head + LINE + opening + tail, encoding="utf-8")
    for name, text in (("moves", FIRES), ("moves_that_convert", TWIN)):
        (tmp_path / f"tests/passes/cases/{name}.case").write_text(text, encoding="utf-8")
    return tmp_path


def python(project: Path, *arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], cwd=project, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_one_file_and_one_line_give_a_pass_with_all_its_tests(project: Path) -> None:
    assert "drop-moves\n    Remove copies that change nothing.\n" in python(project, "-m", "passes", "--list")
    files = [f"tests/passes/{name}.py" for name in TESTS]
    ran = python(project, "-m", "pytest", "-q", "-rA", "-k", "moves or documented or listed", *files)
    for test in (
        "test_cases.py::test_case[drop-moves/moves]",
        "test_cases.py::test_case[drop-moves/moves_that_convert]",
        "test_cases.py::test_every_case_that_fires_has_a_twin_that_must_not[drop-moves]",
        "test_random.py::test_each_pass_alone_obeys_the_laws[drop-moves]",
        "test_pipeline.py::test_every_pass_is_documented_and_its_counters_have_labels",
    ):
        assert f"PASSED tests/passes/{test}\n" in ran
