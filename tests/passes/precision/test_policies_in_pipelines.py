"""A policy in a file is part of a pipeline, and a reproducer holds it, with all that is asked of its pass beside it."""

from pathlib import Path

import numpy as np
import pytest

import passes
from passes.__main__ import main
from passes.auto_mixed_precision import AutoMixedPrecision
from passes.build import build_pipeline
from passes.framework.options import describe_options
from passes.precision.embedded_policies import embedded_policies, policies_within
from passes.precision.policy import POLICIES, AutocastBf16
from runtime.diagnostics import DiagnosticsError
from runtime.functions import Function
from runtime.instruction_set import standard
from runtime.text.parser import parse

PROGRAM = """\
func @main(%x: f32[2,3], %w: f32[3,4], %v: f32[4,4]) {
  %y: f32[2,4] = graph.matmul %x, %w
  %s: f32[2,4] = graph.softmax %y axis 1
  %z: f32[2,4] = graph.matmul %s, %v
  %0: f32[2,4] = graph.matmul %z, %v
  %"50%s": f32[2,4] = graph.activation relu %0
  %"-s": f32[2,4] = graph.activation relu %0
  %"it's": f32[2,4] = graph.activation relu %0
  return %0
}
"""
MINE = """\
base: autocast-f16
low: bf16

overrides:
  - {instruction: graph.softmax, precision: low}  # "quoted" 'text', {braces}
"""
Said = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a program and policies."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.txt").write_text(PROGRAM)
    (tmp_path / "mine.yaml").write_text(MINE)
    return tmp_path


def converted(*words: str) -> str:
    assert main(["p.txt", "-o", "out.txt", *words]) == 0
    return Path("out.txt").read_text()


def save_large() -> None:
    """Write inputs that f16 does not hold."""
    x, w, v = np.full((2, 3), 1e5, np.float32), np.ones((3, 4), np.float32), 1e6 * np.eye(4, dtype=np.float32)
    np.savez("in.npz", x=x, w=w, v=v)


# In pipelines.


@pytest.mark.parametrize("name", [*POLICIES, "mine.yaml"])
def test_a_policy_is_the_same_in_a_pipeline(name: str) -> None:
    assert converted("--passes", f"auto-mixed-precision{{policy={name}}}") == converted("--policy", name)


def test_other_passes_come_behind_it_and_around_it() -> None:
    plain = converted("--policy", "mine.yaml")
    assert converted("--passes", "auto-mixed-precision{policy=mine.yaml}, share-casts") == plain
    assert converted("--passes", "fixpoint(auto-mixed-precision{policy=mine.yaml}, share-casts)") == plain
    assert "bf16" in plain and "f32[2,4] = graph.softmax" not in plain


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("keep=graph.softmax", ["--keep", "graph.softmax"]),
        ("keep=s|z", ["--keep", "s", "--keep", "z"]),
        ("keep-io=false", ["--no-keep-io"]),
        ("keep_io=true", []),
        ("keep=z* keep-io=false", ["--keep", "z*", "--no-keep-io"]),
    ],
)
def test_what_is_asked_beside_it_are_options_of_the_pass(options: str, words: list[str]) -> None:
    own = converted("--passes", f"auto-mixed-precision{{policy=mine.yaml {options}}}")
    assert own == converted("--policy", "mine.yaml", *words)
    assert not words or own != converted("--policy", "mine.yaml")


def test_options_of_the_pass_and_of_the_command_add_up() -> None:
    both = converted("--passes", "auto-mixed-precision{policy=mine.yaml keep=s}", "--keep", "z")
    assert both == converted("--policy", "mine.yaml", "--keep", "s", "--keep", "z")


