"""What a run does to `generated/`: what it writes, removes and leaves alone, and what it says."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from brewer.command_line import main
from brewer.plan import Plan
from brewer.project import Project
from brewer.rendering import Rendered, Renderer
from brewer.writing import carry_out
from tests.brewer.miniature import build

X = b"""\
name: X
base: NeuronInst
summary: One.
rhs_str: "x {src}"
operands:
  src: {}
results:
  result: {same_as: src}
"""
Y = X.replace(b"name: X", b"name: Y").replace(b'"x ', b'"y ')
Run = Callable[..., tuple[int, str]]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return build(tmp_path, {"defs/neuron/X.yaml": X})


@pytest.fixture
def brew(project: Project, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command line on the project; gives the exit code and what was printed."""

    def run(*arguments: str) -> tuple[int, str]:
        code = main(["--root", str(project.root), *arguments])
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return run


def add(project: Project, name: str, content: bytes) -> Path:
    path = project.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def tree(project: Project) -> dict[str, bytes]:
    return {p.relative_to(project.root).as_posix(): p.read_bytes() for p in sorted(project.generated.rglob("*.*"))}


def test_the_first_run_writes_and_the_second_has_nothing_to_do(brew: Run) -> None:
    code, said = brew()
    assert code == 0 and "wrote generated/neuron/XGen.py" in said
    assert brew() == (0, "generated/ is up to date: 1 definition, 5 files\n")
    assert brew("--check") == (0, "generated/ is up to date: 1 definition, 5 files\n")


def test_check_and_diff_write_nothing_and_exit_with_one(project: Project, brew: Run) -> None:
    brew()
    add(project, "defs/neuron/X.yaml", X.replace(b"One.", b"Another."))
    before = tree(project)
    code, said = brew("--check")
    assert (
        code == 1
        and "to overwrite generated/neuron/XGen.py (changed: defs/neuron/X.yaml)" in said
        and '+    """Another.' in said
    )
    code, said = brew("--diff")
    assert code == 1 and "--- a/generated/neuron/XGen.py" in said and '-    """One.' in said
    assert tree(project) == before


def test_what_is_said_of_a_change_starts_with_its_cause(project: Project, brew: Run) -> None:
    base = X.replace(b"name: X", b"name: Base").replace(b'rhs_str: "x {src}"', b"abstract: true")
    add(project, "defs/neuron/Base.yaml", base)
    add(project, "defs/neuron/Y.yaml", b'name: Y\nbase: Base\nsummary: One.\nrhs_str: "y {src}"\n')
    brew()
    add(project, "defs/neuron/Base.yaml", base.replace(b"src: {}", b"src: {rank: 2}"))
    add(project, "defs/neuron/Z.yaml", Y.replace(b"name: Y", b"name: Z").replace(b'"y ', b'"z '))
    (project.definitions / "neuron" / "X.yaml").unlink()
    code, said = brew("--check")
    assert code == 1 and said.splitlines()[:6] == [
        "not up to date:",
        "  to overwrite generated/__init__.py (changed: defs/neuron/Base.yaml, defs/neuron/X.yaml, defs/neuron/Z.yaml)",
        "  to overwrite generated/neuron/BaseGen.py (changed: defs/neuron/Base.yaml)",
        "  to remove generated/neuron/XGen.py (no definition gives it)",
        "  to overwrite generated/neuron/YGen.py (changed: defs/neuron/Base.yaml)",
        "  to write generated/neuron/ZGen.py (new: defs/neuron/Z.yaml)",
    ]
    assert "class ZGen" not in said and "class XGen" not in said and "+                rank=(2,)," in said
    assert len(said.splitlines()) < 60
    assert "overwrote generated/neuron/YGen.py (changed: defs/neuron/Base.yaml)" in brew()[1]


