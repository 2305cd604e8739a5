"""`--verify`: what is said of the errors of a conversion, where they come from, what helps, and who cannot run it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto

from passes.__main__ import main
from passes.debugging.progress import Progress
from runtime.functions import Module
from tests.passes.precision.model_driver import Driver
from tests.passes.precision.models import chain, model, node, value

EYE = {"w": np.eye(4, dtype=np.float32)}
Said = pytest.CaptureFixture[str]


@pytest.fixture
def driver(tmp_path: Path) -> Driver:
    return Driver(tmp_path)


def test_the_errors_of_a_conversion(driver: Driver, capsys: Said) -> None:
    nodes = [node("MatMul", ["x", "w"], "a"), node("Softmax", ["a"], "y")]
    weight = np.linspace(-1, 1, 16, dtype=np.float32).reshape(4, 4)
    onnx.save(chain(*nodes, constants={"w": weight}), driver.source)
    assert driver.run("--verify", driver.inputs(x=np.full((2, 4), 0.1, np.float32))) == 0
    first, output, on_a_cpu, then, rounded, *_ = capsys.readouterr().err.splitlines()
    assert first == "passes: verified on onnxruntime, on the inputs given"
    assert on_a_cpu == "  on a CPU it computes much of what is f16 in f32, and leaves roundings out"
    assert then == "passes: verified with one rounding for each result, on the same inputs"
    assert output.startswith("  %y: relative ") and rounded.startswith("  %y: relative ")
    assert driver.run("--verify", policy="autocast-bf16") == 0
    said = capsys.readouterr().err
    assert said.startswith("passes: verified with one rounding for each result (onnxruntime: ")
    assert ", on generated inputs, ordinary values, seed 0\n" in said and "on a CPU" not in said


def test_the_culprit_is_what_the_outputs_feel(driver: Driver, capsys: Said) -> None:
    """Both 2049s are ties of f16 that go to 2048; tanh(2049) is 1 either way, and 2049 - 2047 becomes 1."""
    nodes = [node("Add", ["x", "b"], "a"), node("Tanh", ["a"], "h"), node("MatMul", ["h", "w"], "y")]
    weight = np.zeros((4, 4), np.float32)
    weight[2:, 2] = -2047, 2049
    onnx.save(chain(*nodes, constants={"b": np.array([99, 99, 99, 2049], np.float32), "w": weight}), driver.source)
    assert driver.run("--verify", driver.inputs(x=np.zeros((2, 4), np.float32))) == 0
    *_, origin, alone, in_f32 = capsys.readouterr().err.splitlines()
    assert origin == "  most of the error comes from %w: f16[4,4] = onnx.initializer"
    assert alone == "    its rounding alone makes %y: relative 0.5, at most 1"
    assert in_f32 == "    in f32 with --keep y"  # the product reads it, and has no name but its result's
    assert driver.run("--keep", "y", "--verify", str(driver.folder / "in.npz")) == 0
    assert capsys.readouterr().err.splitlines()[-2:] == ["  %y: equal", "  no instruction introduces an error"]


def test_the_first_values_beyond_the_range_are_told(driver: Driver, capsys: Said) -> None:
    """300 * 300 is beyond 65504, the largest f16."""
    nodes = [node("Mul", ["x", "x"], "a"), node("Relu", ["a"], "b"), node("MatMul", ["b", "w"], "y")]
    onnx.save(chain(*nodes, constants=EYE), driver.source)
    x = np.zeros((2, 4), np.float32)
    x[0, 0] = 300
    assert driver.run("--verify", driver.inputs(x=x)) == 0
    *_, origin, what, in_f32 = capsys.readouterr().err.splitlines()
    assert origin.startswith("  elements first become infinite or NaN in %a: f16[2,4] = ")
    assert what.startswith("    1 of 8 became infinite or NaN")
    inputs = str(driver.folder / "in.npz")
    assert in_f32 == f"    in f32 with --calibrate {inputs}"
    assert driver.run("--calibrate", inputs, "--verify", inputs) == 0
    assert "infinite" not in capsys.readouterr().err


def test_the_culprit_is_called_what_the_file_calls_it(driver: Driver, capsys: Said) -> None:
    """2 * 1024 + 1 is a tie of f16 that goes to 2048; all that is multiplied is exact."""
    weight = np.zeros((4, 4), np.float32)
    weight[:2, 0] = 1
    onnx.save(chain(node("MatMul", ["x", "w"], "y"), constants={"w": weight}), driver.source)
    x = np.zeros((2, 4), np.float32)
    x[0, :2] = 2048, 1
    assert driver.run("--verify", driver.inputs(x=x)) == 0
    (product,) = [one.output[0] for one in driver.result.graph.node if one.op_type == "MatMul"]
    assert product != "y"
    assert f"  most of the error comes from %{product}: f16[2,4] = onnx.node" in capsys.readouterr().err


def stated_shape(driver: Driver, shape: list[int | str]) -> None:
    """Write a model that states a shape of its output that it does not give."""
    ends = [value("x", TensorProto.FLOAT, ["n", 4]), value("y", TensorProto.FLOAT, shape)]
    nodes = [node("MatMul", ["x", "w"], "a"), node("Reshape", ["a", "shape"], "y")]
    constants = {**EYE, "shape": np.array([-1, 2], np.int64)}
    onnx.save(model(nodes, ends[:1], ends[1:], constants), driver.source)


def test_what_only_onnxruntime_can_run_is_verified_there(driver: Driver, capsys: Said) -> None:
    """A model with dynamic ends that states a wrong shape of an output; onnxruntime only warns of that."""
    stated_shape(driver, ["m", 4])
    places = ["-o", str(driver.out), "--policy", "autocast-f16"]
    assert main([str(driver.source), *places, "--verify"]) == 0
    first, output, on_a_cpu, *then = capsys.readouterr().err.splitlines()
    assert first.startswith("passes: verified on onnxruntime, on generated inputs") and output.startswith("  %y: ")
    why = "it gives the shape [4,2], which is not that of f32[m,4]"
    assert then[0] == f"passes: not verified with one rounding for each result: {why}" and driver.out.exists()


def test_what_hands_values_on_is_kept_with_what_reads_them(driver: Driver, capsys: Said) -> None:
    """1 + 1/2048 lies between two f16; the product is exact but for its rounding, which a transposition hands on."""
    weight = np.array([[1, 1 / 2048], [1 / 2048, 1]], np.float32)
    nodes = [node("MatMul", ["x", "w"], "a", name="first"), node("Transpose", ["a"], "b", name="turn", perm=[1, 0])]
    nodes += [node("Relu", ["b"], "c", name="cut"), node("MatMul", ["c", "v"], "y", name="last")]
    ends = [value(name, TensorProto.FLOAT, [2, 2]) for name in "xy"]
    onnx.save(model(nodes, ends[:1], ends[1:], {"w": weight, "v": np.eye(2, dtype=np.float32)}), driver.source)
    inputs = driver.inputs(x=np.array([[1, 1], [1, 3]], np.float32))
    assert driver.run("--verify", inputs) == 0
    *_, origin, alone, in_f32 = capsys.readouterr().err.splitlines()
    assert origin.startswith("  most of the error comes from %") and "MatMul" in origin and alone.startswith("    its")
    assert in_f32 == "    in f32 with --keep first --keep turn --keep cut --keep last"
    assert driver.run("--keep", "first", "--verify", inputs) == 0  # a cast behind it rounds the same values
    assert alone in capsys.readouterr().err.splitlines()
    assert driver.run(*in_f32.split()[3:], "--verify", inputs) == 0
    assert "  %y: equal" in capsys.readouterr().err.splitlines()


def test_what_was_infinite_before_is_said(driver: Driver, capfd: pytest.CaptureFixture[str]) -> None:
    """Of an image without rows there is no mean: NaN, before and after, of which numpy would warn."""
    ends = [value("x", TensorProto.FLOAT, [2, 4, "rows", 3]), value("y", TensorProto.FLOAT, [2, 4, 1, 1])]
    onnx.save(model([node("GlobalAveragePool", ["x"], "y")], ends[:1], ends[1:]), driver.source)
    assert driver.run("--verify", driver.inputs(x=np.ones((2, 4, 0, 3), np.float32))) == 0
    said = capfd.readouterr().err
    assert "  %y: equal; before, 8 were infinite or NaN\n" in said and "Warning" not in said


def test_long_work_says_what_is_under_way(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(Progress, "say", lambda progress, what: told.append(what))
    onnx.save(chain(node("MatMul", ["x", "w"], "y"), constants=EYE), driver.source)
    inputs = driver.inputs(x=np.ones((2, 4), np.float32))
    assert driver.run("--calibrate", inputs, "--verify", inputs) == 0
    running = "running the program"
    assert told == [f"--calibrate {inputs}: {running}", f"--verify: {running} before and after"]


@pytest.mark.parametrize("words", [["-i", "in.npz"], ["--seed", "3"]])
def test_what_a_report_of_a_policy_does_not_use_is_refused(driver: Driver, words: list[str], capsys: Said) -> None:
    onnx.save(chain(node("MatMul", ["x", "w"], "y"), constants=EYE), driver.source)
    option = {"-i": "--input", "--seed": "--seed"}[words[0]]
    words = [word.replace("in.npz", driver.inputs(x=np.ones((2, 4), np.float32))) for word in words]
    assert driver.run(*words) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error[P016]: {option} is for reports that a run measures") and not driver.out.exists()
    assert said.endswith("help: --verify [INPUTS.npz] runs the program before and after\n")


def with_texts(driver: Driver) -> None:
    """Write a model that takes texts, and makes texts of what a product gives."""
    ends = [value("s", TensorProto.STRING, ["n"]), value("x", TensorProto.FLOAT, [2, 4])]
    given = [value("t", TensorProto.STRING, ["n"]), value("u", TensorProto.STRING, [2, 4])]
    nodes = [node("Identity", ["s"], "t"), node("MatMul", ["x", "w"], "a"), node("Cast", ["a"], "u", to=8)]
    onnx.save(model(nodes, ends, given, {"w": np.diag([1, 1, 1, 1 / 3]).astype(np.float32)}), driver.source)


def test_texts_are_equal_or_differ(driver: Driver, capsys: Said) -> None:
    with_texts(driver)
    assert driver.run("--verify", driver.inputs(s=np.array(["a", "b"]), x=np.ones((2, 4), np.float32))) == 0
    first, given, made, then = capsys.readouterr().err.splitlines()
    assert first.startswith("passes: verified with one rounding for each result (onnxruntime: an input is no tensor")
    assert (given, made) == ("  %t: equal", "  %u: equal") and then == "  no instruction introduces an error"


def test_inputs_that_cannot_be_generated(driver: Driver, capsys: Said) -> None:
    with_texts(driver)
    assert driver.run("--verify") == 2
    said = 'error[P067]: --verify: no inputs are generated: argument "s": its elements are of no known dtype\n'
    assert capsys.readouterr().err == f"{said}help: give inputs that it can be run on: --verify INPUTS.npz\n"


def test_what_nobody_can_run_is_a_mistake(driver: Driver, capsys: Said) -> None:
    stated_shape(driver, ["m", 4])
    source = onnx.load(driver.source)
    source.graph.initializer[1].CopyFrom(onnx.numpy_helper.from_array(np.array([-1, 3], np.int64), "shape"))
    onnx.save(source, driver.source)  # 2 times 4 elements have no rows of 3
    assert main([str(driver.source), "-o", str(driver.out), "--policy", "autocast-f16", "--verify"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error[P067]: --verify: the program cannot be run: ") and not driver.out.exists()
    assert "\nhelp: give inputs that it can be run on: --verify INPUTS.npz\nnote: onnxruntime: " in said


def test_a_runtime_runs_the_model_as_it_is_in_its_file(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its functions, and of its operator set: so a mistake of what was done before the conversion shows, too."""
    ran: list[tuple[int, int]] = []

    def run(module: Module, inputs: object) -> list[Any]:
        ran.append((len(module.functions), module.root_function.operator_sets["ai.onnx"]))
        return [np.zeros((1, 1, 2, 2), np.float32)]

    monkeypatch.setattr("frontends.onnx.onnxruntime_run.run", run)
    source = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17, "local" : 1]>
        g (float[1,1,2,2] x, float[1,1,1,1] w) => (float[1,1,2,2] y) { y = local.F(x, w) }
        <domain: "local", opset_import: ["" : 17]> F (a, w) => (b) { b = Conv(a, w) }""")
    onnx.save(source, driver.source)
    assert driver.run("--verify", policy="autocast-bf16") == 0
    assert ran == [(2, 17), (1, 22)]


def test_a_constant_of_numbers_is_what_it_was_without_its_rounding(driver: Driver, capsys: Said) -> None:
    """0.1 is 0.09998 in f16, which all of the error comes from: 1024 is exact, and so is the product with it."""
    nodes = [node("Constant", [], "k", value_float=0.1), node("Mul", ["x", "k"], "m"), node("MatMul", ["m", "w"], "y")]
    onnx.save(chain(*nodes, constants=EYE), driver.source)
    assert driver.run("--verify", driver.inputs(x=np.full((2, 4), 1024, np.float32))) == 0
    said = capsys.readouterr().err
    assert 'most of the error comes from %k: f16[] = onnx.node "ai.onnx::Constant"' in said
    assert "its rounding alone makes %y: relative 0.0002442, at most 0.025\n" in said
