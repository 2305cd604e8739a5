"""What runs remember: it saves work, tells causes, guards edits by hand, and decides nothing else."""

import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from brewer import incremental
from brewer.__main__ import main
from brewer.cache import State, add_written, read_state, said_of_unchanged, write_state
from brewer.command_line import main as complete_main
from brewer.fingerprints import digest_of, take_fingerprints
from brewer.load import Instructions, load_part
from brewer.project import Project
from brewer.rendering import Rendered, Renderer
from tests.brewer.miniature import FILES, build

ROOT = Project.of_this_tool().root
X = 'name: X\nbase: NeuronInst\nsummary: One.\nrhs_str: "x {src}"\noperands:\n  src: {dtypes: floats}\n' + (
    "results:\n  result: {same_as: src}\n"
)
FRESH = "generated/ is up to date: 2 definitions, 6 files\n"
HEAVY = ("argparse", "dataclasses", "hashlib", "jinja2", "json", "pathlib", "re", "typing", "yaml")
Run = Callable[..., tuple[int, str]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    y = X.replace("name: X", "name: Y").replace('"x ', '"y ')
    build(tmp_path, {"defs/neuron/X.yaml": X.encode(), "defs/neuron/Y.yaml": y.encode()})
    return tmp_path


@pytest.fixture
def brew(root: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> tuple[int, str]:
        code = main(["--root", str(root), *arguments])
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return run


@pytest.fixture
def complete_runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Counts the runs that read all definitions."""
    runs: list[str] = []
    render = Renderer.render_all

    def counted(self: Renderer) -> tuple[Rendered, ...]:
        runs.append("complete")
        return render(self)

    monkeypatch.setattr(Renderer, "render_all", counted)
    yield runs


def edit(path: Path, old: str, new: str) -> None:
    """Changes a file and sets its time back, as two changes within one tick of the clock look."""
    before = path.stat()
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_second_run_looks_at_nothing_but_contents(brew: Run, complete_runs: list[str]) -> None:
    assert brew()[0] == 0
    assert brew() == (0, FRESH)
    assert complete_runs == ["complete"]


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("defs/neuron/X.yaml", "One.", "Two.", "overwrote generated/neuron/XGen.py (changed: defs/neuron/X.yaml)"),
        ("defs/vocabulary.yaml", "tanh]", "cosh]", "overwrote generated/vocabulary.py (changed: defs/vocabulary.yaml)"),
        (
            "templates/dialect.py.j2",
            '"""What',
            '"""Wot!',
            "overwrote generated/neuron/__init__.py (changed: templates/",
        ),
        ("runtime/infer.py", "product_type", "produce_type", FRESH),
        ("generated/neuron/XGen.py", "One.", "Uno.", "error[D092]: this generated file was edited by hand"),
        (
            "generated/__init__.py",
            "INSTRUCTIONS",
            "iNSTRUCTIONS",
            "error[D092]: this generated file was edited by hand",
        ),
    ],
)
def test_an_edit_that_leaves_size_and_time_is_seen(
    file: str, old: str, new: str, said: str, root: Path, brew: Run
) -> None:
    brew()
    edit(root / file, old, new)
    assert said in brew()[1]


