"""What `python -m passes` tells of a run: programs between passes, statistics as text and as JSON."""

import json
import os
from pathlib import Path

import pytest

from passes.__main__ import main
from tests.passes.small_programs import CHAIN
from tests.passes.test_debugging_driver import TWO, said
from tests.passes.tiny_passes import register


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with two programs, and all tiny passes in the table."""
    register(monkeypatch)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.txt").write_text(TWO, encoding="utf-8")
    (tmp_path / "chain.txt").write_text(CHAIN, encoding="utf-8")
    return tmp_path


def test_the_program_around_passes_that_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["chain.txt", "--passes", "narrow,eliminate-casts", "-o", "out.txt"]
    assert main([*arguments, "--print-ir-before=narrow", "--print-ir-after=eliminate-casts,narrow"]) == 0
    titles = [line for line in said(capsys).splitlines() if line.startswith("//")]
    assert titles == ["// before narrow", "// after narrow", "// after eliminate-casts"]


def test_the_option_takes_no_file_for_its_value(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--print-ir-after", "chain.txt", "--passes", "counts", "--stats", "-o", "out.txt"]) == 0
    assert said(capsys).startswith("// after counts\ntarget trn2\n")


def test_only_what_changed_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["two.txt", "--passes", "counts,fold-copies-blindly,claims", "-o", "out.txt"]
    assert main([*arguments, "--print-ir-after-change"]) == 0
    changed = TWO.replace("%n: f32[4,8] = tensor_copy %a", "%n: f32[4,8] = tensor_copy %t").replace(
        "%b: f32[4,8] = tensor_copy %a", "%b: f32[4,8] = tensor_copy %t"
    )
    main_only = changed[changed.index("func @main") :]
    assert (
        said(capsys)
        == f"// after counts: no change\n// after fold-copies-blindly\n{main_only}// after claims: no change\n"
    )


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("--print-ir-before=narow", '--print-ir-before: there is no pass "narow"\nhelp: did you mean "narrow"?\n'),
        ("--print-ir-after=widen", '--print-ir-after: the pipeline does not run "widen"\nhelp: it runs "narrow" and '),
        ("--print-ir-after-change=narrow,", '--print-ir-after-change: there is no pass ""\nhelp: it runs "narrow" and'),
    ],
)
def test_passes_that_do_not_run(option: str, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chain.txt", "--passes", "narrow,counts", option]) == 2
    assert said(capsys).startswith(f"error[P015]: {expected}")


def test_statistics_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["two.txt", "--passes", "fold-copies,narrow,narrow", "-v", "--stats=s.json", "-o", "out.txt"]
    assert main(arguments) == 0
    assert said(capsys) == ""
    found = json.loads(Path("s.json").read_text())
    assert [(one["pass"], one["changed"]) for one in found["passes"]] == [
        ("fold-copies", False),
        ("narrow", True),
        ("narrow", False),
    ]
    reason = "a store to the tensor can run between the cast and a user of it"
    assert found["passes"][0]["kept"] == [
        {"statement": f"%{name}: f32[4,8] = tensor_copy %a", "function": "main", "reason": reason} for name in "nb"
    ]
    assert all(one["seconds"] >= 0 for one in found["passes"])
    narrowed = {"label": "Number of results narrowed", "unit": "count", "per_partition": False, "value": 3}
    assert found["totals"] == [narrowed]


def test_statistics_as_text_in_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chain.txt", "--passes", "eliminate-casts", "--stats=s.txt", "-o", "out.txt"]) == 0
    assert said(capsys) == ""
    line = "eliminate-casts: Number of bytes of casts eliminated: 32 bytes (per partition)"
    assert Path("s.txt").read_text().splitlines()[1] == line


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--stats=chain.txt"], "error[P014]: the statistics would overwrite chain.txt, which it is made from"),
        (["--stats=a", "-o", "./a"], "error[P014]: the statistics and the program would both be written to a"),
        (["--stats=none/s.json", "-o", "a"], "error[P011]: none/s.json cannot be written: no such folder"),
    ],
)
def test_statistics_that_cannot_be_written(
    arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["chain.txt", "--passes", "eliminate-casts", *arguments]) == 2
    assert said(capsys).startswith(expected)
    assert sorted(os.listdir()) == ["chain.txt", "two.txt"]


WIDE = """\
target trn2

