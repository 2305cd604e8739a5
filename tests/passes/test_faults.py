"""What a user or the machine can get wrong around a run: files that are the same, broken weights, closed streams."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from passes.__main__ import main
from tests.passes.small_programs import CHAIN
from tests.tree import ROOT

POLICY = ["--policy", "autocast-f16"]


NODE = """\
func @main(%x: f32[2]) opset {"ai.onnx" = 17} {
  %y: f32[2] = onnx.node "ai.onnx::Relu" %x
  return %y
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, the current one, with a model and the file of its weight, and a program as text."""
    info = helper.make_tensor_value_info("y", TensorProto.FLOAT, [4])
    weight = numpy_helper.from_array(np.ones(4, np.float32), "w")
    graph = helper.make_graph([helper.make_node("Relu", ["w"], ["y"])], "g", [], [info], [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, tmp_path / "m.onnx", save_as_external_data=True, location="data.txt", size_threshold=0)
    (tmp_path / "p.txt").write_text(CHAIN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["p.txt", "--report", "p.txt"], "error[P014]: the report would overwrite p.txt, which it is made from"),
        (["p.txt", "--report", "link.txt"], "error[P014]: the report would overwrite p.txt"),
        (["m.onnx", "--report", "./m.onnx"], "error[P014]: the report would overwrite m.onnx"),
        (["m.onnx", "--report", "data.txt"], "error[P014]: the report would overwrite data.txt, data of m.onnx"),
        (["m.onnx", "-o", "data.txt"], "error[P011]: the program would overwrite data.txt, data of m.onnx"),
        (["m.onnx", "-o", "model.txt"], "error[P011]: the program would overwrite m.onnx, which it is made from"),
        (["p.txt", "-o", "link.bir"], "error[P011]: the program would overwrite p.txt, which it is made from"),
    ],
)
def test_what_is_read_is_not_overwritten(
    arguments: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "link.txt").symlink_to("p.txt")
    (folder / "link.bir").symlink_to("p.txt")
    os.link("m.onnx", "model.txt")
    before = contents(folder)
    assert main([*arguments, *POLICY]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(said)
    assert contents(folder) == before


def test_in_place_is_allowed(folder: Path) -> None:
    data = (folder / "data.txt").read_bytes()
    assert main(["m.onnx", "-o", "m.onnx", *POLICY]) == 0
    assert "Cast" in [node.op_type for node in onnx.load("m.onnx").graph.node]
    assert (folder / "data.txt").read_bytes() == data


@pytest.mark.parametrize("wrong", ["short", "missing", "inside"])
@pytest.mark.parametrize("arguments", [["--passes", "eliminate-casts"], POLICY, ["-o", "out.bir"]])
def test_a_broken_model_is_not_the_fault_of_a_pass(
    wrong: str, arguments: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if wrong == "short":
        (folder / "data.txt").write_bytes(bytes(15))
    elif wrong == "missing":
        (folder / "data.txt").unlink()
    else:
        model = onnx.load("m.onnx")
        model.graph.initializer[0].raw_data = bytes(15)
        (folder / "m.onnx").write_bytes(model.SerializeToString())
    before = contents(folder)
    assert main(["m.onnx", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith('error[P010]: m.onnx cannot be read: tensor "w"')
    assert contents(folder) == before


@pytest.mark.parametrize("report", ["/dev/full", "r" * 300])
@pytest.mark.parametrize("output", ["out.onnx", "out.txt"])
def test_without_its_report_nothing_is_written(
    report: str, output: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(folder)
    assert main(["m.onnx", "-o", output, "--report", report, *POLICY]) == 2
    assert capsys.readouterr().err.startswith(f"error[P011]: {report} cannot be written: ")
    assert contents(folder) == before


def test_without_its_program_no_report_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(folder)
    assert main(["m.onnx", "-o", "none/out.txt", "--report", "r.txt", *POLICY]) == 2
    assert capsys.readouterr().err.startswith("error[P011]: none/out.txt cannot be written: ")
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([""], "argument FILE: the name of a file is needed, and this is empty"),
        (["p.txt", "-o", ""], "argument -o/--output: the name of a file is needed, and this is empty"),
        (["p.txt", "--report", ""], "argument --report: the name of a file is needed, and this is empty"),
        (["p.txt", "--elide", "9" * 5000], "argument --elide: a word of 5000 characters is no number of elements"),
        (["p.txt", "--elide", "-1"], 'argument --elide: "-1" is no number of elements'),
        (["p.txt", "--elide", "x"], 'argument --elide: "x" is no number of elements'),
    ],
)
def test_words_that_are_no_names_and_no_numbers(
    arguments: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit:
        main(arguments)
    assert exit.value.code == 2
    assert capsys.readouterr().err.endswith(f"error: {said}\n")


def test_a_program_without_functions_is_no_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "empty.txt").write_text("")
    assert main(["empty.txt", "-o", "out.onnx"]) == 2
    assert capsys.readouterr().err == "error[P011]: out.onnx cannot be written: the program has no function\n"
    assert not (folder / "out.onnx").exists()


@pytest.mark.parametrize(("before", "now"), [("%y", '%"\\ud800"'), ("Relu", "R\\ud800")])
def test_names_that_no_model_can_hold(before: str, now: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "p.txt").write_text(NODE.replace(before, now))
    assert main(["p.txt", "-o", "out.onnx", "--report", "r.txt", *POLICY]) == 2
    said = "error[P011]: out.onnx cannot be written: a name or text in it holds '\\ud800', which is no character\n"
    assert capsys.readouterr().err == said
    assert not (folder / "out.onnx").exists() and not (folder / "r.txt").exists()
    assert main(["p.txt", "-o", "out.txt", "--report", "r.json", *POLICY]) == 0
    assert "\\ud800" in (folder / "out.txt").read_text() and "\\ud800" in (folder / "r.json").read_text()


def test_a_dash_is_standard_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(folder)
    assert main(["p.txt", "-o", "-"]) == 0
    assert capsys.readouterr() == (CHAIN, "")
    assert contents(folder) == before


@pytest.mark.parametrize("depth", [101, 3000])
def test_repetition_that_is_too_deep(depth: int, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def nested(depth: int) -> str:
        return "fixpoint(" * depth + "eliminate-casts" + ")" * depth

    assert main(["p.txt", "--passes", nested(100)]) == 0
    capsys.readouterr()
    assert main(["p.txt", "--passes", nested(depth)]) == 2
    said = f'--passes:1:{100 * len("fixpoint(") + 1}: error[P001]: more than 100 "fixpoint" stand in one another'
    assert capsys.readouterr().err.startswith(said)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("p.txt >/dev/full", "error[P011]: standard output cannot be written: No space left on device\n"),
        ("p.txt >&-", "error[P011]: standard output cannot be written: it is closed\n"),
        ("- <&-", "error[P010]: standard input cannot be read: it is closed\n"),
        ("--help >/dev/full", "error[P011]: standard output cannot be written: No space left on device\n"),
    ],
)
def test_streams_that_are_full_or_closed(command: str, said: str, folder: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    shell = ["sh", "-c", f'exec "{sys.executable}" -m passes {command}']
    done = subprocess.run(shell, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def test_an_interruption(folder: Path) -> None:
    os.mkfifo("pipe.txt")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "passes", "pipe.txt", "-o", "out.txt"]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    with open("pipe.txt", "w"):  # opened by both: everything is imported, and the program waits for the text
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (130, "passes: interrupted; nothing was written\n")
    assert not (folder / "out.txt").exists()
