"""`--auto-cast` and `--auto-cast-type`, as a user meets them."""

from pathlib import Path

import pytest

from passes.__main__ import main as run_driver
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
        (("--auto-cast-type", "f16"), "f16"),
        (("--auto-cast-type", "float16"), "f16"),
        (("--auto-cast-type", "bfloat16"), "bf16"),
        (("--auto-cast-type", "f32r"), "f32r"),
        (("--auto-cast-type", "f8e4m3"), "f8e4m3"),
        (("--auto-cast-type", "f8e4m3", "--passes", "numeric-chain"), "f8e4m3"),
    ],
)
def test_the_operands_of_products_are_cast(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], dtype: str
) -> None:
    assert run(tmp_path, "--auto-cast", "matmult", *arguments) == 0
    assert f"%x_{dtype}: {dtype}[4,8] = tensor_copy %x\n" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["numeric-chain{mode=matmult type=$}", "auto-cast-tc-inputs{type=$}"])
@pytest.mark.parametrize(
    ("type", "dtype"), [("f16", "f16"), ("f8e4m3", "f8e4m3"), ("f32r", "f32r"), ("bfloat16", "bf16")]
)
def test_options_of_passes_take_the_words_of_the_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, type: str, dtype: str
) -> None:
    assert run(tmp_path, "--passes", name.replace("$", type)) == 0
    assert f"%x_{dtype}: {dtype}[4,8] = tensor_copy %x\n" in capsys.readouterr().out


@pytest.mark.parametrize("type", ["f8e4m3fn", "f8e5m2", "f8", "f32", "F16"])
def test_words_that_mean_another_type_or_none(tmp_path: Path, capsys: pytest.CaptureFixture[str], type: str) -> None:
    assert run(tmp_path, "--auto-cast", "all", "--auto-cast-type", type) == 2
    assert f'error[P020]: no auto-cast type is called "{type}"' in capsys.readouterr().err
    assert run(tmp_path, "--passes", f"numeric-chain{{mode=all type={type}}}") == 2
    assert f'option "type" takes bf16|fp16|tf32|fp8_e4m3, not "{type}"' in capsys.readouterr().err


def test_none_changes_nothing_and_passes_come_after(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "--auto-cast", "none", "--auto-cast-type", "fp16") == 0
    assert capsys.readouterr().out == PROGRAM
    assert run(tmp_path, "--auto-cast", "all", "--passes", "eliminate-casts", "--stats") == 0
    said = capsys.readouterr().err
    assert said.index("auto-cast-fp32") < said.index("eliminate-casts") and "Number of casts inserted: 1" in said


def test_a_pipeline_that_casts_gets_the_mode_and_casts_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--auto-cast", "matmult", "--auto-cast-type", "fp16")
    assert run(tmp_path, *given, "--passes", "numeric-chain", "--stats") == 0
    out, err = capsys.readouterr()
    assert "%x_f16: f16[4,8] = tensor_copy %x\n" in out
    ran = [line.split()[0] for line in err.splitlines() if " ms  " in line]
    assert ran.count("auto-cast-fp32") == 1 and {"dtype-mutator", "eliminate-casts"} < {*ran}
    assert run(tmp_path, "--auto-cast", "matmult", "--passes", "numeric-chain{type=fp16}") == 0
    assert capsys.readouterr().out == out


@pytest.mark.parametrize("pipeline", ["numeric-chain", "numeric-chain{type=fp16}", "auto-cast-fp32, eliminate-casts"])
def test_a_pipeline_without_a_mode_says_that_it_narrows_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], pipeline: str
) -> None:
    assert run(tmp_path, "--passes", pipeline) == 0
    assert capsys.readouterr().err == (
        "passes: warning: auto-cast-fp32 narrows nothing, since it is given no mode; give it mode=matmult, mode=all, or"
        " mode=none\n"
    )


@pytest.mark.parametrize("pipeline", ["numeric-chain{mode=none}", "auto-cast-fp32{mode=none}", "eliminate-casts"])
def test_who_asks_for_nothing_is_told_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], pipeline: str
) -> None:
    assert run(tmp_path, "--passes", pipeline) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("--auto-cast", "all", "--passes", "numeric-chain{mode=all}"),
            "error[P016]: --auto-cast and --passes both say the mode of auto-cast-fp32; leave one of them out",
        ),
        (
            ("--auto-cast", "all", "--auto-cast-type", "bf16", "--passes", "numeric-chain{type=bf16}"),
            "error[P016]: --auto-cast-type and --passes both say the type of auto-cast-fp32; leave one of them out",
        ),
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


MODEL = """\
func @main(%x: f32[4,8]) opset {"ai.onnx" = 17} {
  %w: f32[8,4] = onnx.initializer {value = dense<0.5>}
  %y: f32[4,4] = onnx.node "ai.onnx::MatMul" %x, %w
  return %y
}
"""
STAYS = (
    "passes: warning: {}: @main stays as it is, since it holds nodes of ONNX only; use --policy for those, autocast-f16"
    " for one\n"
)


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (("--passes", "numeric-chain{mode=all}"), "auto-cast-fp32"),
        (("--passes", "numeric-chain"), "auto-cast-fp32"),
        (("--passes", "fixpoint(numeric-chain{mode=matmult type=fp16})"), "auto-cast-fp32"),
        (("--auto-cast", "matmult"), "auto-cast-fp32"),
        (("--passes", "auto-cast-tc-inputs, auto-cast-inputs"), "auto-cast-tc-inputs and auto-cast-inputs"),
        (("--passes", "numeric-chain{mode=all}", "--policy", "autocast-f16"), "auto-cast-fp32"),
        (("--passes", "numeric-chain{mode=none}"), None),
        (("--passes", "numeric-chain", "--auto-cast", "none"), None),
        (("--passes", "eliminate-casts"), None),
        (("--policy", "autocast-f16"), None),
    ],
)
def test_a_model_is_said_to_stay_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], names: str | None
) -> None:
    source = tmp_path / "model.txt"
    source.write_text(MODEL, encoding="utf-8")
    assert run_driver([str(source), *arguments]) == 0
    printed = capsys.readouterr()
    assert printed.err == ("" if names is None else STAYS.format(names))
    assert ("--policy" in arguments) != (printed.out == MODEL)


def test_a_program_with_an_instruction_of_the_graph_beside_nodes_is_narrowed_in_silence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "mixed.txt"
    source.write_text(MODEL.replace("return %y", "%z: f32[4,4] = graph.matmul %y, %y\n  return %z"), encoding="utf-8")
    assert run_driver([str(source), "--passes", "numeric-chain{mode=all}"]) == 0
    printed = capsys.readouterr()
    assert printed.err == "" and "bf16" in printed.out


def test_a_local_function_of_nodes_is_one_of_several(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "two.txt"
    source.write_text(f"{MODEL.replace('@main', '@local')}\n{MODEL}", encoding="utf-8")
    assert run_driver([str(source), "--passes", "numeric-chain{mode=all}"]) == 0
    assert "auto-cast-fp32: @local and 1 more stay" in capsys.readouterr().err
