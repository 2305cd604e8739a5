"""The driver as a user meets it: files in and out, what is printed where, and exit statuses."""

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

import passes.__main__ as driver
from passes.command_line import main
from passes.framework.dot_transform import DotTransform, TransformError
from passes.pipelines import PIPELINES
from passes.registry import PASSES
from runtime.bir import bir_text, read_bir
from runtime.command_line import main as run_programs
from runtime.dtypes import i32
from runtime.functions import Function
from runtime.instruction_set import standard
from runtime.text.printer import print_module
from runtime.wrappers.TensorCopyOp import TensorCopyOp
from tests.passes.small_programs import CHAIN, chain
from tests.tree import ROOT

RESULT = """\
target trn2

func @main(%x: f32[4,8]) {
  %p: f32[4,8] = activation relu %x
  %u: f32[4,8] = activation tanh %p
  return %u
}
"""


class Breaks(DotTransform):
    """Break the program."""

    pass_name = "breaks"

    def transformStmts(self, f: Function) -> bool:
        for inst in f.insts:
            if inst.results:
                inst.mutateDstTy(i32)
        return True


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.txt"
    path.write_text(CHAIN, encoding="utf-8")
    return path


def test_text_in_text_out(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(program), "--passes", "eliminate-casts"]) == 0
    assert capsys.readouterr() == (RESULT, "")


def test_without_passes_the_program_is_checked_and_printed(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(program)]) == 0
    assert capsys.readouterr() == (CHAIN, "")


@pytest.mark.parametrize("ending", ["bir", "json", "JSON"])
def test_bir_by_its_ending(program: Path, tmp_path: Path, ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    inner, outer = tmp_path / f"in.{ending}", tmp_path / f"out.{ending}"
    inner.write_text(bir_text(chain()), encoding="utf-8")
    assert main([str(inner), "--passes", "eliminate-casts", "-o", str(outer)]) == 0
    assert capsys.readouterr() == ("", "")
    assert print_module(read_bir(outer, standard())) == RESULT


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(CHAIN.encode())))
    assert main(["-", "--passes", "eliminate-casts"]) == 0
    assert capsys.readouterr().out == RESULT


def test_statistics_have_label_and_unit(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(program), "--passes", "eliminate-casts,eliminate-casts", "--stats"]) == 0
    first, second, counter = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"eliminate-casts +\d+\.\d{3} ms  changed", first)
    assert re.fullmatch(r"eliminate-casts +\d+\.\d{3} ms  unchanged", second)
    assert counter == "eliminate-casts: Number of bytes of casts eliminated: 32 bytes (per partition)"


def test_the_program_before_and_after(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(program), "--passes", "eliminate-casts", "--print-ir-before", "--print-ir-after"]) == 0
    assert capsys.readouterr().err == f"// before eliminate-casts\n{CHAIN}// after eliminate-casts\n{RESULT}"


def test_the_list_of_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if not line.startswith(" ")] == [*PASSES, *PIPELINES, "--policy"]
    assert "    allow_excess_precision=false (bool): also remove" in out
    assert re.search(r"^    auto-mixed +f32 +f16 +f16 +f32 +not looked at +by kind, too$", out, re.MULTILINE)
    of_chain = out.partition("\nnumeric-chain\n")[2]
    assert "    mode=none (none|matmult|all): what is narrowed [auto-cast-fp32]\n" in of_chain
    assert "    allow_excess_precision=false (bool): also remove roundings that" in of_chain


