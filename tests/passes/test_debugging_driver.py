"""`python -m passes` where passes go wrong: numerics, reproducers, bisection."""

import os
import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from passes.__main__ import main
from passes.auto_mixed_precision import AutoMixedPrecision
from runtime.array_files import write_arrays
from runtime.bir import bir_text
from runtime.instruction_set import standard
from runtime.text.parser import parse
from tests.passes.small_programs import CHAIN, chain
from tests.passes.tiny_passes import register

TWO = """\
func @other(%q: f32[4,8]) {
  %r: f32[4,8] = activation relu %q
  return %r
}

func @main(%x: f32[4,8], %z: f32[4,8]) {
  tensor %t: f32[4,8] sbuf
  %t = tensor_copy %x
  %a: f32[4,8] = tensor_copy %t
  %n: f32[4,8] = tensor_copy %a
  %m: f32[4,8] = activation tanh %n
  %t = activation relu %z
  %b: f32[4,8] = tensor_copy %a
  %c: f32[4,8] = activation relu %b
  return %m, %c
}
"""
"""A fold of copies is right for %n and wrong for %b."""

FOLD = ["--passes", "eliminate-casts, fold-copies-blindly", "--verify-numerics"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with programs, and all tiny passes in the table."""
    register(monkeypatch)
    monkeypatch.chdir(tmp_path)
    for name, text in (("two.txt", TWO), ("chain.txt", CHAIN), ("chain.bir", bir_text(chain()))):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def said(capsys: pytest.CaptureFixture[str]) -> str:
    out, err = capsys.readouterr()
    assert out == ""
    return err


def save_model(path: Path) -> None:
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", 3]) for name in "xy"]
    weight = numpy_helper.from_array(np.linspace(0.1, 0.9, 9, dtype=np.float32).reshape(3, 3), "w")
    nodes = [helper.make_node("MatMul", ["x", "w"], ["m"]), helper.make_node("Tanh", ["m"], ["y"])]
    graph = helper.make_graph(nodes, "g", infos[:1], infos[1:], [weight])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


# Numerics.

VERIFIED = "passes: numerics verified: {} changed the program, and no result but by the roundings that are stated; on "
GENERATED = "generated inputs, ordinary values, seed 0 and generated inputs, special values, seed 0"


@pytest.mark.parametrize("file", ["chain.txt", "chain.bir"])
def test_a_pass_that_does_what_it_says(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([file, "--passes", "eliminate-casts,narrow", "--verify-numerics", "-o", "out.txt"]) == 0
    assert said(capsys) == f"{VERIFIED.format('2 passes ran, 2')}{GENERATED}\n" and Path("out.txt").exists()


@pytest.mark.parametrize("file", ["chain.txt", "chain.bir"])
def test_a_pass_that_does_not(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([file, "--passes", "eliminate-casts,narrow-secretly", "--verify-numerics", "-o", "out.txt"]) == 1
    err = said(capsys)
    assert err.startswith("passes: error: the pass narrow-secretly does not do what it says of itself:\n\nerror[P030]")
    assert err.endswith(
        "help: --reproducer DIR writes the program before this pass and the command that fails; "
        "--bisect makes it small\n"
    )
    assert not Path("out.txt").exists()


def test_a_model_is_run_by_its_evaluator(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_model(folder / "m.onnx")
    assert main(["m.onnx", "--policy", "autocast-f16", "--verify-numerics", "-o", "out.onnx"]) == 0
    assert main(["m.onnx", "-o", "m.txt"]) == 0
    assert main(["m.txt", "--policy", "autocast-bf16", "--verify-numerics", "-o", "out.txt"]) == 0
    write_arrays("x.npz", {"x": np.ones((5, 3), np.float32)})
    assert main(["m.txt", "--policy", "autocast-bf16", "--verify-numerics", "x.npz", "-o", "out.txt"]) == 0
    verified = VERIFIED.format("1 pass ran, 1")
    assert said(capsys).splitlines() == [verified + on for on in (GENERATED, GENERATED, "the inputs given")]


def test_a_model_that_a_pass_changes_secretly(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(AutoMixedPrecision, "_round", lambda self, value: None)
    save_model(folder / "m.onnx")
    assert main(["m.onnx", "--policy", "autocast-f16", "--verify-numerics", "--bisect", "--reproducer", "r.txt"]) == 1
    err = said(capsys)
    assert "error[P030]: result 0 of @main: [0,0] was " in err
    assert "passes: bisect: its rewrite 1, in @main, is the first that fails" in err
    assert main(["r.txt", "--run-reproducer"]) == 1
    assert "error[P030]" in said(capsys)


def test_inputs_from_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    write_arrays("zero.npz", {"x": np.zeros((4, 8), np.float32)})
    write_arrays("one.npz", {"x": np.full((4, 8), 1.1, np.float32)})
    arguments = ["chain.txt", "--passes", "narrow-secretly", "-o", "out.txt"]
    assert main([*arguments, "--verify-numerics", "zero.npz"]) == 0
    assert main([*arguments, "--verify-numerics=one.npz"]) == 1
    assert "32 of 32 elements differ, on the inputs given" in said(capsys)


@pytest.mark.parametrize(
    ("arrays", "expected"),
    [
        ({"y": np.zeros((4, 8), np.float32)}, 'error[P032]: argument "x": f32[4,8] is missing\n'),
        ({"x": np.zeros((4, 7), np.float32)}, 'error[P032]: argument "x": f32[4,8] is given the shape [4,7]\n'),
        (
            {"x": np.zeros((4, 8), np.int32)},
            'error[P032]: argument "x": f32[4,8] is given elements of int32\nhelp: f32 is float32\n',
        ),
    ],
)
def test_inputs_that_do_not_fit(
    arrays: dict[int | str, object], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_arrays("x.npz", arrays)
    assert main(["chain.txt", "--passes", "narrow", "--verify-numerics", "x.npz"]) == 2
    assert said(capsys).startswith(expected)


def test_inputs_that_cannot_be_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "broken.npz").write_bytes(b"PK no archive")
    for value, expected in (
        ("none.npz", "error[R001]: none.npz cannot be read: No such file or directory"),
        ("broken.npz", "error[R001]: broken.npz cannot be read: "),
        ("none.txt", "error[P032]: none.txt cannot be read: No such file or directory"),
        ("chain.txt", "error[P032]: chain.txt holds no inputs\nhelp: inputs are a .npz, or a .npy as NAME=FILE"),
    ):
        assert main(["chain.txt", "--passes", "narrow", f"--verify-numerics={value}"]) == 2
        assert said(capsys).startswith(expected)


def test_a_program_that_cannot_be_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "o.txt").write_text('func @main(%x: f32[2]) {\n  %p: f32[2] = opaque "a.b" %x\n  return %p\n}\n')
    arguments = ["o.txt", "--passes", "narrow", "--verify-numerics", "-o", "out.txt"]
    assert main(arguments) == 2
    assert said(capsys).startswith("error[P033]: the program cannot be run, so its numerics cannot be verified: ")
    assert not Path("out.txt").exists()
    assert main([*arguments, "--numerics-if-possible"]) == 0
    assert said(capsys).startswith("passes: warning: numerics are not verified: error[P033]: the program cannot")
    assert Path("out.txt").exists()


# Reproducers.


def test_a_reproducer_fails_again_wherever_it_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkdir("found")
    assert main(["two.txt", *FOLD, "--seed", "3", "--reproducer", "found"]) == 1
    first = said(capsys)
    assert first.endswith(
        "passes: found/fold-copies-blindly-1.txt has the program before the pass; "
        "python -m passes found/fold-copies-blindly-1.txt --run-reproducer\n"
    )
    text = Path("found/fold-copies-blindly-1.txt").read_text()
    assert text.startswith("// run: python -m passes %s --passes fold-copies-blindly --verify-numerics --seed 3\n")
    assert text.endswith(TWO)
    shutil.move("found/fold-copies-blindly-1.txt", "elsewhere and %s.txt")
    assert main(["elsewhere and %s.txt", "--run-reproducer"]) == 1
    assert said(capsys).splitlines()[:5] == first.splitlines()[:5]


def test_a_reproducer_holds_the_inputs_that_were_given(capsys: pytest.CaptureFixture[str]) -> None:
    write_arrays("one.npz", {"x": np.full((4, 8), 1.1, np.float32)})
    arguments = ["chain.txt", "--passes", "narrow-secretly", "--verify-numerics", "one.npz", "--reproducer", "r.txt"]
    assert main(arguments) == 1
    os.unlink("one.npz")
    text = Path("r.txt").read_text()
    assert text.startswith("// run: python -m passes %s --passes narrow-secretly --verify-numerics=%s\n")
    assert "\n// inputs: " in text
    capsys.readouterr()
    assert main(["r.txt", "--run-reproducer"]) == 1
    assert "32 of 32 elements differ, on the inputs given" in said(capsys)


@pytest.mark.parametrize("name", ["gives-up", "breaks", "fixpoint{rounds=2}(never-done)"])
def test_whatever_fails_has_a_reproducer(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["two.txt", "--passes", f"eliminate-casts,{name}", "--reproducer", "."]) == 1
    err = said(capsys)
    (file,) = Path().glob("*-1.txt")
    assert file.read_text().endswith(TWO), "the program before the failing step"
    assert main([str(file), "--run-reproducer"]) == 1
    assert said(capsys).splitlines()[0] == err.splitlines()[0]


def test_a_limit_of_rewrites_counts_on_in_the_reproducer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["two.txt", "--passes", "never-done,gives-up", "--rewrite-limit", "9", "--reproducer", "r.txt"]) == 1
    assert Path("r.txt").read_text().startswith("// run: python -m passes %s --passes gives-up --rewrite-limit 5\n")
    assert main(["two.txt", "--passes", "never-done,gives-up", "--rewrite-limit", "5", "-o", "out.txt"]) == 0
    capsys.readouterr()


def test_nothing_is_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in (1, 2):
        assert main(["two.txt", *FOLD, "--reproducer", "."]) == 1
        assert f"passes: ./fold-copies-blindly-{number}.txt has the program" in said(capsys)
    assert main(["two.txt", *FOLD, "--reproducer", "chain.txt"]) == 2
    assert said(capsys) == (
        "error[P017]: no reproducer can be written to chain.txt: it is there already, and nothing is overwritten\n"
    )
    assert Path("chain.txt").read_text() == CHAIN


@pytest.mark.parametrize("place", ["none/r.txt", "none/"])
def test_a_place_that_is_not_there_is_said_before_anything_runs(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no_such_program.txt", *FOLD, "--reproducer", place]) == 2
    assert said(capsys) == f"error[P017]: no reproducer can be written to {place}: no such folder\n"


def test_a_folder_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkdir("closed")
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert main(["two.txt", *FOLD, "--reproducer", "closed"]) == 2
    assert said(capsys) == "error[P017]: no reproducer can be written to closed: the folder is not writable\n"


def test_without_a_failure_there_is_none(folder: Path) -> None:
    assert main(["two.txt", "--passes", "eliminate-casts", "--reproducer", "r.txt", "-o", "out.txt"]) == 0
    assert not Path("r.txt").exists()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "func @main() {\n  return\n}\n",
            'error[P018]: r.txt is no reproducer: its first line does not begin with "// run:"',
        ),
        ("", "error[P018]: r.txt is no reproducer: its first line does not begin with"),
        (
            "// run: rm -r .\n",
            'error[P018]: r.txt is no reproducer: its command does not begin with "python -m passes %s"',
        ),
        (
            "// run: python -m passes %s 'x\n",
            "error[P018]: r.txt is no reproducer: its first line cannot be read: no clos",
        ),
        ("// run: python -m passes %s --passes nonsense\nfunc @main() {\n}\n", "--passes:1:1: error[P002]"),
    ],
)
def test_files_that_are_no_reproducers(
    text: str, expected: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "r.txt").write_text(text)
    assert main(["r.txt", "--run-reproducer"]) == 2
    assert said(capsys).startswith(expected)


def test_a_reproducer_that_is_not_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["r.txt", "--run-reproducer"]) == 2
    assert said(capsys) == "error[P010]: r.txt cannot be read: No such file or directory\n"
    (folder / "r.txt").write_bytes(b"\xff\xfe")
    assert main(["r.txt", "--run-reproducer"]) == 2
    assert said(capsys) == "error[P010]: r.txt cannot be read: it is no text\n"


# Bisection.


def test_the_pass_the_rewrite_and_the_smallest_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["two.txt", *FOLD, "--bisect"]) == 1
    out, err = capsys.readouterr()
    found = err[err.index("passes: bisect") :].splitlines()
    assert found[:5] == [
        "passes: bisect: fold-copies-blindly is the first whose effect fails",
        "passes: bisect: its rewrite 2, in @main, is the first that fails:",
        "    --rewrite-limit 2 fails, --rewrite-limit 1 does not",
        "    - %b: f32[4,8] = tensor_copy %a",
        "    + %b: f32[4,8] = tensor_copy %t",
    ]
    assert found[5].startswith(
        "passes: bisect: cut from 8 statements in 2 functions down to 4 statements in 1 function"
    )
    head, _, program = out.partition("\n\n")
    module = parse(program, standard())
    assert list(module.functions) == ["main"] and len(list(module.insts)) == 5
    Path("small.txt").write_text(out)
    assert main(["small.txt", "--run-reproducer"]) == 1
    assert "error[P030]" in said(capsys)


def test_with_a_file_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["two.txt", *FOLD, "--bisect", "--reproducer", "small.txt"]) == 1
    assert "passes: small.txt has the program before the pass" in said(capsys)
    assert "@other" not in Path("small.txt").read_text()


def test_given_inputs_are_cut_with_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    write_arrays("in.npz", {"x": np.full((4, 8), 1.5, np.float32), "z": np.full((4, 8), -2.0, np.float32)})
    assert main(["two.txt", *FOLD, "in.npz", "--bisect", "--reproducer", "small.txt"]) == 1
    capsys.readouterr()
    assert main(["small.txt", "--run-reproducer"]) == 1
    assert "[0,0] was 1.5 (0x3fc00000) and is " in said(capsys)


def test_without_a_failure_the_result_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["two.txt", "--passes", "eliminate-casts", "--bisect"]) == 0
    assert capsys.readouterr() == (TWO, "")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--seed", "1"], "--seed is for --verify-numerics"),
        (["--numerics-if-possible"], "--numerics-if-possible is for --verify-numerics"),
        (["--verify-numerics", "x.npz", "--seed", "1"], "--seed is for inputs that are generated, and x.npz is given"),
        (["--bisect", "--rewrite-limit", "3"], "--bisect looks for the rewrite limit by itself"),
    ],
)
def test_options_that_do_not_go_together(
    arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["two.txt", "--passes", "narrow", *arguments]) == 2
    assert said(capsys).startswith(f"error[P016]: {expected}")


def test_options_for_passes_without_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["two.txt", "--bisect", "--reproducer", "r", "--verify-numerics"]) == 2
    assert [line.partition(" is for")[0] for line in said(capsys).split("\n\n")] == [
        "error[P016]: --bisect",
        "error[P016]: --reproducer",
        "error[P016]: --verify-numerics",
    ]


@pytest.mark.parametrize("option", ["--passes", "--policy", "--target", "--output", "--reproducer", "--stats"])
def test_an_option_that_is_given_twice(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit:
        main(["two.txt", f"{option}=a", f"{option}=b"])
    assert exit.value.code == 2 and f"{option}: given twice" in capsys.readouterr().err
