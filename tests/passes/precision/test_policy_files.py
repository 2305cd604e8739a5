"""Policies as YAML files: what they say, what overrides do, and every mistake with its place and near names."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import passes
from brewer.problems import Problems
from brewer.yaml_tree import read_tree
from frontends.onnx import load
from passes.__main__ import main
from passes.precision.policy import POLICIES, AutocastF16, OpKind, Override, Precision, PrecisionPolicy
from passes.precision.policy_file import bytes_of, policy_in
from passes.precision.report import PrecisionReport
from runtime.diagnostics import DiagnosticsError
from runtime.dtypes import bf16
from runtime.instruction_set import standard
from tests.passes.precision.models import read

PROGRAM = """\
func @main(%x: f32[2,3], %w: f32[3,4], %c: bool[2,4]) {
  %y: f32[2,4] = graph.matmul %x, %w
  %s: f32[2,4] = graph.softmax %y axis 1
  %z: f32[2,4] = graph.where %c then %s else %y
  return %z
}
"""


def policy_of(text: str, folder: Path) -> PrecisionPolicy:
    file = folder / "mine.yaml"
    file.write_text(text)

    def read(name: str, data: bytes) -> tuple[object, Problems]:
        problems = Problems()
        return read_tree(name, data, problems), problems

    return policy_in(str(file), bytes_of(str(file)), read, standard())


def test_a_file_without_a_base_is_custom(tmp_path: Path) -> None:
    found = policy_of("kinds: {compute: bf16, elementwise: low}\n", tmp_path)
    kinds = {OpKind.COMPUTE: Precision.BF16, OpKind.ELEMENTWISE: Precision.LOW}
    assert found == PrecisionPolicy.custom(kinds, "mine")
    assert found.reduction is found.data_movement is Precision.F32 and found.by_kind and not found.guards


@pytest.mark.parametrize("name", POLICIES)
def test_a_base_is_what_it_starts_from(name: str, tmp_path: Path) -> None:
    found = policy_of(f"base: {name}\nguards: true\n", tmp_path)
    same = [found.precision_of(kind) is POLICIES[name].precision_of(kind) for kind in OpKind]
    assert all(same) and found.low is POLICIES[name].low and found.guards


def test_all_that_a_file_may_say(tmp_path: Path) -> None:
    text = """\
base: autocast-f16
low: bf16
kinds: {reduction: follow}
overrides:
  - {instruction: Conv, precision: f32}
  - {instruction: graph.where, operand: on_true}
  - {name: "a*", operand: 1, precision: f32}
