"""`--tolerance`: what stays f32 so that the error on the inputs of `--calibrate` is within a bound."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

import passes
from frontends.onnx import load, to_proto
from runtime import parse, print_module
from runtime.diagnostics import DiagnosticsError
from tests.passes.precision.model_driver import Driver
from tests.passes.precision.models import F, model, node, value

Said = pytest.CaptureFixture[str]
X = np.linspace(-1, 1, 64, dtype=np.float32).reshape(1, 64)


def three_products() -> Any:
    """The second of three products makes nearly all of the error: its weights cancel."""
    random = np.random.default_rng(3)
    weights = {name: random.standard_normal((64, 64)).astype(np.float32) / 8 for name in ("u", "v", "w")}
    weights["v"][:, 1:] = -weights["v"][:, :-1] + 1e-3 * weights["v"][:, 1:]
    nodes = [
        node("MatMul", ["x", "u"], "a", name="first"),
        node("MatMul", ["a", "v"], "b", name="second"),
        node("Tanh", ["b"], "t", name="tanh"),
        node("MatMul", ["t", "w"], "y", name="third"),
    ]
    return model(nodes, [value("x", F, [1, 64])], [value("y", F, [1, 64])], weights)


def run(version: Any, x: Any) -> Any:
    results: Any = ReferenceEvaluator(version).run(None, {"x": x})
    return results[0]


def error_of(source: Any, result: Any) -> float:
    """The largest error by onnx's reference, with one rounding for each node, beside the largest value."""
    before, after = (run(one, X) for one in (source, result))
    return float(np.abs(after - before).max() / np.abs(before).max())


def high(result: Any) -> set[str]:
    """Names of the nodes that compute f32."""
    types = onnx.shape_inference.infer_shapes(result).graph
    of = {one.name: one.type.tensor_type.elem_type for one in (*types.value_info, *types.output, *types.input)}
    return {one.name for one in result.graph.node if one.op_type != "Cast" and of.get(one.output[0]) == F}


def test_what_holds_already_stays_low() -> None:
    source = three_products()
    plain = to_proto(passes.convert(load(source))[0])
    module, report = passes.convert(load(source), calibrate=[{"x": X}], tolerance=0.1)
    assert to_proto(module) == plain
    (note,) = report.notes
    assert note.startswith("the largest error is 0.00") and note.endswith("so nothing stays f32 for --tolerance")


@pytest.mark.parametrize("tolerance", [2e-3, 1e-3, 5e-4, 2e-4, 1e-5])
def test_the_error_is_within_the_tolerance(tolerance: float) -> None:
    source = three_products()
    module, report = passes.convert(load(source), calibrate=[{"x": X}], tolerance=tolerance)
    result = to_proto(module)
    onnx.checker.check_model(result, full_check=True)
    assert error_of(source, result) <= tolerance
    kept = [line for line in report.lines if line.rule.name == "TOLERANCE"]
    assert {line.node for line in kept} <= high(result)
    again, _ = passes.convert(load(source), calibrate=[{"x": X}], tolerance=tolerance)
    assert to_proto(again) == result


def test_all_inputs_count() -> None:
    source = three_products()
    inputs: list[dict[str, Any]] = [{"x": X}, {"x": X[:, ::-1].copy() * 8}]
    module, _ = passes.convert(load(source), calibrate=inputs, tolerance=1e-3)
    for one in inputs:
        before, after = (run(version, one["x"]) for version in (source, to_proto(module)))
        assert np.abs(after - before).max() <= 1e-3 * np.abs(before).max()


def test_the_driver_says_what_stays(tmp_path: Path, capsys: Said) -> None:
    driver = Driver(tmp_path)
    onnx.save(three_products(), driver.source)
    np.savez(tmp_path / "in.npz", x=X)
    assert driver.run("--calibrate", str(tmp_path / "in.npz"), "--tolerance", "2e-4") == 0
    expected, report = passes.convert(load(driver.source), calibrate=[{"x": X}], tolerance=2e-4)
    assert driver.result == to_proto(expected)
    (note,) = report.notes
    assert f"passes: note: {driver.source}: {note}\n" in capsys.readouterr().err
    assert "f32 for --tolerance" in note and "conversions" in note


def test_few_nodes_are_told_with_what_keeps_them() -> None:
    source = three_products()
    module, report = passes.convert(load(source), calibrate=[{"x": X}], tolerance=2e-4)
    (note,) = report.notes
    names = re.findall(r"--keep (\S+)", note)
    assert names and note.endswith(" does the same")
    assert to_proto(passes.convert(load(source), keep=names)[0]) == to_proto(module)


def test_the_report_says_why(tmp_path: Path) -> None:
    driver = Driver(tmp_path)
    onnx.save(three_products(), driver.source)
    assert driver.run("--calibrate", driver.inputs(x=X), "--tolerance", "2e-4") == 0
    assert "tolerance" in {rule for _, rule in driver.precisions.values()}
    assert "the error of an output would be larger than --tolerance allows" in driver.report.read_text()


def test_mistakes(tmp_path: Path, capsys: Said) -> None:
    driver = Driver(tmp_path)
    onnx.save(three_products(), driver.source)
    inputs = tmp_path / "in.npz"
    np.savez(inputs, x=X)
    assert driver.run("--tolerance", "0.01") == 2
    assert "error[P016]: --tolerance is for the inputs of --calibrate" in capsys.readouterr().err
    for wrong in ("0", "-1", "nan", "inf", "much"):
        with pytest.raises(SystemExit):
            driver.run("--calibrate", str(inputs), f"--tolerance={wrong}")
        assert f'"{wrong}" is no number above 0, such as 0.01' in capsys.readouterr().err
    assert not driver.out.exists()
    wrong_calls: list[dict[str, Any]] = [
        {"tolerance": 0.1},
        {"tolerance": "0.1", "calibrate": [{"x": X}]},
        {"tolerance": -1, "calibrate": [{"x": X}]},
    ]
    for options in wrong_calls:
        with pytest.raises(ValueError, match="a tolerance is a number above 0, and for inputs to calibrate with"):
            passes.convert(load(driver.source), **options)
    one_set: Any = {"x": X}
    with pytest.raises(TypeError, match="calibrate takes several sets of inputs"):
        passes.convert(load(driver.source), calibrate=one_set)


def test_what_has_no_name_cannot_be_kept() -> None:
    text = "func @main(%x: f32[64,64]) {\n  %0: f32[64,64] = graph.matmul %x, %x\n  return %0\n}\n"
    square = np.tile(X, (64, 1))
    with pytest.raises(
        DiagnosticsError, match="P068.*--tolerance 1e-09: the largest error is .*, with all named nodes"
    ):
        passes.convert(parse(text), calibrate=[{"x": square}], tolerance=1e-9)
    module, _ = passes.convert(parse(text.replace("%0", "%y")), calibrate=[{"x": square}], tolerance=1e-9)
    assert print_module(module) == text.replace("%0", "%y")
