"""What values are up to: measured on the interpreter, and on onnxruntime where only that knows an operator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import numpy_helper, parser

import passes
from frontends.onnx import load
from frontends.onnx.read_model import SIGNATURES
from passes.precision.calibration import measured_values
from runtime.diagnostics import DiagnosticsError
from runtime.values import Value
from tests.passes.precision.model_driver import Driver

HEAD = '<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1, "nobody" : 1]>\n'
GELU = (
    HEAD
    + "g (float[2,4] x) => (float[2,4] y) { a = com.microsoft.Gelu(x) b = Mul(a, k) c = MatMul(b, w) y = Div(c, k) }"
)


def read(text: str) -> Any:
    source = parser.parse_model(text)
    weights = {"k": np.float32(3000), "w": np.eye(4, dtype=np.float32)}
    source.graph.initializer.extend(numpy_helper.from_array(np.asarray(one), name) for name, one in weights.items())
    return source


def full(number: float) -> dict[str, Any]:
    return {"x": np.full((2, 4), number, np.float32)}


def kept(report: Any) -> set[str]:
    return {line.value for line in report.lines if line.rule.name == "MEASURED"}


@pytest.mark.parametrize(("number", "expected"), [(1.0, set()), (60.0, {"b", "c", "y"}), (1e5, {"a", "b", "c", "y"})])
def test_what_only_onnxruntime_knows_is_measured_there(number: float, expected: set[str]) -> None:
    """Gelu(60) is 60, and 60 * 3000 is beyond 65,504; so is the input itself, 100,000."""
    _, report = passes.convert(load(read(GELU)), calibrate=[full(number)])
    assert kept(report) == expected
    assert report.notes[0].startswith("what values are up to was measured on onnxruntime")


def test_a_tolerance_needs_a_program_that_can_be_run_exactly() -> None:
    with pytest.raises(DiagnosticsError, match="P067.*--tolerance: the program cannot be run: .*com.microsoft::Gelu"):
        passes.convert(load(read(GELU)), calibrate=[full(1)], tolerance=0.01)


def test_both_ways_measure_the_same() -> None:
    random = np.random.default_rng(1)
    text = HEAD + """g (float[2,4] x) => (float[2,4] y, float[2,4] z) {
      a = Exp(x) b = Mul(a, k) c = MatMul(b, w) i = Cast<to = 7>(c) j = Cast<to = 1>(i) d = Log(x)
      y = Add(j, d) z = Div(x, n) }"""
    source = read(text)
    source.graph.initializer.append(numpy_helper.from_array(np.zeros((2, 4), np.float32), "n"))
    module, inputs = load(source), {"x": random.standard_normal((2, 4), dtype=np.float32)}
    found = SIGNATURES.largest_elsewhere(module, inputs)
    assert not isinstance(found, str)
    exact = {value: size for value, size in measured_values(module, inputs).items() if value in found}
    assert {value.name for value in exact if isinstance(value, Value)} == {"a", "b", "c", "j", "d", "y"}
    for value, size in exact.items():  # z is infinite, and the logarithm of negative numbers is no number
        assert found[value] == pytest.approx(size, rel=1e-6)


def test_what_is_in_sub_graphs_is_not_measured_there() -> None:
    text = HEAD + """g (float[2,4] x, bool c) => (float[2,4] y) {
      a = com.microsoft.Gelu(x)
      y = If(c) <
        then_branch = t () => (float[2,4] p) { p = Mul(a, k) },
        else_branch = e () => (float[2,4] q) { q = Neg(a) }> }"""
    _, report = passes.convert(load(read(text)), calibrate=[{**full(1), "c": np.array(True)}])
    assert report.notes[0].endswith("; not measured was what is in sub-graphs")


def test_what_nobody_knows_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = read(HEAD + "g (float[2,4] x) => (float[2,4] y) { y = nobody.Nothing(x) }")
    with pytest.raises(DiagnosticsError, match="P067.*calibrate.0.: the program cannot be run: .*nobody::Nothing"):
        passes.convert(load(source), calibrate=[full(1)])
    driver = Driver(tmp_path)
    onnx.save(source, driver.source)
    assert driver.run("--calibrate", driver.inputs(**full(1))) == 2
    said = capsys.readouterr().err
    assert "the program cannot be run: " in said and "note: onnxruntime: " in said and not driver.out.exists()


def test_values_of_other_floats_and_long_names_are_no_reason_to_refuse() -> None:
    body = "".join(f"v{at}_{'x' * 60} = Neg(v{at - 1}_{'x' * 60})\n" for at in range(1, 40))
    text = HEAD + f"""g (float[2,4] x) => (float[2,4] y) {{
      v0_{"x" * 60} = com.microsoft.Gelu(x)
      {body} h = Cast<to = 16>(v39_{"x" * 60}) d = Cast<to = 11>(v39_{"x" * 60}) y = Cast<to = 1>(h) }}"""
    module = load(read(text))
    found = SIGNATURES.largest_elsewhere(module, full(60.0))
    assert not isinstance(found, str)
    assert len(found) == 41 and set(found.values()) == {60.0}


def test_what_is_not_finite_is_not_measured_and_that_is_said() -> None:
    _, report = passes.convert(load(read(GELU)), calibrate=[full(float("nan"))])
    assert "no value was finite on the inputs to calibrate with, so nothing was measured" in report.notes


def test_what_only_onnxruntime_runs_is_verified_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    driver = Driver(tmp_path)
    onnx.save(read(GELU), driver.source)
    assert driver.run("--verify", driver.inputs(**full(1))) == 0
    said = capsys.readouterr().err
    assert "verified on onnxruntime" in said
    assert "not verified with one rounding for each result: com.microsoft::Gelu: " in said
