"""What is left when the system refuses, when a run is killed or interrupted, and when several run at once."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from brewer.__main__ import main
from brewer.brewing import brew
from brewer.memory import Memory
from brewer.project import Project
from brewer.writing import carry_out
from tests.brewer.miniature import build

ROOT = Project.of_this_tool().root
NAMES = ("A", "B", "C")
FAULTS = {
    errno.ENOSPC: "No space left on device",
    errno.EROFS: "Read-only file system",
    errno.EACCES: "Permission denied",
}
# Before the k-th call that changes something below generated/, the script sends itself a signal.
SCRIPT = """\
import os, sys
import brewer.writing
class Calls:
    left = int(sys.argv[2])
    def __getattr__(self, name):
        called = getattr(os, name)
        if name not in ("open", "fdopen", "replace", "unlink"):
            return called
        def counted(*arguments, **options):
            Calls.left -= 1
            if Calls.left == 0:
                os.kill(os.getpid(), int(sys.argv[3]))
            return called(*arguments, **options)
        return counted
brewer.writing.os = Calls()
from brewer.__main__ import main
sys.exit(main(["--root", sys.argv[1]]))
"""


class Refusing:
    """`os` for brewer/writing.py, which refuses one of the calls that change something."""

    def __init__(self, at: int, number: int) -> None:
        self.left, self.number = at, number

    def __getattr__(self, name: str) -> Any:
        called = getattr(os, name)
        return self._counted(called, name) if name in ("open", "fdopen", "chmod", "replace", "unlink") else called

    def _counted(self, called: Callable[..., Any], name: str) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            self.left -= 1
            if self.left == 0:
                if name == "fdopen":
                    os.close(arguments[0])
                raise OSError(self.number, os.strerror(self.number), str(arguments[0]))
            return called(*arguments, **options)

        return counted


def definition(name: str, summary: str = "One.") -> str:
    return (
        f'name: {name}\nbase: NeuronInst\nsummary: {summary}\nrhs_str: "{name.lower()} {{src}}"\n'
        "operands:\n  src: {}\nresults:\n  result: {same_as: src}\n"
    )


@pytest.fixture
def project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Project:
    """A project that was brewed; since then two definitions were changed, one removed, and one is new."""
    project = build(tmp_path, {f"defs/neuron/{name}.yaml": definition(name).encode() for name in NAMES})
    assert main(["--root", str(tmp_path)]) == 0
    for name, text in (("A", "Another."), ("B", "Another."), ("D", "One.")):
        (project.definitions / "neuron" / f"{name}.yaml").write_text(definition(name, text))
    (project.definitions / "neuron" / "C.yaml").unlink()
    capsys.readouterr()
    return project


def tree(project: Project) -> dict[str, bytes]:
    return {p.relative_to(project.root).as_posix(): p.read_bytes() for p in sorted(project.generated.rglob("*.*"))}


def wanted(project: Project) -> dict[str, bytes]:
    """The files as they are to be, with those that are to go."""
    return {path: text.encode() for path, text in brew(project).texts.items()}


def check_files_are_whole(project: Project, old: dict[str, bytes]) -> None:
    new = wanted(project)
    for path, data in tree(project).items():
        assert data in (old.get(path), new.get(path)), path


def check_next_run_finishes(project: Project) -> None:
    new = wanted(project)
    assert main(["--root", str(project.root)]) == 0
    assert tree(project) == new
    assert main(["--root", str(project.root), "--check"]) == 0


def run_script(project: Project, at: int, number: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", SCRIPT, str(project.root), str(at), str(number)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("number", FAULTS, ids=lambda number: errno.errorcode[number])
def test_whatever_the_system_refuses_files_are_whole_and_the_next_run_finishes(
    number: int, project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(project)
    refusals = 0
    for at in range(1, 40, 1 if number == errno.ENOSPC else 5):
        with monkeypatch.context() as patch:
            patch.setattr("brewer.writing.os", Refusing(at, number))
            code = main(["--root", str(project.root)])
        said = capsys.readouterr().err
        if code == 0:
            break
        refusals += 1
        assert code == 2 and FAULTS[number] in said and "error[D101]: cannot write " in said and "Traceback" not in said
        assert not list(project.root.rglob("*.tmp"))
        if "nothing was written" in said:
            assert tree(project) == before
        else:
            assert "of 5 changes are made; once that is mended, run brewer again" in said
            check_files_are_whole(project, before)
    assert refusals >= (12 if number == errno.ENOSPC else 3) and tree(project) == wanted(project)


def test_a_disk_that_is_full_from_the_start_leaves_everything_as_it_was(project: Project) -> None:
    """The system's own limit, in a process of its own."""
    before = tree(project)
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (900, 900))"
    script = f"{limit}; import sys; from brewer.__main__ import main; sys.exit(main(['--root', sys.argv[1]]))"
    command = [sys.executable, "-c", script, str(project.root)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 2 and "error[D101]: cannot write " in run.stderr and "File too large" in run.stderr
    assert "help: nothing was written" in run.stderr
    assert tree(project) == before
    check_next_run_finishes(project)


@pytest.mark.parametrize("at", [1, 6, 10, 12, 13])
def test_a_run_that_is_killed_leaves_whole_files_and_the_next_one_finishes(at: int, project: Project) -> None:
    before = tree(project)
    run = run_script(project, at, signal.SIGKILL)
    assert run.returncode == -signal.SIGKILL
    left = list(project.generated.rglob("*.tmp"))
    for path in left:
        os.utime(path, (1_000_000_000, 1_000_000_000))  # nobody's any more, after some minutes
    assert bool(left) == (at not in (1, 13))
    changed = {path for path, data in tree(project).items() if data != before.get(path) and not path.endswith(".tmp")}
    assert len(changed) == {1: 0, 6: 0, 10: 1, 12: 3, 13: 4}[at]
    definition_now = definition("B", "Changed once more, after the run was killed.")
    (project.definitions / "neuron" / "B.yaml").write_text(definition_now)
    check_next_run_finishes(project)


@pytest.mark.parametrize("at", [2, 6, 11])
def test_ctrl_c_says_so_and_leaves_nothing_half_done(at: int, project: Project) -> None:
    before = tree(project)
    run = run_script(project, at, signal.SIGINT)
    assert (run.returncode, run.stdout) == (130, "")
    assert run.stderr == "interrupted; every file is whole, run brewer again for the others\n"
    assert (tree(project) == before) == (at < 9)
    assert not list(project.generated.rglob("*.tmp"))
    check_next_run_finishes(project)


def test_many_runs_at_once_do_not_disturb_each_other(project: Project) -> None:
    brewed = brew(project)
    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(lambda _: carry_out(brewed.plan, project), range(60)):
            found = {path: (project.root / path).read_text() for path in brewed.texts}
            assert found == brewed.texts
    assert tree(project) == wanted(project) and not list(project.generated.rglob("*.tmp"))


def test_processes_at_once_do_not_disturb_each_other(project: Project) -> None:
    command = [sys.executable, "-m", "brewer", "--root", str(project.root)]
    for text in ("Second.", "Third."):
        for name in ("A", "B", "D"):
            (project.definitions / "neuron" / f"{name}.yaml").write_text(definition(name, text))
        runs = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
        assert [(run.communicate()[1], run.returncode) for run in runs] == [(b"", 0)] * 4
        assert tree(project) == wanted(project)
        assert Memory(project).state is not None


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("generated/neuron/AGen.py", "cannot use generated/neuron/AGen.py: Is a directory"),
        ("generated/neuron/DGen.py", "cannot use generated/neuron/DGen.py: Is a directory"),
    ],
)
def test_a_folder_in_the_place_of_a_file_is_said_in_one_line(
    path: str, said: str, project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project.root / path).unlink(missing_ok=True)
    (project.root / path).mkdir()
    monkeypatch.chdir(project.root)
    assert main(["--root", "."]) == 2
    assert f"error[D101]: {said}\n" in capsys.readouterr().err


def test_a_link_that_leads_nowhere_is_replaced_by_the_file(project: Project) -> None:
    (project.generated / "neuron" / "DGen.py").symlink_to(project.root / "nowhere")
    check_next_run_finishes(project)
    assert not (project.root / "nowhere").exists()
