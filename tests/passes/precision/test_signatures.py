"""Where the types that operators may have come from, when a program does not come from a model."""

from pathlib import Path

import numpy as np
import onnx
import pytest

import passes
from frontends.onnx import SIGNATURES, load, to_proto
from passes import command_line
from passes.__main__ import main, why_shadowed
from passes.auto_mixed_precision import AutoMixedPrecision
from passes.framework.dot_transform import TransformError
from passes.framework.pass_manager import PassManager
from runtime import parse
from runtime.front_ends import FrontEnd
from runtime.text.printer import print_module
from tests.passes.precision.models import chain, node

TEXT = """\
func @main(%x: f32[4]) opset {"ai.onnx" = 17} {
  %y: f32[4] = onnx.node "ai.onnx::Relu" %x
  return %y
}
"""
CONVERTED = """\
func @main(%x: f32[4]) opset {"ai.onnx" = 17} {
  %0: f16[4] = onnx.node "ai.onnx::Cast" %x {to = 10, node_name = none}
  %y: f16[4] = onnx.node "ai.onnx::Relu" %0
  %1: f32[4] = onnx.node "ai.onnx::Cast" %y {to = 1, node_name = none}
  return %1
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.txt"
    path.write_text(TEXT)
    return path


def test_the_driver_looks_them_up_for_a_text(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(program), "--policy", "autocast-f16"]) == 0
    assert capsys.readouterr() == (CONVERTED, "")


def test_a_model_that_went_through_bir_is_converted_like_any_other(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("model.onnx", "model.bir", "out.onnx", "direct.onnx")]
    source = chain(node("MatMul", ["x", "w"], "y"), constants={"w": np.eye(4, dtype=np.float32)})
    onnx.save(source, paths[0])
    assert main([paths[0], "-o", paths[1]]) == 0
    assert main([paths[1], "-o", paths[2], "--policy", "autocast-f16"]) == 0
    assert main([paths[0], "-o", paths[3], "--policy", "autocast-f16"]) == 0
    assert onnx.load(paths[2]) == onnx.load(paths[3])


def test_a_text_that_does_not_say_which_version_it_is_of(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program.write_text(TEXT.replace(' opset {"ai.onnx" = 17}', ""))
    assert main([str(program), "--policy", "autocast-f16"]) == 0
    said = capsys.readouterr()
    assert said.out == program.read_text()
    why = "@main does not say which version of ai.onnx its nodes are of: it stays as it is"
    assert said.err == f"passes: warning: autocast-f16: {why}\n"


def test_without_the_library_a_user_is_told_which_one(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def missing() -> FrontEnd:
        raise ModuleNotFoundError("No module named 'onnx'", name="onnx")

    assert command_line.main([str(program), "--policy", "autocast-f16"], {".onnx": missing}) == 2
    said = capsys.readouterr()
    assert (
        "error[P012]: which types the operators of the program may have needs a library that is not installed: onnx"
        in said.err
    )
    assert "help: install the extra onnx" in said.err and said.out == ""
    verified = [str(program), "--passes", "eliminate-casts", "--verify-numerics"]
    assert command_line.main(verified, {".onnx": missing}) == 2
    why = "what the operators of the program compute needs a library that is not installed: onnx"
    assert f"error[P012]: {why}" in capsys.readouterr().err
    # Passes that do not ask need no library.
    assert command_line.main([str(program), "--passes", "eliminate-casts"], {".onnx": missing}) == 0


def test_a_module_without_them_is_refused_in_python() -> None:
    module = parse(TEXT)
    with pytest.raises(TransformError, match="module.signatures = frontends.onnx.SIGNATURES"):
        passes.convert(module)
    module.signatures = SIGNATURES
    converted, _ = passes.convert(module)
    assert print_module(converted) == CONVERTED and print_module(module) == TEXT


def test_they_survive_the_pass_manager() -> None:
    module = load(chain(node("Relu", ["x"], "y")))
    PassManager((AutoMixedPrecision(),)).run(module)
    assert module.signatures is SIGNATURES and len(to_proto(module).graph.node) == 3


def test_the_front_ends_are_among_the_packages_that_may_be_shadowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert why_shadowed() is None
    package = tmp_path / "frontends"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    import sys

    monkeypatch.delitem(sys.modules, "frontends")
    said = why_shadowed()
    assert said is not None and 'the package "frontends" of this project is at' in said and str(package) in said