func @main(%x: f32[4,8]) {
  %e: f32[4,8] = activation exp %x
  %t: f32[4,8] = activation tanh %e
  return %t
}
"""
GRAPH = """\
func @main(%x: f32[4,8], %w: f32[8,4]) {
  %c: f32[8,4] = graph.constant {value = dense<0.5>}
  %v: f32[8,4] = graph.binary add %w, %c
  %y: f32[4,4] = graph.matmul %x, %v
  return %y
}
"""


@pytest.mark.parametrize(("type", "last"), [("fp16", "65504, the last f16"), ("fp8_e4m3", "240, the last f8e4m3")])
def test_results_that_may_leave_the_range_are_named(type: str, last: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("wide.txt").write_text(WIDE)
    assert main(["wide.txt", "--passes", f"auto-cast-fp32{{mode=all type={type}}}", "-v"]) == 0
    changes = [line for line in capsys.readouterr().err.splitlines() if line.startswith("    changed to")]
    low = last.split()[-1]
    assert changes == [
        f"    changed to `%e: {low}[4,8] = activation exp %x` in @main: what activation gives may be beyond {last}"
    ]


@pytest.mark.parametrize("options", ["mode=all type=bf16", "mode=matmult type=fp16", "mode=none"])
def test_a_type_with_the_range_of_f32_and_what_stays_are_not(options: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("wide.txt").write_text(WIDE)
    assert main(["wide.txt", "--passes", f"auto-cast-fp32{{{options}}}", "-v"]) == 0
    assert "changed to" not in capsys.readouterr().err


def test_casts_of_the_graph_that_stay_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("graph.txt").write_text(GRAPH)
    assert main(["graph.txt", "--passes", "numeric-chain{mode=all}", "-v"]) == 0
    err = capsys.readouterr().err
    told = err.partition("auto-cast-fp32 ")[2].partition("dtype-mutator ")[2].splitlines()[1:]
    reasons = [line.partition(" in @main: ")[::2] for line in told]
    outside = "what it casts comes from outside of its block, in the dtype that it has there"
    assert sorted(reasons[:4]) == [
        ("    kept `%c_bf16: bf16[8,4] = graph.cast %c`", "the dtype of its result is what graph.constant is for"),
        ("    kept `%w_bf16: bf16[8,4] = graph.cast %w`", outside),
        ("    kept `%x_bf16: bf16[4,8] = graph.cast %x`", outside),
        (
            "    kept `%y_f32: f32[4,4] = graph.cast %y`",
            "an instruction of the graph gives the dtype of its operands, so graph.matmul does not give another one",
        ),
    ]


def test_every_counter_stands_with_the_name_of_its_pass(capsys: pytest.CaptureFixture[str]) -> None:
    label = "Number of load whose tensor type mutated: 0"
    assert main(["chain.txt", "--passes", "enforce-alu-dt-acc,dtype-mutator,dtype-mutator", "--stats"]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if label in line]
    assert lines == [f"enforce-alu-dt-acc: {label}", f"dtype-mutator: {label}"]
    assert main(["chain.txt", "--passes", "dtype-mutator,eliminate-casts", "--stats"]) == 0
    lines = [line.partition(": ")[0] for line in capsys.readouterr().err.splitlines() if ": " in line]
    assert set(lines) == {"dtype-mutator", "eliminate-casts"}


def test_bytes_that_are_counted_per_partition_say_so_and_no_others(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chain.txt", "--passes", "eliminate-dead-code,eliminate-casts", "--stats"]) == 0
    counters = [line for line in capsys.readouterr().err.splitlines() if " bytes" in line]
    assert [line for line in counters if "(per partition)" in line] == [
        "eliminate-casts: Number of bytes of casts eliminated: 32 bytes (per partition)"
    ]
    assert len(counters) == 2
    assert main(["chain.txt", "--passes", "eliminate-casts", "--stats=s.json"]) == 0
    (total,) = json.loads(Path("s.json").read_text())["totals"]
    label = "Number of bytes of casts eliminated"
    assert total == {"label": label, "unit": "bytes", "per_partition": True, "value": 32}
