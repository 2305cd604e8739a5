"""The code of templates that a run leaves for the next one: taken where it is whole and from here, else made anew."""

import marshal
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import jinja2
import pytest

from brewer import compiled_templates
from brewer.__main__ import main
from brewer.cache import read_code, write_code
from brewer.compiled_templates import CompiledTemplates
from brewer.fingerprints import take_fingerprints
from brewer.memory import Memory
from brewer.project import Project
from brewer.templates import fast_environment, plain_environment
from tests.brewer.miniature import build

X = 'name: X\nbase: NeuronInst\nsummary: One.\nrhs_str: "x {src}"\noperands:\n  src: {dtypes: floats}\n' + (
    "results:\n  result: {same_as: src}\n"
)
NEEDED_FOR_ONE = ["instruction.py.j2", "instruction_module.py.j2"]
UNREADING = SimpleNamespace(loads=lambda _: pytest.fail("the code was read"), dumps=marshal.dumps)
Edit = Callable[[str], str]


@pytest.fixture
def root(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    build(tmp_path, {"defs/neuron/X.yaml": X.encode()})
    assert main(["--root", str(tmp_path)]) == 0
    capsys.readouterr()
    return tmp_path


@pytest.fixture
def edit(root: Path, capsys: pytest.CaptureFixture[str]) -> Edit:
    """Changes the definition and brews; gives what was said, once the result is right."""

    def run(summary: str) -> str:
        (root / "defs/neuron/X.yaml").write_text(X.replace("One", summary))
        assert main(["--root", str(root)]) == 0
        assert f'"""{summary}.' in (root / "generated/neuron/XGen.py").read_text()
        return capsys.readouterr().out

    return run


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The templates that Jinja compiles, in order."""
    names: list[str] = []
    compile = jinja2.Environment.compile

    def noted(self: jinja2.Environment, source: str, name: str, filename: str) -> object:
        names.append(name)
        return compile(self, source, name, filename)

    monkeypatch.setattr(jinja2.Environment, "compile", noted)
    yield names


def file_of(root: Path) -> Path:
    return root / ".brewer_cache" / "templates"


def inputs_of(root: Path) -> dict[str, str]:
    now = take_fingerprints(str(root), str(Project.of_this_tool().root))
    assert now
    return now.inputs


def test_a_run_after_an_edit_compiles_no_template(edit: Edit, compiled: list[str]) -> None:
    assert edit("Two") == "overwrote generated/neuron/XGen.py (changed: defs/neuron/X.yaml)\n"
    assert compiled == []


def flipped(data: bytes) -> bytes:
    at = len(data) // 2
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


DAMAGES: list[Callable[[bytes], bytes]] = [
    lambda data: b"",
    lambda data: data[: len(data) // 2],
    lambda data: data[:-1],
    lambda data: data[:20],
    lambda data: data + b"\n",
    flipped,
    lambda data: b"brewer templates 0" + data[18:],
    lambda data: b"\n" * 10,
    lambda data: "ä\nä\nä\nä".encode(),
    lambda data: marshal.dumps({}),
]


def test_nothing_of_a_damaged_file_is_looked_at(
    root: Path, edit: Edit, compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for damage in DAMAGES:  # in one project, since building one takes most of the time
        file_of(root).write_bytes(damage(file_of(root).read_bytes()))
        with monkeypatch.context() as patched:
            patched.setattr(compiled_templates, "marshal", UNREADING)
            assert edit("Two").count("\n") == 1
        assert compiled == NEEDED_FOR_ONE
        edit("Three")
        assert compiled == NEEDED_FOR_ONE  # the next run has whole code again
        compiled.clear()


def test_the_file_of_another_python_or_library_is_not_looked_at(
    root: Path, edit: Edit, compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    others = {"Python": "3.99", "jinja2": "jinja2-9.9.dist-info", "tool/brewer/templates.py": "another"}
    for name, value in others.items():
        body = file_of(root).read_bytes().split(b"\n", 3)[3]
        other = CompiledTemplates(str(root), {**inputs_of(root), name: value})
        write_code(str(root), other._key, body)
        with monkeypatch.context() as patched:
            patched.setattr(compiled_templates, "marshal", UNREADING)
            edit(f"As {name}")
        assert compiled == NEEDED_FOR_ONE
        compiled.clear()


def test_another_text_of_a_template_is_compiled(root: Path, edit: Edit, compiled: list[str]) -> None:
    included = root / "templates/marker.j2"
    included.write_text(included.read_text().replace("do not edit", "never edit"))
    edit("Two")
    assert "never edit" in (root / "generated/neuron/XGen.py").read_text()
    assert "instruction_module.py.j2" in compiled and "instruction.py.j2" not in compiled


def test_what_is_not_code_is_compiled(root: Path, edit: Edit, compiled: list[str]) -> None:
    key = CompiledTemplates(str(root), inputs_of(root))._key
    body = read_code(str(root), key)
    assert body
    kept = {name: (text, marshal.dumps("no code")) for name, (text, _) in marshal.loads(body).items()}
    write_code(str(root), key, marshal.dumps(kept))
    edit("Two")
    assert compiled == NEEDED_FOR_ONE


def test_a_folder_in_its_place_is_no_mistake(root: Path, edit: Edit, compiled: list[str]) -> None:
    file_of(root).unlink()
    file_of(root).mkdir()
    edit("Two")
    edit("Three")
    assert compiled == NEEDED_FOR_ONE * 2 and file_of(root).is_dir()
    assert [path.name for path in file_of(root).parent.iterdir() if "-" in path.name] == []


def test_a_pipe_in_its_place_is_not_waited_for(root: Path, edit: Edit) -> None:
    file_of(root).unlink()
    os.mkfifo(file_of(root))
    edit("Two")
    assert file_of(root).is_file()


def test_two_runs_at_once_leave_whole_code(root: Path, edit: Edit, compiled: list[str]) -> None:
    file_of(root).unlink()
    (root / "defs/neuron/X.yaml").write_text(X.replace("One", "Two"))
    command = [sys.executable, "-m", "brewer", "--root", str(root)]
    place = Project.of_this_tool().root
    runs = [subprocess.Popen(command, cwd=place, stdout=subprocess.DEVNULL) for _ in range(3)]
    assert [run.wait() for run in runs] == [0, 0, 0]
    edit("Three")
    assert compiled == []


def test_a_check_does_not_use_it(root: Path, compiled: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """What is kept here under the right name is the code of other templates."""
    project = Project(root)
    memory = Memory(project)
    assert memory.now
    known = CompiledTemplates(str(root), memory.now.inputs)
    fast = fast_environment(plain_environment(project.template_folders), known)
    for name in NEEDED_FOR_ONE:
        assert fast.loader
        source, file, _ = fast.loader.get_source(fast, name)
        bucket = known.get_bucket(fast, name, file or "", source)
        bucket.code = fast.compile("poison", name, file)
        known.dump_bytecode(bucket)
    known.keep()
    for arguments in (("--check",), ("--diff",), ("X", "--check")):
        compiled.clear()
        assert main(["--root", str(root), *arguments]) == 0
        assert "up to date" in capsys.readouterr().out
        assert set(NEEDED_FOR_ONE) <= set(compiled)


def test_a_run_with_mistakes_leaves_nothing(tmp_path: Path) -> None:
    build(tmp_path, {"defs/neuron/X.yaml": X.replace("summary", "sumary").encode()})
    assert main(["--root", str(tmp_path)]) == 2
    assert not (tmp_path / ".brewer_cache").exists()