"""
    found = policy_of(text, tmp_path)
    assert found.low is bf16 and found.reduction is Precision.FOLLOW and found.guards is AutocastF16.guards
    assert found.overrides == (
        Override(Precision.F32, instruction="Conv"),
        Override(Precision.F32, instruction="graph.where", operand="on_true"),
        Override(Precision.F32, name="a*", operand=1),
    )


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        ("", {"y": "f16", "s": "f32", "z": "f16"}),
        ("  - {instruction: graph.matmul, precision: bf16}", {"y": "bf16", "s": "f32", "z": "f16"}),
        # Without the product, `z` would only cost casts; what an override states is not asked whether it pays.
        ("  - {name: y, precision: f32}", {"y": "f32", "s": "f32", "z": "f32"}),
        ('  - {name: "?", precision: f32}\n  - {name: s, precision: low}', {"y": "f32", "s": "f16", "z": "f32"}),
        ("  - {name: s, instruction: graph.matmul, precision: low}", {"y": "f16", "s": "f32", "z": "f16"}),
        # `on_true` and `on_false` have one dtype by the definition, so one that stays f32 keeps the other.
        ("  - {instruction: graph.where, operand: on_true}", {"y": "f16", "s": "f32", "z": "f32"}),
    ],
)
def test_what_overrides_do(overrides: str, expected: dict[str, str], tmp_path: Path) -> None:
    source, policy, result = tmp_path / "p.txt", tmp_path / "p.yaml", tmp_path / "out.txt"
    source.write_text(PROGRAM)
    policy.write_text("base: autocast-f16\n" + (f"overrides:\n{overrides}\n" if overrides else ""))
    assert main([str(source), "--policy", str(policy), "-o", str(result)]) == 0
    lines = result.read_text().splitlines()
    found = {name: line.split(": ")[1].split("[")[0] for name in expected for line in lines if f"%{name}: " in line}
    assert found == expected


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("base: autocast-f16\nlow: bfloat16", "base: autocast-f16\nlow: bf16"),
        ("low: float16\nkinds: {compute: fp16, elementwise: bfloat16}", "kinds: {compute: f16, elementwise: bf16}"),
        ("overrides: [{name: x, precision: fp32}]", "overrides: [{name: x, precision: float32}]"),
    ],
)
def test_floats_may_be_spelled_as_elsewhere(text: str, same: str, tmp_path: Path) -> None:
    assert policy_of(text, tmp_path) == policy_of(same, tmp_path)


MISTAKES = [
    ("low: fp32", '1:6: error[D015]: no lower float is called "fp32"', 'expected "f16" or "bf16"'),
    ("low: half", '1:6: error[D015]: no lower float is called "half"', 'expected "f16" or "bf16"'),
    ("base: autocast-f61", '1:7: error[D015]: no policy is called "autocast-f61"', 'did you mean "autocast-f16"?'),
    ("low: fb16", '1:6: error[D015]: no lower float is called "fb16"', 'did you mean "bf16" or "f16"?'),
    ("bases: auto-mixed", '1:1: error[D011]: no key of a policy is called "bases"', 'did you mean "base"?'),
    ("kinds: {reductoin: low}", '1:9: error[D011]: no key of kinds is called "reductoin"', '"reduction"?'),
    ("kinds: {compute: lo}", '1:18: error[D015]: no precision is called "lo"', '"low"'),
    (
        "kinds: {compute: follow}",
        "1:18: error[D015]: here the kind of an operation decides alone",
        "base: autocast-f16",
    ),
    ("kinds: f32", "1:8: error[D014]: kinds: keys with values are expected here", ""),
    ("guards: maybe", "1:9: error[D014]: true or false is expected here", ""),
    ("guards: yes", "1:9: error[D012]", ""),
    ("low: f16\nlow: bf16", '2:1: error[D010]: the key "low" stands twice', ""),
    ("low: 16", "1:6: error[D014]: a word is expected here", ""),
    ("overrides: f32", "1:12: error[D014]: overrides are a list", ""),
    ("overrides: [f32]", "1:13: error[D014]: an override: keys with values", ""),
    ("overrides: [{precision: f32}]", '1:13: error[D013]: an override has "instruction", "name" or both', ""),
    ("overrides: [{name: x}]", '1:13: error[D013]: an override of a whole instruction has "precision"', ""),
    (
        "overrides: [{instruction: graph.softmx, precision: f32}]",
        '1:27: error[D015]: no instruction is called "graph.softmx"',
        '"graph.softmax"?',
    ),
    (
        "overrides: [{instruction: ai.onnx.Softmax, precision: f32}]",
        '1:27: error[D015]: no instruction is called "ai.onnx.Softmax"',
        "a node goes by its operator, Softmax or ai.onnx::Softmax",
    ),
    (
        "overrides: [{instruction: graph.where, operand: on_tru}]",
        '1:49: error[D015]: no operand of graph.where is called "on_tru"',
        '"on_true"?',
    ),
    (
        "overrides: [{instruction: graph.where, operand: on_true, precision: f16}]",
        "1:69: error[D015]: an operand by itself can only keep the dtype that it has",
        "leave out precision, or write f32",
    ),
    ("overrides: &a []", "1:12: error[D009]", ""),
    ("- f32", "1:1: error[D014]: a policy file must be a mapping", ""),
    ("", "1:1: error[D007]", "help: a policy says what it starts from, `base: autocast-f16`"),
    ("# nothing", "1:1: error[D007]", "help: a policy says what it starts from"),
    ("base: autocast-f16\n---\nlow: f16", "2:1: error[D008]", "one policy a file"),
]


@pytest.mark.parametrize(("text", "said", "help"), MISTAKES, ids=[text for text, _, _ in MISTAKES])
def test_mistakes(text: str, said: str, help: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy, program = tmp_path / "p.yaml", tmp_path / "p.txt"
    policy.write_text(f"{text}\n" if text else "")
    program.write_text(PROGRAM)
    assert main([str(program), "--policy", str(policy)]) == 2
    found = capsys.readouterr().err
    assert f"p.yaml:{said}" in found and help in found


def test_all_mistakes_of_a_file_are_said(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticsError) as raised:
        policy_of("base: x\nlow: y\nkinds: {compute: z}\n", tmp_path)
    assert [one.place.line for one in raised.value.diagnostics if one.place is not None] == [1, 2, 3]


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "p.txt"
    program.write_text(PROGRAM)
    assert main([str(program), "--policy", str(tmp_path / "none.yaml")]) == 2
    assert "error[P055]: " in (said := capsys.readouterr().err) and "cannot be read: No such file" in said


def test_nothing_follows_where_kinds_decide_alone() -> None:
    with pytest.raises(ValueError, match="none follows its operands"):
        PrecisionPolicy.custom({OpKind.COMPUTE: Precision.FOLLOW})


UNMATCHED = [
    ("{name: nosuchnode, precision: f32}", "{name: nosuchnode} fits nothing in this program"),
    ("{name: mn, precision: f32}", '{name: mn} fits nothing in this program; did you mean "mm"?'),
    ("{instruction: Conv, precision: f32}", "{instruction: Conv} fits nothing in this program"),
    ("{instruction: MatMul, name: s, precision: f32}", "{instruction: MatMul, name: s} fits nothing in this program"),
    (
        "{instruction: onnx.node, precision: f32}",
        "{instruction: onnx.node} fits nothing in this program; nodes go by their operators: Div, MatMul and Softmax",
    ),
    (
        "{instruction: Softmax, operand: inptu}",
        "{instruction: Softmax, operand: inptu} fits nothing in this program: no operand of ai.onnx::Softmax is called"
        ' "inptu"; did you mean "input"?',
    ),
    (
        "{instruction: Softmax, operand: 1}",
        "{instruction: Softmax, operand: 1} fits nothing in this program: ai.onnx::Softmax has fewer operands",
    ),
]
FITTING = [
    "{name: 'm?', precision: f32}",
    "{instruction: MatMul, name: mm, precision: f32}",
    "{instruction: Softmax, operand: input}",
    "{instruction: 'ai.onnx::Softmax', operand: 0}",
    "{operand: B, name: mm}",
]
MODEL = "g (float[2,4] x) => (float[2,4] s) { a = Div(x, k) mm = MatMul(a, w) d = Div(mm, k) s = Softmax(d) }"


def report_of(override: str, folder: Path) -> PrecisionReport:
    found = policy_of(f"base: autocast-f16\noverrides:\n  - {override}\n", folder)
    return passes.convert(load(read(MODEL, k=np.float32(3), w=np.eye(4, dtype=np.float32))), found)[1]


@pytest.mark.parametrize(("override", "said"), UNMATCHED)
def test_an_override_that_fits_nothing_is_a_warning(override: str, said: str, tmp_path: Path) -> None:
    report = report_of(override, tmp_path)
    assert report.warnings == [f"{tmp_path / 'mine.yaml'}:3:5: the override {said}"]
    assert f"  warning: {report.warnings[0]}" in str(report)


SAID_BY = [
    ("{instruction: Softmax, precision: f16}", "s", "f16, mine: the override {instruction: Softmax}, mine.yaml:4:5"),
    (
        "{instruction: MatMul, precision: f16}\n  - {name: 'm?', precision: f32}\n  - {name: d, precision: f32}",
        "mm",
        "f32, the policy says so of this instruction: {name: m?}, mine.yaml:5:5",
    ),
    (
        "{name: s, operand: input}",
        "s",
        "f32, the policy says so of this instruction: {name: s, operand: input}, mine.yaml:4:5",
    ),
    (
        "{operand: B, name: d}\n  - {instruction: Div, operand: 0}",
        "d",
        "f32, the policy says so of this instruction: {name: d, operand: B}, mine.yaml:4:5;"
        " {instruction: Div, operand: 0}, mine.yaml:5:5",
    ),
]


@pytest.mark.parametrize(("overrides", "node", "said"), SAID_BY)
def test_the_report_names_the_line_of_the_override_that_counts(
    overrides: str, node: str, said: str, tmp_path: Path
) -> None:
    found = policy_of(f"base: autocast-f16\nkinds: {{reduction: low}}\noverrides:\n  - {overrides}\n", tmp_path)
    _, report = passes.convert(load(read(MODEL, k=np.float32(3), w=np.eye(4, dtype=np.float32))), found)
    (line,) = [line for line in report.lines if line.value == node]
    assert f"{line.precision}, {line.reason}".replace(f"{tmp_path}/", "") == said


def test_an_override_without_a_file_is_told_by_what_it_is_about(tmp_path: Path) -> None:
    found = replace(AutocastF16, overrides=(Override(Precision.F32, "MatMul"),))
    _, report = passes.convert(load(read(MODEL, k=np.float32(3), w=np.eye(4, dtype=np.float32))), found)
    (line,) = [line for line in report.lines if line.value == "mm"]
    assert line.reason == "the policy says so of this instruction: {instruction: MatMul}"


@pytest.mark.parametrize("override", FITTING)
def test_an_override_that_fits_is_none(override: str, tmp_path: Path) -> None:
    assert report_of(override, tmp_path).warnings == []


def test_the_warning_is_said_by_the_driver(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy, program = tmp_path / "p.yaml", tmp_path / "p.txt"
    policy.write_text("base: autocast-f16\noverrides: [{name: q, instruction: graph.where, precision: f32}]\n")
    program.write_text(PROGRAM)
    assert main([str(program), "--policy", str(policy), "-o", str(tmp_path / "out.txt")]) == 0
    said = f"{policy}:2:13: the override {{instruction: graph.where, name: q}} fits nothing in this program"
    assert f"passes: warning: p: {said}" in capsys.readouterr().err
