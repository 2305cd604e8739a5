"""The report: what ran in what and why, as text, as data, and as a file."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

from frontends.onnx import load
from passes.__main__ import main
from passes.auto_mixed_precision import AutoMixedPrecision
from passes.precision.reasons import Rule
from passes.precision.report import PrecisionReport
from runtime import parse
from tests.passes.precision.models import D, F, chain, convert, model, node, value

NODES = [
    node("MatMul", ["x", "w"], "a", name="first"),
    node("Add", ["a", "mask"], "b", name="masked"),
    node("Neg", ["b"], "c"),
    node("Softmax", ["c"], "y", name="last"),
]
CONSTANTS = {"w": np.eye(4, dtype=np.float32), "mask": np.full(4, -1e12, np.float32)}


def report_of(source: Any, policy: str = "autocast-f16") -> PrecisionReport:
    return convert(source, policy)[1]


def test_text_answers_why_a_node_is_f32() -> None:
    why = "reads %b, which may be out of range (a constant has elements beyond the range of f16)"
    text = str(report_of(chain(*NODES, constants=CONSTANTS)))
    assert text == f"""\
autocast-f16
  instructions: 1 f16, 3 f32
  casts: 2 inserted; 0 further uses share one; 0 removed, since those that the program wrote keep their meaning
  constants converted: 1
  bytes read and written: 336 before, 368 after

stays f32, 1: a constant does not fit the lower float
  @main %b = ai.onnx::Add "masked": a constant has elements beyond the range of f16

stays f32, 1: an operand may be out of the range of the lower float
  @main %c = ai.onnx::Neg: {why}

stays f32, 1: the policy keeps operations of this kind in f32
  @main %y = ai.onnx::Softmax "last": autocast-f16: reduction

