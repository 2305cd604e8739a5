"""`python -m passes model.onnx -o out.onnx --policy ...`: files, messages and exit statuses."""

import re
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

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


TEXT = """\
func @main(%x: f32[2]) opset {"ai.onnx" = 17} {
  %y: f32[2] = onnx.node "ai.onnx::Relu" %x
  return %y
}

elided  // N bytes that a front end carries
"""


def test_a_model_is_shown_as_text(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(source), "--elide", "0"]) == 0
    shown = capsys.readouterr()
    assert (re.sub("[0-9]+ bytes", "N bytes", shown.out), shown.err) == (TEXT, "")
    assert main([str(source), "--elide", "0", "--passes", "eliminate-casts", "--print-ir-after"]) == 0
    assert capsys.readouterr() == (shown.out, f"// after eliminate-casts\n{shown.out}")


def test_a_model_goes_through_text(source: Path, tmp_path: Path) -> None:
    text, again, out, straight = (tmp_path / name for name in ("m.txt", "again.txt", "out.onnx", "straight.onnx"))
    assert main([str(source), "-o", str(text)]) == 0
    assert main([str(text), "-o", str(again)]) == 0
    assert again.read_text() == text.read_text()
    assert main([str(text), "-o", str(out), "--policy", "autocast-f16"]) == 0
    assert main([str(source), "-o", str(straight), "--policy", "autocast-f16"]) == 0
    assert out.read_bytes() == straight.read_bytes()


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        (TEXT, [], "m.txt:6:1: error[T042]: what stood here was left out in print"),
        (TEXT.replace("\n}", "\n  carried elided\n}"), ["--elide", "16"], "m.txt:4:11: error[T042]"),
        ("func @main() {\n  return\n}\n", [], "@main: no operator_sets, so no model says what its operators are"),
        (TEXT.replace("elided ", 'carried "ff"'), [], "what is carried is no ModelProto"),
    ],
)
def test_text_that_is_no_model(
    text: str, arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "m.txt"
    path.write_text(text)
    assert main([str(path), "-o", str(tmp_path / "out.onnx"), *arguments]) == 2
    assert said in capsys.readouterr().err
    assert [each.name for each in tmp_path.iterdir()] == ["m.txt"]


@pytest.mark.parametrize("count", ["-1", "many", "1.5", ""])
def test_a_wrong_number_of_elements_to_print(count: str, source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit:
        main([str(source), f"--elide={count}"])
    assert exit.value.code == 2 and f'"{count}" is no number of elements' in capsys.readouterr().err


def test_a_model_goes_through_bir(source: Path, tmp_path: Path) -> None:
    bir, out, straight = (tmp_path / name for name in ("model.bir", "out.onnx", "straight.onnx"))
    assert main([str(source), "-o", str(bir)]) == 0
    assert main([str(bir), "-o", str(out), "--policy", "autocast-f16"]) == 0
    assert main([str(source), "-o", str(straight), "--policy", "autocast-f16"]) == 0
    assert out.read_bytes() == straight.read_bytes()


@pytest.mark.parametrize("ending", ["onnx", "bir"])
def test_a_model_with_mistakes_is_refused_unless_nobody_asks(
    ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Op", ["x"], ["y"], domain="d")], "g", infos[:1], infos[1:])
    path, out = tmp_path / "model.onnx", tmp_path / f"out.{ending}"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    assert main([str(path), "-o", str(out)]) == 2
    assert 'error[V063]: no version of the operator set "d" is stated' in capsys.readouterr().err
    assert not out.exists()
    assert main([str(path), "-o", str(out), "--no-check"]) == 0
    assert out.exists()


def test_weights_that_cannot_be_fetched_are_a_mistake_and_leave_the_old_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    info = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])
    weight = numpy_helper.from_array(np.ones(2, np.float32), "w")
    graph = helper.make_graph([helper.make_node("Relu", ["w"], ["y"])], "g", [], [info], [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path, out = tmp_path / "model.onnx", tmp_path / "out.bir"
    onnx.save(model, path, save_as_external_data=True, location="data", size_threshold=0)
    assert main([str(path), "-o", str(out)]) == 0
    written = out.read_bytes()
    (tmp_path / "data").write_bytes(b"short")
    capsys.readouterr()
    for arguments in (["-o", str(out)], ["-o", str(tmp_path / "out.txt")], []):
        assert main([str(path), *arguments]) == 2
        printed, said = capsys.readouterr()
        assert f"error[P010]: {path} cannot be read" in said and 'needs 8 bytes at offset 0, but "data" has 5' in said
        assert out.read_bytes() == written and not (tmp_path / "out.txt").exists() and printed == ""
