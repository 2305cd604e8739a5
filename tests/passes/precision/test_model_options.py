"""The options of a conversion: what stays f32 by wish or by measurement, the ends and the operator set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto

import passes
from frontends.onnx import load, to_proto
from passes.__main__ import main
from runtime import parse
from runtime.diagnostics import DiagnosticsError
from tests.passes.precision.model_driver import Driver
from tests.passes.precision.models import casts, chain, model, node, value

EYE = {"w": np.eye(4, dtype=np.float32)}
Said = pytest.CaptureFixture[str]


@pytest.fixture
def driver(tmp_path: Path) -> Driver:
    found = Driver(tmp_path)
    nodes = [node("MatMul", ["x", "w"], "a", name="enc/first"), node("MatMul", ["a", "w"], "b", name="dec/second")]
    onnx.save(chain(*nodes, node("Relu", ["b"], "y", name="act"), constants=EYE), found.source)
    return found


@pytest.mark.parametrize(
    ("patterns", "kept"),
    [
        (["enc/*"], {"a"}),
        (["MatMul"], {"a", "b"}),
        (["ai.onnx::Relu", "dec/second"], {"y", "b"}),
        (["?"], {"a", "b", "y"}),  # by what they give
    ],
)
def test_what_a_pattern_means_stays_f32(driver: Driver, patterns: list[str], kept: set[str]) -> None:
    assert driver.run(*[word for one in patterns for word in ("--keep", one)]) == 0
    found = driver.precisions
    assert {name for name, (runs_in, rule) in found.items() if rule == "kept" and runs_in == "f32"} == kept
    others = {rule if runs_in == "f32" else runs_in for name, (runs_in, rule) in found.items() if name not in kept}
    assert others <= ({"idle"} if {"a", "b"} <= kept else {"f16"})  # without a product, only casts would come of it
    assert driver.result.graph.output[0].type.tensor_type.elem_type == TensorProto.FLOAT


def test_a_pattern_that_means_nothing(driver: Driver, capsys: Said) -> None:
    assert driver.run("--keep", "enc/frist", "--keep", "Relu", "--keep", "*nothing*") == 2
    said = capsys.readouterr().err
    assert 'error[P066]: --keep: nothing in the program is called "enc/frist"' in said and '"enc/first"' in said
    assert '"*nothing*"' in said and '"Relu"' not in said and not driver.out.exists()


@pytest.mark.parametrize(
    ("pattern", "kept"),
    [("layers[0]", {"a"}), ("layers[?]", {"a", "b"}), ("*[1]", {"b"}), ("l*[0]", {"a"}), ("?ayers[0]", {"a"})],
)
def test_brackets_are_themselves(driver: Driver, pattern: str, kept: set[str], capsys: Said) -> None:
    nodes = [node("MatMul", ["x", "w"], "a", name="layers[0]"), node("MatMul", ["a", "w"], "b", name="layers[1]")]
    onnx.save(chain(*nodes, node("Relu", ["b"], "y", name="act"), constants=EYE), driver.source)
    assert driver.run("--keep", pattern) == 0
    assert {name for name, (_, rule) in driver.precisions.items() if rule == "kept"} == kept
    policy = driver.folder / "mine.yaml"
    policy.write_text(f"base: autocast-f16\noverrides:\n  - {{name: '{pattern}', precision: f32}}\n")
    assert driver.run(policy=str(policy)) == 0
    assert {name for name, (_, rule) in driver.precisions.items() if rule == "override"} == kept
    assert capsys.readouterr().err == ""  # an override that fits is none that fits nothing


@pytest.mark.parametrize("pattern", ["layers[01]", "enc/firs[t]", "enc/[*", "[!x]*"])
def test_brackets_are_no_sets_of_characters(driver: Driver, pattern: str, capsys: Said) -> None:
    assert driver.run("--keep", pattern) == 2
    assert f'error[P066]: --keep: nothing in the program is called "{pattern}"' in capsys.readouterr().err


def test_ends_that_need_not_keep_their_types(driver: Driver) -> None:
    assert driver.run("--keep-io") == 0 and len(casts(driver.result.graph)) == 2
    assert driver.run("--no-keep-io") == 0
    result = driver.result
    assert casts(result.graph) == []
    ends = [*result.graph.input, *result.graph.output]
    assert [(one.name, one.type.tensor_type.elem_type) for one in ends] == [("x", 10), ("y", 10)]
    assert main([str(driver.out), "-o", str(driver.out), "--policy", "autocast-f16", "--no-keep-io"]) == 0
    assert onnx.load(driver.out) == result


def test_an_end_that_is_also_f32_keeps_its_type(driver: Driver) -> None:
    nodes = [node("Relu", ["x"], "y"), node("Softmax", ["x"], "s")]
    ends = [value(name, TensorProto.FLOAT, [2, 4]) for name in "xys"]
    onnx.save(model(nodes, ends[:1], ends[1:]), driver.source)
    assert driver.run("--no-keep-io") == 0
    result = driver.result.graph
    assert [one.type.tensor_type.elem_type for one in (*result.input, *result.output)] == [1, 10, 1]


def test_both_of_two_that_contradict_each_other(driver: Driver) -> None:
    with pytest.raises(SystemExit) as caught:
        driver.run("--keep-io", "--no-keep-io")
    assert caught.value.code == 2


def test_what_was_measured_to_be_too_large_stays_f32(driver: Driver) -> None:
    assert driver.run("--calibrate", driver.inputs(x=np.full((2, 4), 3e4, np.float32))) == 0
    assert {runs_in for runs_in, _ in driver.precisions.values()} == {"f16"}
    assert driver.run("--calibrate", driver.inputs(x=np.full((2, 4), -7e4, np.float32))) == 0
    assert set(driver.precisions.values()) == {("f32", "measured")}
    assert driver.run("--calibrate", driver.inputs(x=np.full((2, 4), 7e4, np.float32)), policy="autocast-bf16") == 0
    assert {runs_in for runs_in, _ in driver.precisions.values()} == {"bf16"}


def test_what_is_too_large_in_any_of_several_runs_stays_f32(driver: Driver, capsys: Said) -> None:
    small, large = (str(driver.folder / f"{name}.npz") for name in ("small", "large"))
    np.savez(small, x=np.ones((2, 4), np.float32))
    np.savez(large, x=np.full((2, 4), -7e4, np.float32))
    for files in ((small, large), (large, small)):
        assert driver.run(*[word for file in files for word in ("--calibrate", file)]) == 0
        assert set(driver.precisions.values()) == {("f32", "measured")}
    assert driver.run("--calibrate", large, "--calibrate", driver.inputs(y=np.ones((2, 4), np.float32))) == 2
    first, second = capsys.readouterr().err.split("\n\n")
    wrong = driver.folder / "in.npz"
    assert first == f'error[P067]: --calibrate {wrong}: argument "x": f32[2,4] is missing'
    assert second == f'error[P067]: --calibrate {wrong}: function @main has no input "y"\nhelp: its inputs: x\n'


def test_what_comes_back_into_the_range_is_low_again(driver: Driver) -> None:
    scale = {"k": np.array([[2e4], [1.0]], np.float32), "w": np.eye(4, dtype=np.float32)}
    nodes = [node("Mul", ["x", "k"], "a"), node("Sign", ["a"], "b"), node("MatMul", ["b", "w"], "y")]
    onnx.save(chain(*nodes, constants=scale), driver.source)
    assert driver.run("--calibrate", driver.inputs(x=np.full((2, 4), 5, np.float32))) == 0
    assert {name: runs_in for name, (runs_in, _) in driver.precisions.items() if name in "aby"} == {
        "a": "f32",
        "b": "f32",
        "y": "f16",
    }


@pytest.mark.parametrize("option", ["--calibrate", "--verify"])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"onnx::x_0": np.zeros((2, 4), np.float64)}, "is given elements of float64\nhelp: f32 is float32"),
        ({"onnx::x_0": np.zeros((2, 5), np.float32)}, "is given the shape [2,5]"),
        ({}, "is missing"),
        ({"onnx::x0": np.zeros((2, 4), np.float32)}, 'is missing\nhelp: did you mean "onnx::x0"?'),
    ],
)
def test_an_input_is_called_by_its_plain_name(
    driver: Driver, option: str, given: dict[str, Any], said: str, capsys: Said
) -> None:
    source = onnx.load(driver.source)
    source.graph.input[0].name = source.graph.node[0].input[0] = "onnx::x_0"
    onnx.save(source, driver.source)
    assert driver.run(option, driver.inputs(**given)) == 2
    assert f': argument "onnx::x_0": f32[2,4] {said}\n' in capsys.readouterr().err and not driver.out.exists()


def test_a_pattern_that_means_constants_only(driver: Driver, capsys: Said) -> None:
    assert driver.run("--keep", "w") == 2
    said = 'error[P066]: --keep: "w" means constants only, each of which is as the nodes that read it\n'
    assert capsys.readouterr().err == f"{said}help: keep these: enc/first, dec/second\n" and not driver.out.exists()


def test_a_place_that_cannot_be_written_is_said_before_the_work(driver: Driver, capsys: Said) -> None:
    driver.source.write_bytes(b"no model, which would be said first, were it read")
    for name, why in (("none/out.onnx", "no such folder"), (".", "it is a folder"), ("m.onnx/", "Not a directory")):
        place = f"{driver.folder}/{name}"
        assert main([str(driver.source), "-o", place, "--policy", "autocast-f16"]) == 2
        assert capsys.readouterr().err == f"error[P011]: {place} cannot be written: {why}\n"


@pytest.mark.parametrize("option", ["--calibrate", "--verify"])
def test_inputs_of_another_program(driver: Driver, option: str, capsys: Said) -> None:
    assert driver.run(option, driver.inputs(z=np.zeros((2, 4), np.float32))) == 2
    said = capsys.readouterr().err
    assert '"z"' in said and '"x"' in said and "error[P0" in said and not driver.out.exists()
    assert driver.run(option, str(driver.folder / "none.npz")) == 2
    assert "none.npz" in capsys.readouterr().err


def test_nothing_is_verified_that_is_not_converted(driver: Driver, capsys: Said) -> None:
    assert main([str(driver.source), "-o", str(driver.out), "--verify"]) == 2
    said = capsys.readouterr().err
    assert "error[P016]: --verify is for one precision pass, and this run has none" in said
    assert "ask for one with --policy" in said and not driver.out.exists()


def convolution(opset: int) -> Any:
    ends = [value(name, TensorProto.FLOAT, [1, 1, 4]) for name in "xy"]
    nodes = [node("Relu", ["x"], "a"), node("Conv", ["a", "w"], "y")]
    return model(nodes, ends[:1], ends[1:], {"w": np.ones((1, 1, 1), np.float32)}, opset)


@pytest.mark.parametrize(("opset", "policy", "wanted"), [(17, "bf16", 22), (17, "f16", 17), (22, "bf16", 22)])
def test_the_operator_set_is_raised_where_a_type_needs_it(
    driver: Driver, opset: int, policy: str, wanted: int, capsys: Said
) -> None:
    onnx.save(convolution(opset), driver.source)
    assert driver.run(policy=f"autocast-{policy}") == 0
    result, said = driver.result, capsys.readouterr().err
    assert result.opset_import[0].version == wanted
    note = "raised to operator set 22, in which Conv may be bf16"
    assert (note in said) == (note in driver.report.read_text()) == (opset != wanted)
    assert {runs_in for runs_in, _ in driver.precisions.values()} == {policy}


@pytest.mark.parametrize("opset", [7, 17, 22])
@pytest.mark.parametrize("policy", ["autocast-f16", "autocast-bf16"])
def test_in_python_the_result_is_the_same(driver: Driver, opset: int, policy: str, capsys: Said) -> None:
    onnx.save(convolution(opset), driver.source)
    assert driver.run(policy=policy) == 0
    said = capsys.readouterr().err
    module, report = passes.convert(load(driver.source), policy)
    assert to_proto(module) == driver.result
    for note in report.notes:
        assert note in driver.report.read_text() and note.removeprefix("the program was ") in said
    assert bool(report.notes) == (policy == "autocast-bf16" and opset < 22)


def test_in_python_the_operator_set_may_be_asked_for(driver: Driver) -> None:
    assert driver.run("--opset", "21") == 0
    source = load(driver.source)
    assert to_proto(passes.convert(source, "autocast-f16", opset=21)[0]) == driver.result
    assert to_proto(source) == onnx.load(driver.source)
    kept, report = passes.convert(load(convolution(17)), "autocast-bf16", opset=17)
    assert kept.root_function.operator_sets["ai.onnx"] == 17 and report.counts == {"f32": 2}
    with pytest.raises(
        DiagnosticsError, match="P065.*cannot be had in operator set 9: the model is of operator set 17"
    ):
        passes.convert(source, opset=9)
    with pytest.raises(DiagnosticsError, match="P065.*operator set 9: it is no model"):
        passes.convert(parse("func @main(%x: f32[2]) {\n  return %x\n}\n"), opset=9)


def test_a_model_that_cannot_be_raised_stays_as_it_is_in_python_too(driver: Driver, capsys: Said) -> None:
    source = convolution(17)
    imports = [onnx.helper.make_opsetid("", 17)]
    twice = onnx.helper.make_function("own", "Twice", ["a"], ["b"], [node("Add", ["a", "a"], "b")], imports)
    source.functions.append(twice)
    source.opset_import.append(onnx.helper.make_opsetid("own", 1))
    onnx.save(source, driver.source)
    assert driver.run("--keep-functions", policy="autocast-bf16") == 0
    module, report = passes.convert(load(driver.source), "autocast-bf16", keep_functions=True)
    assert to_proto(module) == driver.result
    (note,) = [one for one in report.notes if "raised" in one]
    why = "stays as it is, and is not raised to operator set 22, in which Conv may be bf16: "
    assert note.startswith(f"the program {why}") and 'has local functions, such as "Twice"' in note
    assert why in capsys.readouterr().err and f"the program {why}" in driver.report.read_text()


def test_data_beside_a_model_stays_there_when_it_is_raised_in_python(driver: Driver) -> None:
    onnx.save(convolution(17), driver.source, save_as_external_data=True, location="w.bin", size_threshold=0)
    module, report = passes.convert(load(driver.source), "autocast-bf16", keep=["Conv"])
    assert report.notes and module.root_function.operator_sets["ai.onnx"] == 22
    (weight,) = to_proto(module).graph.initializer
    assert weight.data_location == TensorProto.EXTERNAL


def test_products_that_are_wide_already_raise_nothing(driver: Driver, capsys: Said) -> None:
    ends = [value(name, TensorProto.DOUBLE, [1, 1, 4]) for name in "xy"]
    proto = model([node("Conv", ["x", "w"], "y")], ends[:1], ends[1:], {"w": np.ones((1, 1, 1))}, 17)
    onnx.save(proto, driver.source)
    assert driver.run(policy="autocast-bf16") == 0
    assert driver.result.opset_import[0].version == 17 and capsys.readouterr().err == ""


def test_an_operator_set_that_is_asked_for(driver: Driver, capsys: Said) -> None:
    assert driver.run("--opset", "21") == 0 and driver.result.opset_import[0].version == 21
    driver.out.unlink()
    assert driver.run("--opset", "9") == 2
    said = capsys.readouterr().err
    assert "error[P065]" in said and "the model is of operator set 17, which is not lowered to 9" in said
    text = driver.folder / "m.txt"
    text.write_text("func @main(%x: f32[2]) {\n  return %x\n}\n")
    assert main([str(text), "--opset", "21"]) == 2
    assert "error[P065]: --opset is for models" in capsys.readouterr().err and not driver.out.exists()
