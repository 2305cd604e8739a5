"""`--auto-cast` and `--auto-cast-type`, as a user meets them."""

from pathlib import Path

import pytest

from passes.command_line import main

PROGRAM = """\
target trn2

func @main(%x: f32[4,8]) {
  %p: f32[8,8] = matmul %x, %x
  return %p
}
"""


def run(tmp_path: Path, *arguments: str) -> int:
    source = tmp_path / "program.txt"
    source.write_text(PROGRAM, encoding="utf-8")
    return main([str(source), *arguments])


@pytest.mark.parametrize(
    ("arguments", "dtype"),
    [
        ((), "bf16"),
        (("--auto-cast-type", "fp16"), "f16"),
        (("--auto-cast-type", "tf32"), "f32r"),
        (("--auto-cast-type", "fp8_e4m3"), "f8e4m3"),
    ],
)
def test_the_operands_of_products_are_cast(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], dtype: str
) -> None:
    assert run(tmp_path, "--auto-cast", "matmult", *arguments) == 0
    assert f"%x_{dtype}: {dtype}[4,8] = tensor_copy %x\n" in capsys.readouterr().out


def test_none_changes_nothing_and_passes_come_after(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "--auto-cast", "none", "--auto-cast-type", "fp16") == 0
    assert capsys.readouterr().out == PROGRAM
    assert run(tmp_path, "--auto-cast", "all", "--passes", "eliminate-casts", "--stats") == 0
    said = capsys.readouterr().err
    assert said.index("auto-cast-fp32") < said.index("eliminate-casts") and "Number of casts inserted: 1" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--auto-cast", "matmul"), 'error[P020]: no auto-cast mode is called "matmul"\nhelp: did you mean "matmult"?'),
        (
            ("--auto-cast", "all", "--auto-cast-type", "bf61"),
            'error[P020]: no auto-cast type is called "bf61"\nhelp: did you mean "bf16"?',
        ),
        (
            ("--auto-cast-type", "fp16"),
            "error[P020]: --auto-cast-type fp16 says to which float, and nothing says what is cast\n"
            "help: add --auto-cast matmult, or all",
        ),
    ],
)
def test_mistakes(tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str) -> None:
    assert run(tmp_path, *arguments) == 2
    assert said in capsys.readouterr().err