@pytest.mark.parametrize(
    ("pipeline", "expected"),
    [
        ("auto-mixed-precision{policy=none.yaml}", "error[P055]: none.yaml cannot be read: No such file or directory"),
        ("auto-mixed-precision{policy=wrong.yaml}", "wrong.yaml:1:7: error[D015]"),
        ("auto-mixed-precision{policy=autocast-f61}", "--passes:1:29: error[P005]"),
        ("auto-mixed-precision{keep-io=maybe}", "--passes:1:30: error[P005]"),
        ("auto-mixed-precision{keep=sotfmax}", 'error[P066]: --keep: nothing in the program is called "sotfmax"'),
    ],
)
def test_mistakes_in_what_a_pipeline_names(pipeline: str, expected: str, capsys: Said) -> None:
    Path("wrong.yaml").write_text("base: autocats-f16\n")
    assert main(["p.txt", "--passes", pipeline]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(expected)


def test_near_names_of_policies_are_proposed(capsys: Said) -> None:
    assert main(["p.txt", "--passes", "auto-mixed-precision{policy=autocast-f61}"]) == 2
    assert '"autocast-f16"' in capsys.readouterr().err


def test_where_nothing_reads_files_that_is_said() -> None:
    with pytest.raises(DiagnosticsError, match='names the file "mine.yaml", and nothing here reads such files'):
        build_pipeline("auto-mixed-precision{policy=mine.yaml}")


def test_the_table_says_that_a_file_may_stand_there(capsys: Said) -> None:
    (option,) = (each for each in describe_options(AutoMixedPrecision.Options) if each.name == "policy")
    assert option.takes == "|".join([*POLICIES, "FILE.yaml"]) and option.values == tuple(POLICIES)
    assert main(["--list"]) == 0 and f"policy=autocast-f16 ({option.takes})" in capsys.readouterr().out


def test_a_sweep_reads_the_file_and_keeps_what_is_asked(capsys: Said) -> None:
    words = ["p.txt", "--passes", "auto-mixed-precision{policy=mine.yaml}", "--sweep=guards"]
    assert main(words) == 0
    plain = capsys.readouterr().out
    assert main([*words, "--keep", "*"]) == 0
    assert capsys.readouterr().out != plain


def test_a_sweep_keeps_what_was_measured(capsys: Said) -> None:
    save_large()
    words = ["p.txt", "--passes", "auto-mixed-precision", "--sweep=guards"]
    assert main([*words, "--keep", "*"]) == 0
    kept = capsys.readouterr().out
    assert main([*words, "--calibrate", "in.npz"]) == 0
    assert capsys.readouterr().out == kept, "all of it is too large"


# In reproducers.


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the precision pass fail, and say by what it was led, wherever the word comes from."""

    def fail(self: AutoMixedPrecision, f: Function) -> bool:
        policy = self.policy
        raise LookupError(f"{policy.low} {policy.overrides} {sorted(self.requests.keep)} {self.requests.keep_io}")

    monkeypatch.setattr(AutoMixedPrecision, "transformStmts", fail)


def failure_of(words: list[str], capsys: Said) -> str:
    assert main(words) == 1
    err = capsys.readouterr().err
    return next(line for line in err.splitlines() if "LookupError" in line)


ASKED = [
    ["--policy", "mine.yaml"],
    ["--policy", "MINE.yaml"],
    ["--policy", "my folder/own (1), a=b.yaml"],
    ["--passes", "auto-mixed-precision{policy=mine.yaml keep=s keep-io=false}"],
    ["--passes", "eliminate-casts, fixpoint(share-casts, auto-mixed-precision{policy=sub/mine.yaml})"],
    ["--policy", "mine.yaml", "--keep", "graph.*", "--keep=z", "--no-keep-io"],
    ["--policy", "autocast-bf16", "--no-keep-io"],
    ["--policy", "autocast-bf16", "--keep=*%s", "--keep=-s", "--keep=it's"],
]


@pytest.mark.usefixtures("failing")
@pytest.mark.parametrize("words", ASKED)
@pytest.mark.parametrize("further", [[], ["--bisect"]])
def test_a_reproducer_needs_no_other_file(
    words: list[str], further: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Said
) -> None:
    files = [Path("mine.yaml"), Path("MINE.yaml"), Path("sub/mine.yaml"), Path("my folder/own (1), a=b.yaml")]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.write_text(MINE)
    expected = failure_of(["p.txt", *words, "--reproducer", "r.txt", *further], capsys)
    for file in files:
        file.unlink(missing_ok=True)
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    Path("r.txt").rename(elsewhere / "moved.txt")
    monkeypatch.chdir(elsewhere)
    assert failure_of(["moved.txt", "--run-reproducer"], capsys) == expected
    assert str(tmp_path) not in Path("moved.txt").read_text().splitlines()[0]
    again = failure_of(["moved.txt", "--run-reproducer", "--bisect", "--reproducer", "again.txt"], capsys)
    assert again == expected and failure_of(["again.txt", "--run-reproducer"], capsys) == expected


@pytest.mark.usefixtures("failing")
def test_policies_of_one_name_are_told_apart(capsys: Said) -> None:
    for name, low in (("a", "f16"), ("b", "bf16")):
        Path(name).mkdir()
        Path(name, "mine.yaml").write_text(f"low: {low}\n")
    both = "fixpoint(auto-mixed-precision{policy=a/mine.yaml}, auto-mixed-precision{policy=b/mine.yaml})"
    failure_of(["p.txt", "--passes", both, "--reproducer", "r.txt"], capsys)
    texts = policies_within("r.txt")
    assert texts == {"mine.yaml": "low: f16\n"}
    failure_of(["p.txt", "--policy", "b/mine.yaml", "--reproducer", "s.txt"], capsys)
    assert policies_within("s.txt") == {"mine.yaml": "low: bf16\n"}


@pytest.mark.usefixtures("failing")
def test_what_was_measured_is_held_as_what_it_led_to(capsys: Said) -> None:
    save_large()
    words = ["p.txt", "--policy", "autocast-f16", "--calibrate", "in.npz", "--reproducer", "r.txt"]
    failure_of(words, capsys)
    Path("in.npz").unlink()
    found = failure_of(["r.txt", "--run-reproducer"], capsys)
    for kept in ("y", "s", "z", "measured_1"):  # %y reads %x, %s reads %y, and the two others read %v
        assert f"'{kept}'" in found


def test_the_text_of_a_policy_is_held_as_it_is(tmp_path: Path) -> None:
    texts = {"a.yaml": MINE, "b.yaml": "low: f16\n\n", "c-ä.yml": '# é\nlow: "f16" | \n'}
    (tmp_path / "p.txt").write_text("\n".join([*embedded_policies(texts), PROGRAM]), encoding="utf-8")
    assert policies_within("p.txt") == texts
    stripped = [line.rstrip() for line in embedded_policies({"b.yaml": "low: f16\n\n# end\n"})]
    (tmp_path / "p.txt").write_text("\n".join([*stripped, PROGRAM]))
    assert policies_within("p.txt") == {"b.yaml": "low: f16\n\n# end\n"}
    assert parse((tmp_path / "p.txt").read_text(), standard()).functions


# In Python.


def test_convert_takes_what_is_kept() -> None:
    module = parse(PROGRAM, standard())
    plain, _ = passes.convert(module, AutocastBf16)
    kept, report = passes.convert(module, "autocast-bf16", keep=["z"], keep_io=False)
    dtypes = {inst.name: str(inst.type.dtype) for inst in kept.insts if inst.name in ("y", "z")}
    assert dtypes == {"y": "bf16", "z": "f32"} and "asked for with the pattern" in str(report)
    assert str(kept.root_function.args[0].type.dtype) == "bf16"
    assert str(plain.root_function.args[0].type.dtype) == "f32"


def test_what_convert_refuses() -> None:
    module = parse(PROGRAM, standard())
    with pytest.raises(DiagnosticsError, match='nothing in the program is called "sotfmax"'):
        passes.convert(module, keep=["sotfmax"])
    with pytest.raises(TypeError, match="takes several patterns"):
        passes.convert(module, keep="softmax")
    with pytest.raises(TypeError, match=r"convert takes a module, .* not 'model\.onnx'$"):
        passes.convert("model.onnx")  # type: ignore[arg-type]


@pytest.mark.usefixtures("failing")
def test_patterns_beside_a_reproducer_must_mean_something(capsys: Said) -> None:
    failure_of(["p.txt", "--policy", "autocast-bf16", "--keep", "z", "--reproducer", "r.txt"], capsys)
    assert main(["r.txt", "--run-reproducer", "--keep", "sotfmax"]) == 2
    assert capsys.readouterr().err.startswith('error[P066]: --keep: nothing in the program is called "sotfmax"')
    assert "['s', 'z']" in failure_of(["r.txt", "--run-reproducer", "--keep", "s"], capsys)


@pytest.mark.usefixtures("failing")
def test_patterns_of_a_reproducer_that_mean_nothing_any_more_are_told(capsys: Said) -> None:
    failure_of(["p.txt", "--policy", "autocast-bf16", "--keep", "z", "--reproducer", "r.txt", "--bisect"], capsys)
    assert main(["r.txt", "--run-reproducer"]) == 1
    warning = 'passes: warning: --keep: nothing in what r.txt holds is called "z"\n'
    assert capsys.readouterr().err.startswith(warning)
