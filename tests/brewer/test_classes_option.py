"""`--classes` of both command lines: the instructions of another repository in programs, and what is none."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy
import pytest

import passes.command_line
import runtime.command_line
from tests.brewer.test_other_repositories import brew, repository, run

PROGRAM = """\
func @main(%x: f32[2]) {
  %y: f32[2] = acme.scale even %x factor 4.0
  return %y
}
"""
BROKEN = {
    "acme/empty.py": "",
    "acme/strange.py": "INSTRUCTIONS = [1]\n",
    "acme/clash.py": 'INSTRUCTIONS = {"tensor_copy": ("acme.clash", "X")}\n',
    "acme/again.py": "from acme.instructions import INSTRUCTIONS\n",
    "acme/broken.py": "1 / 0\n",
    "acme/leaves.py": "raise SystemExit(0)\n",
    "acme/needs.py": "import no_such_library\n",
    "acme/stale.py": 'INSTRUCTIONS = {"acme.old": ("acme.instructions.acme.OldGen", "OldGen")}\n',
    "acme/other.py": 'INSTRUCTIONS = {"acme.old": ("acme.empty", "OldGen")}\n',
}
MISTAKES = {
    "nowhere.instructions": "error[R007]: there is no module nowhere\nhelp: Python looks in the current directory",
    "acme.instruction": "error[R007]: there is no module acme.instruction",
    "acme/instructions": 'error[R007]: "acme/instructions" is not the name of a module\nhelp: write it as',
    "": 'error[R007]: "" is not the name of a module',
    "acme": 'acme has no table INSTRUCTIONS, so it is no brewed package\nhelp: did you mean "acme.instructions"?',
    "acme.empty": "acme.empty has no table INSTRUCTIONS, so it is no brewed package\nhelp: name the package",
    "acme.strange": "acme.strange has another INSTRUCTIONS than brewer writes",
    "acme.clash": "the mnemonic tensor_copy of acme.clash belongs to others already\nhelp: to runtime.wrappers.Ten",
    "acme.again": "the mnemonic acme.scale of acme.again belongs to others already\nhelp: to acme.wrappers.Scale",
    "acme.broken": "acme.broken cannot be imported: ZeroDivisionError: division by zero",
    "acme.leaves": "acme.leaves cannot be imported: SystemExit: 0",
    "acme.needs": "acme.needs cannot be imported: No module named 'no_such_library'",
    "acme.stale": "error[R007]: there is no module acme.instructions.acme.OldGen",
    "acme.other": "acme.other says that acme.old is acme.empty.OldGen, which is no instruction",
}
MAINS: dict[str, Callable[[list[str]], int]] = {
    "runtime": runtime.command_line.main,
    "passes": passes.command_line.main,
}


@pytest.fixture(scope="module")
def brewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = repository(tmp_path_factory.mktemp("acme"), further=BROKEN)
    brew(root)
    (root / "program.txt").write_text(PROGRAM, encoding="utf-8")
    return root


@pytest.fixture
def here(brewed: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository as the current directory, of which nothing stays imported."""
    monkeypatch.chdir(brewed)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "modules", sys.modules)
    for name in [name for name in sys.modules if name.partition(".")[0] == "acme"]:
        monkeypatch.delitem(sys.modules, name)
    return brewed


@pytest.mark.parametrize("driver", MAINS)
def test_a_program_of_another_repository_is_read(driver: str, brewed: Path) -> None:
    done = run(brewed, "-m", driver, "program.txt", "--classes", "acme.instructions")
    assert (done.returncode, done.stdout, done.stderr) == (0, PROGRAM, "")


def test_it_runs_and_becomes_bir(brewed: Path) -> None:
    numpy.save(brewed / "x.npy", numpy.array([1.0, -0.5], numpy.float32))
    options = ("--classes", "acme.instructions")
    done = run(brewed, "-m", "runtime", "program.txt", *options, "--run", "-i", "x.npy", "-o", "y.npz")
    assert done.returncode == 0, done.stderr
    (found,) = numpy.load(brewed / "y.npz").values()
    assert found.tolist() == [4.0, -2.0]
    assert run(brewed, "-m", "passes", "program.txt", *options, "-o", "program.bir").returncode == 0
    done = run(brewed, "-m", "runtime", "program.bir", *options, "--compare", "program.txt", "-i", "x.npy")
    assert done.returncode == 0, done.stderr


def test_the_folder_of_the_packages_is_put_on_the_path(tmp_path: Path) -> None:
    root = repository(tmp_path, folder="src")
    brew(root)
    (root / "program.txt").write_text(PROGRAM, encoding="utf-8")
    arguments = ("-m", "runtime", "program.txt", "--classes", "acme.instructions", "--verify")
    done = run(root, *arguments)
    assert done.returncode == 2 and "PYTHONPATH=src" in done.stderr
    done = run(root, *arguments, path="src")
    assert (done.returncode, done.stdout) == (0, "program.txt: 2 instructions, nothing wrong\n")


def test_without_the_option_the_instruction_is_unknown(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert runtime.command_line.main(["program.txt"]) == 2
    assert "acme.scale" in capsys.readouterr().err


@pytest.mark.parametrize("name", MISTAKES)
@pytest.mark.parametrize("driver", MAINS)
def test_what_is_no_brewed_package_is_refused(
    driver: str, name: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = ["--classes", "acme.instructions"] * (name == "acme.again")
    assert MAINS[driver](["program.txt", *first, "--classes", name]) == 2
    printed = capsys.readouterr()
    assert MISTAKES[name] in printed.err and printed.out == ""


def test_a_package_that_is_named_twice_counts_once(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert runtime.command_line.main(["program.txt", *["--classes", "acme.instructions"] * 2]) == 0
    assert capsys.readouterr().out == PROGRAM
