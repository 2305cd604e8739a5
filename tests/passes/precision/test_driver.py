"""`python -m passes model.onnx -o out.onnx --policy ...`: files, messages and exit statuses."""

from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from passes.__main__ import main


@pytest.fixture
def source(tmp_path: Path) -> Path:
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", infos[:1], infos[1:])
    path = tmp_path / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def test_a_model_is_converted(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.onnx"
    assert main([str(source), "-o", str(out), "--policy", "autocast-f16"]) == 0
    assert [node.op_type for node in onnx.load(out).graph.node] == ["Cast", "Relu", "Cast"]


def test_a_wrong_policy_is_named_and_nothing_is_written(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.onnx"
    assert main([str(source), "-o", str(out), "--policy", "autocast-fp16"]) == 2
    said = capsys.readouterr().err
    assert 'error[P007]: there is no policy "autocast-fp16"' in said and 'did you mean "autocast-f16"' in said
    assert not out.exists()


def test_what_is_no_model_is_a_mistake_of_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken, out = tmp_path / "broken.onnx", tmp_path / "out.onnx"
    broken.write_bytes(b"no model")
    for name in (broken, tmp_path / "missing.onnx"):
        assert main([str(name), "-o", str(out), "--policy", "autocast-f16"]) == 2
        assert "error[P010]" in capsys.readouterr().err
    assert not out.exists()


def test_a_place_that_cannot_be_written(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(source), "-o", str(tmp_path / "none" / "out.onnx"), "--policy", "autocast-f16"]) == 2
    assert "error[P011]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "can only be written as .onnx; without -o it would be printed"),
        (["-o", "out.txt"], "out.txt would be text or BIR"),
        (["-o", "out.bir"], "out.bir would be text or BIR"),
        (["-o", "out.onnx", "--print-ir-after"], "cannot be printed between passes"),
    ],
)
def test_a_model_is_not_shown_in_a_form_that_cannot_hold_all_of_it(
    arguments: list[str],
    why: str,
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([str(source), "--policy", "autocast-f16", *arguments]) == 2
    assert why in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [source.name]