def test_a_reader_who_has_seen_enough_is_no_mistake(project: Project) -> None:
    """`brewer --diff | head -n 1`, with a difference that no pipe holds."""
    add(project, "defs/neuron/X.yaml", X + b"doc: |\n" + b"  A long text.\n\n" * 20_000)
    command = [sys.executable, "-m", "brewer", "--diff", "--root", str(project.root)]
    run = subprocess.Popen(
        command, cwd=Project.of_this_tool().root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert run.stdout and run.stderr
    assert run.stdout.readline().startswith("---")
    run.stdout.close()
    assert (run.wait(), run.stderr.read()) == (1, "")


def test_a_mistake_exits_with_two_and_nothing_is_written(project: Project, brew: Run) -> None:
    brew()
    before = tree(project)
    add(project, "defs/neuron/X.yaml", X.replace(b"One.", b"Another."))
    add(project, "defs/neuron/Y.yaml", Y.replace(b"src: {}", b"src: {acess: load}"))
    for arguments in ((), ("--check",), ("--diff",), ("X",)):
        code, said = brew(*arguments)
        outcome = "1 mistake; `" if arguments and arguments[0].startswith("--") else "1 mistake; nothing was written; `"
        assert code == 2 and "error[D011]" in said and outcome in said
    assert tree(project) == before


@pytest.mark.parametrize("arguments", [("--chek",), ("--check", "--diff"), ("--che",)])
def test_wrong_usage_exits_with_two(arguments: tuple[str, ...], brew: Run) -> None:
    with pytest.raises(SystemExit) as exit:
        brew(*arguments)
    assert exit.value.code == 2


def test_unchanged_files_keep_their_time(project: Project, brew: Run) -> None:
    brew()
    paths = [project.root / name for name in tree(project)]
    for path in paths:
        os.utime(path, (1_000_000_000, 1_000_000_000))
    add(project, "defs/neuron/Y.yaml", Y)
    brew()
    changed = {p.relative_to(project.generated).as_posix() for p in paths if p.stat().st_mtime != 1_000_000_000}
    assert changed == {"__init__.py"}


def test_files_without_a_definition_go_and_files_of_others_stay(project: Project, brew: Run) -> None:
    add(project, "defs/graph/Y.yaml", Y.replace(b"NeuronInst", b"GraphInst").replace(b'"y', b'"graph.y'))
    brew()
    mine = add(project, "generated/neuron/mine.py", b"# written by hand\n")
    (project.generated / "graph" / "__pycache__").mkdir()
    add(project, "generated/graph/__pycache__/YGen.cpython-311.pyc", b"compiled")
    (project.definitions / "graph" / "Y.yaml").unlink()
    code, said = brew()
    assert code == 0 and "removed generated/graph/YGen.py" in said
    assert mine.exists() and not (project.generated / "graph").exists()


def test_a_renamed_definition_leaves_nothing_behind(project: Project, brew: Run) -> None:
    brew()
    (project.definitions / "neuron" / "X.yaml").unlink()
    add(project, "defs/neuron/Y.yaml", Y)
    brew()
    assert "generated/neuron/XGen.py" not in tree(project)
    assert b"XGen" not in tree(project)["generated/__init__.py"]


def test_what_is_nobodys_work_is_overwritten_and_listed(project: Project, brew: Run) -> None:
    brew()
    before = tree(project)
    path = project.generated / "neuron" / "XGen.py"
    for found in (
        b"<<<<<<< HEAD\n" + path.read_bytes() + b"=======\n>>>>>>> theirs\n",
        path.read_bytes().replace(b"\n", b"\r\n"),
        b"",
    ):
        path.write_bytes(found)
        assert brew() == (0, "overwrote generated/neuron/XGen.py (not what brewer left)\n")
        assert tree(project) == before
    path.unlink()
    assert brew() == (0, "wrote generated/neuron/XGen.py (it was missing)\n")
    assert tree(project) == before


def test_names_limit_what_is_written(project: Project, brew: Run) -> None:
    brew()
    add(project, "defs/neuron/X.yaml", X.replace(b"One.", b"Another."))
    add(project, "defs/neuron/Y.yaml", Y)
    code, said = brew("neuron/Y")
    assert code == 0 and "wrote generated/neuron/YGen.py" in said and "overwrote generated/__init__.py" in said
    assert "left alone, though not up to date: generated/neuron/XGen.py" in said
    assert b"One." in tree(project)["generated/neuron/XGen.py"]
    assert brew("Y", "--check") == (0, "Y is up to date; not up to date elsewhere: generated/neuron/XGen.py\n")
    brew()
    assert brew("Y", "X", "--check") == (0, "Y, X are up to date\n")


def test_a_run_for_one_definition_takes_nothing_of_others_from_shared_files(project: Project, brew: Run) -> None:
    add(project, "defs/neuron/Y.yaml", Y)
    brew()
    (project.definitions / "neuron" / "Y.yaml").unlink()
    add(project, "defs/neuron/X.yaml", X.replace(b'"x ', b'"xx '))
    code, said = brew("X")
    assert code == 0 and "not up to date: generated/__init__.py, generated/neuron/YGen.py" in said
    assert b'"y": ' in tree(project)["generated/__init__.py"]
    brew()
    assert b'"y": ' not in tree(project)["generated/__init__.py"]


def test_the_table_waits_for_the_modules_that_it_lists(project: Project, brew: Run) -> None:
    add(project, "defs/neuron/Y.yaml", Y)
    brew("X")
    assert "generated/__init__.py" not in tree(project)
    brew("Y")
    assert b"YGen" in tree(project)["generated/__init__.py"]


def test_an_interrupted_run_is_finished_by_the_next(
    project: Project, brew: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    replaced: list[str] = []

    def replace(source: str, target: Path) -> None:
        if project.generated in Path(target).parents:
            replaced.append(str(target))
        if len(replaced) == 3:
            raise KeyboardInterrupt
        os.rename(source, target)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(KeyboardInterrupt):
        brew()
    assert len(tree(project)) == 2 and not list(project.generated.rglob("*.tmp"))
    monkeypatch.undo()
    brew()
    assert brew("--check")[0] == 0


def test_temporary_files_of_killed_runs_are_swept(project: Project, brew: Run) -> None:
    left = add(project, "generated/neuron/.brewer-abc.tmp", b"")
    fresh = add(project, "generated/neuron/.brewer-def.tmp", b"")
    os.utime(left, (1_000_000_000, 1_000_000_000))
    brew()
    assert not left.exists() and fresh.exists()


def test_two_runs_at_once_leave_whole_files(project: Project) -> None:
    command = [sys.executable, "-m", "brewer", "--root", str(project.root)]
    runs = [subprocess.Popen(command, cwd=Project.of_this_tool().root, stdout=subprocess.DEVNULL) for _ in range(3)]
    assert [run.wait() for run in runs] == [0, 0, 0]
    assert subprocess.run([*command, "--check"], cwd=Project.of_this_tool().root, check=False).returncode == 0


def test_the_output_does_not_depend_on_where_it_was_started(
    project: Project, brew: Run, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    brew()
    before = tree(project)
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert brew("--check")[0] == 0
    assert str(project.root).encode() not in b"".join(before.values())


def test_nothing_is_written_before_everything_is_rendered(
    project: Project, brew: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    render = Renderer.render_all

    def rendering(self: Renderer) -> tuple[Rendered, ...]:
        order.append("rendered")
        return render(self)

    def writing(plan: Plan, project: Project) -> None:
        order.append("written")
        carry_out(plan, project)

    monkeypatch.setattr(Renderer, "render_all", rendering)
    monkeypatch.setattr("brewer.brewing.carry_out", writing)
    brew()
    assert order == ["rendered", "written"]


def test_help_says_what_it_does_and_how_it_ends(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit:
        main(["--help"])
    said = capsys.readouterr().out
    assert exit.value.code == 0
    assert all(text in said for text in ("--check", "--diff", "NAME", "examples:", "exit codes: 0 up to date"))


def test_a_foreign_package_named_runtime_is_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "runtime").mkdir()
    (tmp_path / "runtime" / "__init__.py").write_text("")
    run = subprocess.run(
        [sys.executable, "-m", "brewer"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Project.of_this_tool().root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2 and "brewer needs its own package `runtime`, but Python finds" in run.stderr


def test_a_folder_that_cannot_be_used_is_said_in_one_line(project: Project, brew: Run) -> None:
    add(project, "generated", b"a file, not a folder")
    code, said = brew()
    assert code == 2 and said.startswith("error[D101]: cannot use ") and "Traceback" not in said


@pytest.mark.parametrize(
    ("state", "arguments"),
    [
        *((state, ()) for state in ("nothing is brewed", "a definition has changed", "nothing has changed")),
        *(("nothing has changed", arguments) for arguments in (("--diff",), ("list",), ("explain", "D010"))),
    ],
)
def test_a_standard_output_that_takes_nothing_is_said_in_a_sentence(
    state: str, arguments: tuple[str, ...], project: Project, brew: Run
) -> None:
    """Whatever the run had to say; a file of the project is not blamed."""
    if state != "nothing is brewed":
        brew()
    if state == "a definition has changed":
        (project.root / "defs/neuron/X.yaml").write_bytes(X.replace(b"One.", b"Two."))
    command = [sys.executable, "-m", "brewer", *arguments, "--root", str(project.root)]
    with open("/dev/full", "w", encoding="utf-8") as full:
        run = subprocess.run(command, cwd=Project.of_this_tool().root, stdout=full, stderr=subprocess.PIPE, text=True)
        assert (run.returncode, run.stderr) == (2, "cannot write to standard output: No space left on device\n")
        assert subprocess.run(command, cwd=Project.of_this_tool().root, stdout=full, stderr=full).returncode == 2


@pytest.mark.parametrize("options", [("--root", "ROOT"), ("--root=ROOT",), ("--format", "json", "--root", "ROOT")])
def test_options_that_all_commands_take_may_stand_before_one(
    options: tuple[str, ...], project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [option.replace("ROOT", str(project.root)) for option in options]
    assert main([*given, "list", "neuron"]) == 0
    assert "neuron/X" in capsys.readouterr().out
    assert main(["--check", *given, "list"]) == 2
    assert "a sub-command stands first, and alone: brewer list" in capsys.readouterr().err