def test_the_target_of_the_command_line_comes_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "big.txt"
    path.write_text(
        "target trn2\n\nfunc @main(%x: f32[1,40000]) {\n  tensor %t: bf16[1,40000] sbuf\n  %t = activation relu %x\n"
        "  %c: f32[1,40000] = tensor_copy %t\n  %u: f32[1,40000] = activation tanh %c\n  return %u\n}\n",
        encoding="utf-8",
    )
    assert main([str(path), "--passes", "eliminate-casts"]) == 0
    assert "%c" not in capsys.readouterr().out
    assert main([str(path), "--passes", "eliminate-casts", "--target", "INF1"]) == 0
    out = capsys.readouterr().out
    assert "%c" in out and out.startswith("target inf1\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--passes", "eliminate-cast"], '--passes:1:1: error[P002]: there is no pass "eliminate-cast"'),
        (["--target", "trn9"], 'error[P006]: no target is called "trn9"'),
        (["-o", "no_such_folder/out.txt"], "error[P011]: no_such_folder/out.txt cannot be written: no such folder"),
    ],
)
def test_mistakes_in_the_usage(
    program: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(program), *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(said)


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        (b"func @main( {", "error[T"),
        (CHAIN.replace("tanh %c", "tanh %gone").encode(), "error[T"),
        (CHAIN.replace("%c: f32[4,8]", "%c: i32[4,8]").encode(), "error[V"),
        (b"\xff\xfe", "error[P010]"),
    ],
)
def test_mistakes_in_the_program(program: Path, contents: bytes, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    program.write_bytes(contents)
    out_file = program.with_name("out.txt")
    out_file.write_text("as before")
    assert main([str(program), "--passes", "eliminate-casts", "-o", str(out_file)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and said in err and program.name in err
    assert out_file.read_text() == "as before"


def test_a_file_that_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no_such_file.txt"]) == 2
    assert capsys.readouterr().err == "error[P010]: no_such_file.txt cannot be read: No such file or directory\n"


def test_a_fault_of_a_pass(program: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("passes.build.PASSES", {"breaks": ("", "")})
    monkeypatch.setattr("passes.build.load_pass", lambda name: Breaks)
    out_file = program.with_name("out.txt")
    assert main([str(program), "--passes", "breaks", "-o", str(out_file)]) == 1
    assert capsys.readouterr().err.startswith("passes: error: the pass breaks left a program that is wrong:\n\n")
    assert not out_file.exists() and [path.name for path in program.parent.iterdir()] == ["program.txt"]
    for unchecked in ("--no-check", "--no-verify"):  # the second one is an older name
        assert main([str(program), "--passes", "breaks", unchecked, "-o", str(out_file)]) == 0


class Fails(DotTransform):
    """Fail at a copy."""

    pass_name = "fails"

    def transformTensorCopyOp(self, copy: TensorCopyOp) -> bool:
        raise TransformError("no idea what to do")


class Misspelt(DotTransform):
    """Have a hook that nothing calls."""

    pass_name = "misspelt"

    def transformTensorCopy(self, copy: TensorCopyOp) -> bool:
        return False


class Unfinished(DotTransform):
    """Cannot be made."""

    pass_name = "unfinished"

    def __init__(self) -> None:
        super().__init__(**{"depth": 3})


OWN_PASSES = {
    **{cls.pass_name: (__name__, cls.__name__) for cls in (Fails, Misspelt, Unfinished)},
    "not-there": (__name__, "NotThere"),
    "not-a-pass": (__name__, "Path"),
    "other-name": (__name__, "Fails"),
    "no-module": ("passes.no_module", "X"),
}
HELP = "help: --traceback shows everything that was under way\n"
AFTER_A_RUN = (
    "help: --reproducer DIR writes the program before this pass and the command that fails; --bisect makes it small\n"
)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "fails",
            r"failed: TransformError: no idea what to do\n"
            r"note: \S+test_command_line.py:\d+:9: in Fails.transformTensorCopyOp\n"
            r"note: \S+program.txt:5:3: at `%c: f32\[4,8\] = tensor_copy %p`\n",
        ),
        (
            "misspelt",
            r"cannot be made: TypeError: Misspelt: transformTensorCopy is the hook of no statement; "
            r'did you mean "transformTensorCopyOp"\?\n'
            r"note: \S+test_command_line.py:\d+:1: here is transformTensorCopy\n",
        ),
        (
            "unfinished",
            r"cannot be made: TypeError: NoOptions.__init__\(\) got an unexpected keyword argument 'depth'\n"
            r"note: \S+test_command_line.py:\d+:9: in Unfinished.__init__\n",
        ),
        ("not-there", r"cannot be loaded as passes/registry.py says: AttributeError: module .* has no attribute .*\n"),
        ("not-a-pass", r"cannot be loaded as passes/registry.py says: TypeError: \S+Path is no DotTransform\n"),
        ("other-name", r'cannot be loaded as .*: ValueError: \S+Fails has the pass_name "fails"\n'),
        ("no-module", r"cannot be loaded as .*: ModuleNotFoundError: No module named 'passes.no_module'\n"),
    ],
)
def test_a_pass_that_fails(
    name: str, said: str, program: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in ("passes.build", "passes.registry"):
        monkeypatch.setattr(f"{module}.PASSES", OWN_PASSES)
    command = [str(program), "--passes", name, "-o", str(program.with_name("out.txt"))]
    assert main(command) == 1
    out, err = capsys.readouterr()
    more = AFTER_A_RUN if name == "fails" else ""
    assert out == "" and re.fullmatch(f"passes: error: the pass {name} {said}{HELP}{more}", err)
    assert main([*command, "--traceback"]) == 1
    in_full = capsys.readouterr().err
    assert in_full.startswith("Traceback (most recent call last):") and in_full.endswith(err.replace(HELP, ""))
    assert [path.name for path in program.parent.iterdir()] == ["program.txt"]


def test_what_a_pass_kept_is_explained(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program.write_text(CHAIN.replace("return %u", "return %p, %u"), encoding="utf-8")
    assert main([str(program), "--passes", "eliminate-casts", "-v"]) == 0
    took, kept, _ = capsys.readouterr().err.splitlines()
    assert took.endswith("  unchanged")
    assert kept == (
        "    kept `%c: f32[4,8] = tensor_copy %p` in @main: return uses the same source, and is no cast to f32"
    )


def test_output_replaces_a_file_in_one_step(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program.chmod(0o600)
    link = program.with_name("link.txt")
    link.symlink_to(program.name)
    assert main([str(link), "--passes", "eliminate-casts", "-o", str(link)]) == 0
    assert link.is_symlink() and program.read_text() == RESULT
    assert program.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in program.parent.iterdir()) == ["link.txt", "program.txt"]


@pytest.mark.parametrize(
    ("main", "word", "meant"),
    [(main, "--pases", "--passes"), (run_programs, "--traget=trn2", "--target"), (main, "--zzz", None)],
)
def test_a_misspelt_option_is_told_which_one_may_be_meant(
    main: Callable[[list[str]], int], word: str, meant: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit:
        main(["program.txt", word, "x"])
    said = capsys.readouterr().err
    near = "" if meant is None else f'; did you mean "{meant}"?'
    assert exit.value.code == 2 and said.splitlines()[-1].endswith(f"unrecognized arguments: {word} x{near}")


def test_no_arguments_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit:
        main([])
    assert exit.value.code == 2 and "usage: python -m passes" in capsys.readouterr().err


def test_as_a_process(program: Path) -> None:
    command = [sys.executable, "-m", "passes", str(program), "--passes", "eliminate-casts"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, RESULT, "")


def test_a_package_of_the_same_name_is_noticed(tmp_path: Path, program: Path) -> None:
    (tmp_path / "runtime").mkdir()
    (tmp_path / "runtime" / "__init__.py").write_text("")
    command = [sys.executable, "-m", "passes", str(program)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith('passes: error: the package "runtime" of this project is at ')
    assert f"Python finds {tmp_path / 'runtime'} first" in done.stderr
    assert driver.why_shadowed() is None