every decision, in program order
  @main %a = ai.onnx::MatMul "first": f16, autocast-f16: compute
  @main %b = ai.onnx::Add "masked": f32, a constant has elements beyond the range of f16
  @main %c = ai.onnx::Neg: f32, {why}
  @main %y = ai.onnx::Softmax "last": f32, autocast-f16: reduction"""


def test_a_node_that_its_result_is_named_for_is_named_once() -> None:
    nodes = [node("Identity", ["x"], "block/mean:0", name="block/mean"), node("Exp", ["block/mean:0"], "y", name="y")]
    report = report_of(chain(*nodes))
    assert [line.place for line in report.lines] == [
        "@main %block/mean:0 = ai.onnx::Identity",
        "@main %y = ai.onnx::Exp",
    ]
    assert [line.node for line in report.lines] == ["block/mean", "y"]


def test_what_the_heading_says_is_not_said_again() -> None:
    nodes = [node("ReduceMean", ["x"], "m", keepdims=1), node("Sub", ["x", "m"], "y")]
    text = str(report_of(chain(*nodes)))
    heading = "stays f32, 1: the difference between a value and what was reduced from it"
    assert f"{heading}\n  @main %y = ai.onnx::Sub: most digits cancel\n" in text


def test_data_says_the_same() -> None:
    data = json.loads(json.dumps(report_of(chain(*NODES, constants=CONSTANTS)).to_json()))
    assert data["policy"] == "autocast-f16" and data["counts"] == {"f16": 1, "f32": 3}
    assert data["casts"] == {"inserted": 2, "shared": 0, "removed": 0, "constants": 1}
    # MatMul 32 + 64 + 32, Add 32 + 16 + 32, Neg and Softmax 64; then two casts of 48, and MatMul has 64.
    assert data["bytes"] == {"before": 336, "after": 368, "of_unknown_size": 0}
    assert data["kept_in_f32"] == {"constant": 1, "out_of_range": 1, "policy_f32": 1}
    assert set(data["rules"]) == {line["rule"] for line in data["instructions"]}
    assert data["instructions"][0] == {
        "function": "main",
        "node": "first",
        "value": "a",
        "operator": "ai.onnx::MatMul",
        "precision": "f16",
        "rule": "policy_low",
        "reason": "autocast-f16: compute",
    }


def test_casts_are_counted_once_and_shared_uses_too() -> None:
    nodes = [node("Mul", ["x", "x"], "a"), node("Add", ["x", "a"], "b"), node("Sub", ["b", "x"], "y")]
    report = report_of(chain(*nodes))
    assert (report.inserted, report.shared, report.constants) == (2, 3, 0)  # x to f16 for four uses, y to f32


def test_a_second_run_counts_what_is_low_and_inserts_nothing() -> None:
    result, _ = convert(chain(*NODES, constants=CONSTANTS))
    again = report_of(result)
    assert again.counts == {"f16": 2, "f32": 4} and again.inserted == 0  # the two casts count, too


def test_every_rule_that_keeps_something_says_which_and_where() -> None:
    rules: dict[Rule, Any] = {
        Rule.FOLLOWS_F32: chain(node("Identity", ["x"], "y")),
        Rule.WIDE_RANGE: chain(node("Exp", ["x"], "y")),
        Rule.CONSTANT: chain(node("Mul", ["x", "far"], "y"), constants={"far": np.float32(1e5)}),
        Rule.FACTORS: chain(
            node("Mul", ["x", "small"], "a"), node("Mul", ["a", "small"], "y"), constants={"small": np.float32(1e-3)}
        ),
        Rule.UNKNOWN_OPERATOR: chain(helper.make_node("Gelu", ["x"], ["y"], domain="com.example"), opset=17),
        Rule.ASKED_FOR: chain(node("Cast", ["x"], "h", to=10), node("Cast", ["h"], "y", to=F)),
    }
    for rule, source in rules.items():
        if rule is Rule.UNKNOWN_OPERATOR:
            source.opset_import.append(helper.make_opsetid("com.example", 1))
        lines = {line.value: line for line in report_of(source).lines}
        assert lines["y"].rule is rule and lines["y"].precision == "f32", rule
    old = report_of(
        chain(node("Conv", ["x", "w"], "y"), constants={"w": np.ones((1, 1, 1, 1), np.float32)}, shape=(1, 1, 2, 2)),
        "autocast-bf16",
    )
    assert [(line.rule, line.reason) for line in old.lines] == [
        (Rule.SIGNATURE, "X may not be bf16 in operator set 17")
    ]
    assert report_of(chain(node("Tan", ["x"], "y")), "autocast-bf16").lines[0].rule is Rule.NO_OPERAND
    follows = report_of(chain(node("Softmax", ["x"], "s"), node("Identity", ["s"], "y"))).lines[1]
    assert follows.reason == "follows %s, which stays f32"


def test_operators_of_which_nothing_is_known_are_named_with_their_number() -> None:
    nodes = [helper.make_node("Odd", [source], [to], domain="com.example") for source, to in (("x", "a"), ("a", "y"))]
    source = chain(*nodes)
    source.opset_import.append(helper.make_opsetid("com.example", 1))
    report = report_of(source)
    assert report.unknown_operators == {"com.example::Odd": 2} == report.to_json()["unknown_operators"]
    assert "  note: nothing is known about com.example::Odd (2)\n" in str(report)


def test_other_floats_are_counted_and_have_no_line() -> None:
    nodes = [node("Cast", ["x"], "d", to=D), node("Mul", ["d", "d"], "e"), node("Shape", ["x"], "s")]
    outputs = [value("e", D, [2]), value("s", onnx.TensorProto.INT64, [1])]
    report = report_of(model(nodes, [value("x", F, [2])], outputs))
    assert report.counts == {"f64": 2, "no float": 1} and report.lines == []


def test_instructions_on_tensors_are_warned_of() -> None:
    text = """
        func @main() {
          tensor %x: f32[4,8] sbuf input
          tensor %y: f32[4,8] sbuf output
          %y = activation gelu %x
        }
        """
    transform = AutoMixedPrecision()
    assert not transform.runOnModule(parse(text))
    assert transform.report.warnings == [
        "@main: an instruction on tensors stays f32: those are for auto-cast-fp32, which knows what is stored where"
    ]
    (line,) = transform.report.lines
    assert (line.value, line.operator, line.rule) == (None, "activation", Rule.MEMORY)


def test_the_manager_is_told_what_was_kept() -> None:
    module = load(chain(*NODES, constants=CONSTANTS))
    transform = AutoMixedPrecision()
    transform.runOnModule(module)
    kept = [(statement.name, why) for statement, why in transform.why_kept(module.root_function)]  # type: ignore[attr-defined]
    assert [name for name, _ in kept] == ["b", "c", "y"] and kept[2][1] == "autocast-f16: reduction"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "model.onnx"
    onnx.save(chain(*NODES, constants=CONSTANTS), path)
    return path


def run(source: Path, *arguments: str) -> int:
    return main([str(source), "-o", str(source.with_name("out.onnx")), "--policy", "autocast-f16", *arguments])


def test_files_by_their_ending(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, data = source.with_name("report.txt"), source.with_name("REPORT.JSON")
    assert run(source, "--report", str(text)) == run(source, "--report", str(data)) == 0
    assert capsys.readouterr() == ("", "")  # a run is quiet
    assert text.read_text().startswith("autocast-f16\n  instructions: 1 f16, 3 f32\n")
    assert json.loads(data.read_text())["counts"] == {"f16": 1, "f32": 3}


def test_on_the_terminal(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(source, "--report", "-") == 0
    said = capsys.readouterr()
    assert said.out.startswith("autocast-f16\n") and said.err == ""
    text = source.with_name("program.txt")
    text.write_text("func @main(%x: f32[4]) {\n  %p: f32[4] = graph.activation exp %x\n  return %p\n}\n")
    assert main([str(text), "--policy", "autocast-f16", "--report", "-"]) == 0
    said = capsys.readouterr()
    assert said.out == text.read_text() and "@main %p = graph.activation: f32, the result may be" in said.err


def test_warnings_come_without_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "old.onnx"
    onnx.save(chain(node("Relu", ["x"], "y"), opset=6), path)
    assert run(path) == 0
    assert capsys.readouterr().err == (
        "passes: warning: autocast-f16: @main is of operator set 6; before 7, casts and broadcasting work in another"
        " way: it stays as it is\n"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--report", "r.txt"],
            "error[P016]: --report is for a run of passes, and none are given",
        ),
        (
            ["--report", "none/r.txt", "--policy", "autocast-f16"],
            "error[P011]: none/r.txt cannot be written: no such folder",
        ),
        (["--report", ".", "--policy", "autocast-f16"], "error[P011]: . cannot be written: it is a folder"),
        (["--report", "out.onnx", "--policy", "autocast-f16"], "error[P014]: the report and the program would both be"),
        (
            ["--report", "r.txt", "--policy", "autocast-f16", "--passes", "fixpoint(auto-mixed-precision)"],
            "error[P014]: --report is about the decisions of one precision pass, and this run has 2",
        ),
    ],
)
def test_reports_that_cannot_be(
    arguments: list[str],
    said: str,
    source: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(source.parent)
    assert main(["model.onnx", "-o", "out.onnx", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert [path.name for path in source.parent.iterdir()] == ["model.onnx"]  # nothing is written
