"""`python -m runtime model.onnx`: models are verified, run, traced and compared, and so are programs made from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]
import pytest
from onnx import TensorProto, helper, numpy_helper

from passes.__main__ import main as passes
from runtime.__main__ import main
from runtime.command_line import main as without_front_ends
from runtime.front_ends import FrontEnd

Said = pytest.CaptureFixture[str]
X = np.array([[0.5, -1, 3], [70000, 0.1, 2]], np.float32)
W = np.array([[1, 2], [3, 4], [0.25, -8]], np.float32)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", at]) for name, at in (("onnx::x", 3), ("y", 2))
    ]
    nodes = [
        helper.make_node("MatMul", ["onnx::x", "w"], ["a"], "first"),
        helper.make_node("Relu", ["a"], ["y"], "last"),
    ]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], [numpy_helper.from_array(W, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), "m.onnx")
    save_inputs("in.npz", X)
    return tmp_path


def save_inputs(file: str, x: np.ndarray) -> None:
    arrays: dict[str, Any] = {"onnx::x": x}
    np.savez(file, **arrays)


def outputs(file: str) -> list[np.ndarray]:
    with np.load(file) as found:
        return [found[str(at)] for at in range(len(found.files))]


@pytest.mark.parametrize("form", ["onnx", "txt", "bir"])
def test_a_model_is_run_in_each_form(form: str, folder: Path, capsys: Said) -> None:
    if form != "onnx":
        assert passes(["m.onnx", "-o", f"m.{form}"]) == 0
    assert main([f"m.{form}", "--run", "-i", "in.npz", "-o", "out.npz"]) == 0
    (expected,) = onnxruntime.InferenceSession("m.onnx").run(None, {"onnx::x": X})
    assert np.allclose(outputs("out.npz")[0], expected, rtol=1e-6) and capsys.readouterr() == ("", "")
    assert main([f"m.{form}", "--verify"]) == 0
    assert capsys.readouterr().out == f"m.{form}: 4 instructions, nothing wrong\n"


def test_each_result_is_rounded_once(folder: Path, capsys: Said) -> None:
    """70000 is beyond f16: infinite on the interpreter, whatever a runtime on a CPU makes of it."""
    assert passes(["m.onnx", "-o", "low.onnx", "--policy", "autocast-f16", "--no-keep-io"]) == 0
    with np.errstate(over="ignore"):
        save_inputs("low.npz", X.astype(np.float16))
    assert main(["low.onnx", "--run", "-i", "low.npz", "-o", "out.npz"]) == 0
    (found,) = outputs("out.npz")
    half = (X[:1].astype(np.float64) @ W).astype(np.float16)
    assert found.dtype == np.float16 and np.array_equal(found[:1], np.maximum(half, 0)) and np.isinf(found[1]).all()


def test_bits_of_bf16_go_in_and_come_out(folder: Path) -> None:
    assert passes(["m.onnx", "-o", "low.onnx", "--policy", "autocast-bf16", "--no-keep-io"]) == 0
    low = X.astype(ml_dtypes.bfloat16)
    save_inputs("low.npz", low.view(np.uint16))
    assert main(["low.onnx", "--run", "-i", "low.npz", "-o", "out.npz"]) == 0
    exact = np.maximum(low.astype(np.float64) @ W, 0).astype(ml_dtypes.bfloat16)
    assert np.array_equal(outputs("out.npz")[0].view(ml_dtypes.bfloat16), exact)


def test_a_trace_calls_values_what_the_file_calls_them(folder: Path, capsys: Said) -> None:
    assert main(["m.onnx", "--trace", "-i", "in.npz"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.endswith('%a: f32[n,2] = onnx.node "ai.onnx::MatMul" %"onnx::x", %w') for line in lines)


def test_a_converted_model_is_compared_with_its_source(folder: Path, capsys: Said) -> None:
    assert passes(["m.onnx", "-o", "low.onnx", "--policy", "autocast-f16"]) == 0
    assert main(["m.onnx", "--compare", "low.onnx", "-i", "in.npz"]) == 0
    said = capsys.readouterr().out
    cast = [one.output[0] for one in onnx.load("low.onnx").graph.node if one.op_type == "Cast"][0]
    assert "  result 0: 2 of 4 became infinite or NaN" in said
    assert f'%{cast}: f16[n,3] = onnx.node "ai.onnx::Cast" %"onnx::x"' in said
    assert passes(["m.onnx", "-o", "m.txt"]) == 0
    assert main(["m.txt", "--compare", "m.onnx", "-i", "in.npz"]) == 0
    assert "  result 0: nothing" in capsys.readouterr().out


def test_regions_and_local_functions_run(folder: Path) -> None:
    source = onnx.load("m.onnx")
    branches = []
    for name, operator in (("then", "Neg"), ("else", "Abs")):
        info = helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
        branches.append(helper.make_graph([helper.make_node(operator, ["a"], [name])], name, [], [info]))
    source.graph.node[1].CopyFrom(
        helper.make_node("If", ["yes"], ["b"], then_branch=branches[0], else_branch=branches[1])
    )
    source.graph.node.append(helper.make_node("Twice", ["b"], ["y"], domain="own"))
    source.graph.initializer.append(numpy_helper.from_array(np.array(True), "yes"))
    body = [helper.make_node("Add", ["p", "p"], ["q"])]
    source.functions.append(helper.make_function("own", "Twice", ["p"], ["q"], body, source.opset_import))
    source.opset_import.append(helper.make_opsetid("own", 1))
    onnx.save(source, "m.onnx")
    assert main(["m.onnx", "--run", "-i", "in.npz", "-o", "out.npz"]) == 0
    assert np.allclose(outputs("out.npz")[0], -2 * (X @ W), rtol=1e-6)


def beside(folder: Path) -> None:
    source = onnx.load("m.onnx")
    onnx.save(source, "m.onnx", save_as_external_data=True, location="w.npz", size_threshold=0)


WRONG = {
    "missing": (
        ["m.onnx", "--run"],
        'R002]: argument "onnx::x": f32[n,3] is missing\nhelp: -i onnx::x=FILE.npy gives it',
    ),
    "no model": (["none.onnx", "--run"], "P010]: none.onnx cannot be read: No such file or directory"),
    "broken": (["broken.onnx", "--run"], "P010]: broken.onnx cannot be read: is no ONNX model, or not all of one"),
    "written": (
        ["m.onnx", "-o", "n.onnx"],
        "R006]: n.onnx: a file of this name holds a model\nhelp: python -m passes m.onnx",
    ),
    "its source": (["m.onnx", "--run", "-i", "in.npz", "-o", "in.npz"], "R004]: the output would overwrite in.npz"),
    "its data": (
        ["m.onnx", "--run", "-i", "in.npz", "-o", "w.npz"],
        "R004]: the output would overwrite w.npz, data of m.onnx",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_mistakes(case: str, folder: Path, capsys: Said) -> None:
    words, said = WRONG[case]
    beside(folder)
    Path("broken.onnx").write_bytes(b"no model")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert err.startswith(f"error[{said}") and out == ""
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("what", [["--run"], ["--trace"], ["--compare", "other.onnx"]])
def test_data_that_cannot_be_fetched_is_a_mistake_of_the_model(what: list[str], folder: Path, capsys: Said) -> None:
    onnx.save(onnx.load("m.onnx"), "other.onnx")
    beside(folder)
    Path("w.npz").write_bytes(b"short")
    assert main(["m.onnx", *what, "-i", "in.npz"]) == 2
    assert 'cannot be read: tensor "w": needs 24 bytes at offset 0, but "w.npz" has 5' in capsys.readouterr().err


@pytest.mark.parametrize("name", ["m.onnx", "m.txt"])
def test_without_the_library(name: str, folder: Path, capsys: Said) -> None:
    def missing() -> FrontEnd:
        raise ModuleNotFoundError("No module named 'onnx'", name="onnx")

    assert passes(["m.onnx", "-o", "m.txt"]) == 0
    assert without_front_ends([name, "--run", "-i", "in.npz"], {".onnx": missing}) == 2
    said = capsys.readouterr().err
    assert said.startswith("error[P012]: ") and said.endswith("not installed: onnx\nhelp: install the extra onnx\n")
    assert without_front_ends(["m.txt"], {".onnx": missing}) == 0  # it is printed without
