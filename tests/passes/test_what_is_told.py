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
    assert found["totals"] == [{"label": "Number of results narrowed", "unit": "count", "value": 3}]


def test_statistics_as_text_in_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chain.txt", "--passes", "eliminate-casts", "--stats=s.txt", "-o", "out.txt"]) == 0
    assert said(capsys) == ""
    assert Path("s.txt").read_text().splitlines()[1] == "Number of bytes of casts eliminated: 32 bytes"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--stats=chain.txt"], "error[P014]: the statistics would overwrite chain.txt, which it is made from"),
        (["--stats=a", "-o", "./a"], "error[P014]: the statistics and the program would both be written to a"),
        (["--stats=none/s.json", "-o", "a"], "error[P011]: none/s.json cannot be written: No such file or directory"),
    ],
)
def test_statistics_that_cannot_be_written(
    arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["chain.txt", "--passes", "eliminate-casts", *arguments]) == 2
    assert said(capsys).startswith(expected)
    assert sorted(os.listdir()) == ["chain.txt", "two.txt"]