def test_another_library_or_brewer_is_another_run(brew: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    brew()
    for name, said in (("black", "black"), ("tool/brewer/views.py", "brewer itself"), ("Python", "Python")):
        now = take_fingerprints(str(root), str(ROOT))
        assert now and name in now.inputs
        state = read_state(str(root))
        assert state
        state.inputs[name] = "another one"
        text = (root / "generated/vocabulary.py").read_text().replace("Functions", "Other functions")
        (root / "generated/vocabulary.py").write_text(text)
        digest = digest_of(text.encode())
        state.outputs["generated/vocabulary.py"] = digest
        add_written(str(root), [digest])
        write_state(str(root), state, FRESH.strip())
        assert brew() == (0, f"overwrote generated/vocabulary.py (changed: {said})\n")
        assert brew() == (0, FRESH)


def test_a_run_without_changes_loads_nothing_that_takes_time(root: Path, brew: Run) -> None:
    brew()
    script = (
        "import sys; before = set(sys.modules); from brewer.__main__ import main;"
        "code = main(['--root', sys.argv[1]]); print(code, sorted(set(sys.modules) - before))"
    )
    command = [sys.executable, "-c", script, str(root)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    said, code_and_modules = run.stdout.splitlines()
    assert (said, code_and_modules[0]) == (FRESH.strip(), "0")
    assert not [name for name in HEAVY if f"'{name}'" in code_and_modules]


def test_one_changed_definition_is_the_only_one_read(
    root: Path, brew: Run, complete_runs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    brew()
    parsed: list[str] = []
    monkeypatch.setattr("brewer.formatting.formatted", lambda text: pytest.fail("black has a precedent for this"))

    def counted(project: Project, files: Iterable[str], others: Iterable[str]) -> Instructions:
        parsed.extend(files)
        return load_part(project, files, others)

    monkeypatch.setattr(incremental, "load_part", counted)
    edit(root / "defs/neuron/X.yaml", "One.", "Two.")
    assert brew() == (0, "overwrote generated/neuron/XGen.py (changed: defs/neuron/X.yaml)\n")
    assert parsed == ["defs/neuron/X.yaml"] and complete_runs == ["complete"]
    assert brew() == (0, FRESH)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"\xff\xfe" + data,
        lambda data: data.replace(b"brewer cache 1", b"brewer cache 2"),
        lambda data: data.replace(b"neuron", b"neuroN"),
        lambda data: data[: len(data) // 2],
        lambda data: data[:60],
        lambda data: b"[" * 100_000,
        lambda data: random.Random(1).randbytes(2_000),
    ],
)
def test_a_damaged_cache_is_ignored_quietly(damage: Callable[[bytes], bytes], root: Path, brew: Run) -> None:
    brew()
    for name in ("state", "written"):
        path = root / ".brewer_cache" / name
        data = path.read_bytes()
        path.write_bytes(damage(data))
        assert brew() == (0, FRESH)
        edit(root / "defs/neuron/X.yaml", "One.", "Two.")
        code, said = brew()
        assert code == 0 and said.startswith("overwrote generated/neuron/XGen.py (") and said.count("\n") == 1
        edit(root / "defs/neuron/X.yaml", "Two.", "One.")
        assert brew()[0] == 0


def test_a_sound_head_before_another_body_is_ignored_too(root: Path, brew: Run) -> None:
    brew()
    path = root / ".brewer_cache" / "state"
    for body in (b"{}", b"[]", b"[1,2,3,4,5,6]", b'[{},{},{},{"x":"y"},[],0]', b'[{"a":1},{},{},{},[],0]'):
        head = path.read_bytes().split(b"\n")[:3]
        path.write_bytes(b"\n".join([*head, digest_of(body).encode(), body]))
        edit(root / "defs/neuron/X.yaml", "One.", "Two.")
        assert brew()[0] == 0
        edit(root / "defs/neuron/X.yaml", "Two.", "One.")
        assert brew()[0] == 0 and brew() == (0, FRESH)


def test_a_cache_that_cannot_be_written_is_no_mistake(root: Path, brew: Run) -> None:
    (root / ".brewer_cache").write_text("a file")
    assert brew()[0] == 0
    assert brew() == (0, FRESH)
    assert (root / ".brewer_cache").read_text() == "a file"


def test_git_ignores_the_cache(root: Path, brew: Run) -> None:
    brew()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    status = ["git", "status", "--porcelain", "--ignored=no", "-uall"]
    files = subprocess.run(status, cwd=root, check=True, capture_output=True, text=True).stdout
    assert "generated/neuron/XGen.py" in files and ".brewer_cache" not in files


def test_a_check_trusts_nothing_that_was_left(root: Path, brew: Run) -> None:
    """A state that claims that a stale file is what it has to be."""
    brew()
    (root / "generated/neuron/XGen.py").write_text("# Generated by brewer from nothing\n")
    now, state = take_fingerprints(str(root), str(ROOT)), read_state(str(root))
    assert now and state
    write_state(str(root), State(now.inputs, now.outputs, {}, state.definitions, []), FRESH.strip())
    assert said_of_unchanged(str(root), now) == FRESH.strip()
    assert brew()[1] == FRESH
    for arguments in (("--check",), ("--diff",), ("X", "--check")):
        code, said = brew(*arguments)
        assert code == 1 and "generated/neuron/XGen.py" in said


def test_an_edit_during_a_run_is_not_taken_for_what_was_brewed(
    root: Path, brew: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    render = Renderer.render_all
    file = root / "defs/neuron/X.yaml"

    def editing(self: Renderer) -> tuple[Rendered, ...]:
        edit(file, "One.", "Two.")
        return render(self)

    with monkeypatch.context() as patch:
        patch.setattr(Renderer, "render_all", editing)
        assert brew()[0] == 0
    assert "One." in (root / "generated/neuron/XGen.py").read_text()
    assert "overwrote generated/neuron/XGen.py" in brew()[1]
    assert brew() == (0, FRESH)


def test_an_edit_during_a_short_run_is_not_either(root: Path, brew: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    brew()
    file = root / "defs/neuron/X.yaml"
    edit(file, "One.", "Two.")

    def editing(project: Project, files: Iterable[str], others: Iterable[str]) -> Instructions:
        loaded = load_part(project, files, others)
        edit(file, "Two.", "Six.")
        return loaded

    with monkeypatch.context() as patch:
        patch.setattr(incremental, "load_part", editing)
        assert brew()[0] == 0
    assert "Two." in (root / "generated/neuron/XGen.py").read_text()
    assert "overwrote generated/neuron/XGen.py" in brew()[1]


def test_an_edit_by_hand_is_asked_about(root: Path, brew: Run) -> None:
    brew()
    path = root / "generated/neuron/XGen.py"
    edited = path.read_text() + "\n\ndef mine() -> None: ...\n"
    path.write_text(edited)
    for _ in range(2):
        code, said = brew()
        assert (
            code == 2 and "XGen.py:1:1: error[D092]: this generated file was edited by hand; brewer would overw" in said
        )
        assert "help: put the change into the definition or a template; `--force` lets brewer do it" in said
        assert "1 mistake; nothing was written" in said
        assert path.read_text() == edited
        edit(root / "defs/neuron/Y.yaml", "One.", "One. ")
    code, said = brew("--check")
    assert code == 1 and "to overwrite generated/neuron/XGen.py (edited by hand)" in said
    assert brew("Y") == (0, "Y is up to date; not up to date elsewhere: generated/neuron/XGen.py\n")
    assert brew("--force") == (0, "overwrote generated/neuron/XGen.py (edited by hand)\n")
    assert brew() == (0, FRESH)


def test_an_edited_file_whose_definition_went_is_asked_about(root: Path, brew: Run) -> None:
    brew()
    path = root / "generated/neuron/XGen.py"
    path.write_text(path.read_text() + "# mine\n")
    (root / "defs/neuron/X.yaml").unlink()
    code, said = brew()
    assert code == 2 and "edited by hand; brewer would remove it" in said and path.exists()
    assert "removed generated/neuron/XGen.py (no definition gives it, and it was edited by hand)" in brew("--force")[1]
    assert not path.exists()


def test_texts_that_brewer_wrote_at_some_time_are_nobodys_edits(root: Path, brew: Run) -> None:
    """Another branch, a stash, one file taken back from git."""
    brew()
    path = root / "generated/neuron/XGen.py"
    older = path.read_text()
    edit(root / "defs/neuron/X.yaml", "One.", "Two.")
    brew()
    path.write_text(older)
    assert brew() == (0, "overwrote generated/neuron/XGen.py (not what brewer left)\n")
    edit(root / "defs/neuron/X.yaml", "Two.", "One.")
    path.write_text(older)
    assert brew() == (0, FRESH)


def test_without_a_cache_an_edit_is_overwritten_and_no_cause_is_claimed(root: Path, brew: Run) -> None:
    assert "wrote generated/neuron/XGen.py (from defs/neuron/X.yaml)" in brew()[1]
    (root / ".brewer_cache" / "state").unlink()
    path = root / "generated/neuron/XGen.py"
    path.write_text(path.read_text() + "# mine\n")
    assert brew() == (0, "overwrote generated/neuron/XGen.py (from defs/neuron/X.yaml)\n")


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ({"templates/rules.j2": "{# x #}"}, ""),
        ({"templates/rhs_str.j2": "\n    # What is printed.\n"}, "XGen.py (changed: templates/rhs_str.j2)"),
        ({"runtime/instructions.py": "\nclass Shape: ...\n"}, ""),
        (
            {"defs/neuron/X.yaml": "engine: vector\n", "runtime/infer.py": "# x\n"},
            "XGen.py (changed: defs/neuron/X.yaml)",
        ),
        (
            {"defs/neuron/X.yaml": "engine: vector\n", "templates/rhs_str.j2": "\n    # Printed.\n"},
            "XGen.py (changed: defs/neuron/X.yaml, templates/rhs_str.j2)",
        ),
        (
            {f"templates/{name}.j2": "\n    # x\n" for name in ("operands", "rhs_str", "properties", "rules")},
            "XGen.py (changed: 4 templates)",
        ),
    ],
)
def test_the_cause_is_what_changed(edits: dict[str, str], said: str, root: Path, brew: Run) -> None:
    brew()
    for name, text in edits.items():
        with (root / name).open("a") as stream:
            stream.write(text)
    code, output = brew()
    assert code == 0 and (f"overwrote generated/neuron/{said}\n" in output if said else output == FRESH)


def test_a_function_that_results_are_inferred_by_may_be_the_cause(root: Path, brew: Run) -> None:
    y = X.replace("name: X", "name: Y").replace('"x ', '"y ').replace("{same_as: src}", "{infer: reduced_type}")
    (root / "defs/neuron/Y.yaml").write_text(
        y.replace("results:", "attributes:\n  dim: {type: int}\nresults:").replace("{src}", "{src} {dim}")
    )
    brew()
    text = FILES["runtime/infer.py"].replace("without a dimension", "with one dimension less")
    (root / "runtime/infer.py").write_text(text)
    assert brew() == (0, "overwrote generated/neuron/YGen.py (changed: runtime/infer.py)\n")


def test_a_change_that_many_files_share_is_shown_once(root: Path, brew: Run) -> None:
    brew()
    with (root / "templates/rhs_str.j2").open("a") as stream:
        stream.write("\n    # What is printed.\n")
    code, said = brew("--check")
    assert code == 1 and said.count("+    # What is printed.") == 1 and "... the same change in 1 more file\n" in said
    assert said.count("to overwrite generated/neuron/") == 2
    code, said = brew("--diff")
    assert code == 1 and said.count("+    # What is printed.") == 1 and said.count("+++ ") == 1
    edit(root / "defs/neuron/Y.yaml", "One.", "Two.")
    code, said = brew("--diff")
    assert said.count("+    # What is printed.") == 1 and said.count("+++ ") == 2 and '+    """Two.' in said


def test_the_patch_of_diff_applies(root: Path, brew: Run) -> None:
    brew()
    edit(root / "defs/neuron/X.yaml", "One.", "Another one.")
    edit(root / "defs/neuron/X.yaml", "src: {dtypes: floats}", "src: {dtypes: f32, rank: 2}")
    patch = brew("--diff")[1]
    subprocess.run(["git", "apply", "-"], cwd=root, input=patch, text=True, check=True)
    assert brew("--check")[0] == 0


def test_a_complete_run_says_the_same(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The way of every run with other arguments."""
    assert complete_main(["--root", str(root)]) == 0
    capsys.readouterr()
    assert complete_main(["--root", str(root)]) == 0
    assert capsys.readouterr().out == FRESH
