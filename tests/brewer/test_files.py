"""Files that are no definitions, or very strange ones: each gets a diagnostic, quickly, and nothing hangs."""

import os
import stat
import time
from pathlib import Path

import pytest

from brewer.__main__ import main as plain_main
from brewer.command_line import main
from brewer.definition_files import LARGEST
from brewer.load import load
from brewer.project import Project
from runtime.diagnostics import Diagnostic, DiagnosticsError
from tests.brewer.miniature import build

X = """\
name: X
base: NeuronInst
summary: One.
rhs_str: "x {src}"
operands:
  src: {}
results:
  result: {same_as: src}
"""
FACTS = "facts: ai.onnx\noperators:\n  Relu: {1: {op_kind: elementwise}}\n"


def mistakes(project: Project) -> tuple[Diagnostic, ...]:
    try:
        load(project)
    except DiagnosticsError as error:
        assert all(found.render() for found in error.diagnostics)
        return error.diagnostics
    return ()


def project_with(folder: Path, files: dict[str, bytes]) -> Project:
    return build(folder, files, templates=False)


def having(text: str, old: str = "") -> bytes:
    """The definition with a text in place of a part of it, or behind it."""
    assert old in X
    return (X.replace(old, text, 1) if old else X + text).encode()


MALFORMED: dict[str, tuple[bytes, str]] = {
    # Bytes and lines.
    "utf-16 with a mark": (X.encode("utf-16"), "D001"),
    "utf-16 without one": (X.encode("utf-16-le"), "D004"),
    "utf-32": (X.encode("utf-32"), "D001"),
    "latin-1": (having("Größe.", "One.").decode().encode("latin-1"), "D001"),
    "half a character": (having("é", "One.").replace(b"\xa9", b""), "D001"),
    "surrogate": (having("One.", "One.").replace(b"One.", b"\xed\xa0\x80"), "D001"),
    "byte order mark": (X.encode("utf-8-sig"), "D002"),
    "dos line ends": (X.replace("\n", "\r\n").encode(), "D003"),
    "mac line ends": (X.replace("\n", "\r").encode(), "D003"),
    "tab as indent": (having("\tsrc", "  src"), "D004"),
    "tab in a text": (having("One\tand two.", "One."), "D004"),
    "null": (having("On\0e.", "One."), "D004"),
    "bell": (having("On\a.", "One."), "D004"),
    "line separator": (having("One\u2028two.", "One."), "D004"),
    "next line": (having("One\u0085two.", "One."), "D004"),
    "nothing": (b"", "D007"),
    "spaces": (b"   \n\n  \n", "D007"),
    "comments": (b"# to do\n", "D007"),
    "marker only": (b"---\n", "D014"),
    "null document": (b"~\n", "D012"),
    # Not YAML, or not a mapping.
    "prose": (b"This is a definition of X.\n", "D014"),
    "python": (b"class X(NeuronInst): ...\n", "D011"),
    "json with a comment": (b'{"name": "X", // here\n "base": 1}\n', "D006"),
    "markup": (b"<definition name='X'/>\n", "D014"),
    "conflict": (having("<<<<<<< HEAD\nversion: 1\n=======\nversion: 2\n>>>>>>> other\n"), "D006"),
    "list": (b"- name: X\n- base: NeuronInst\n", "D014"),
    "number": (b"12\n", "D014"),
    "open bracket": (having("{same_as: [src", "{same_as: src}"), "D006"),
    "open quote": (having('"x {src}', '"x {src}"'), "D006"),
    "two documents": (X.encode() + b"---\n" + X.encode(), "D008"),
    "end marker": (X.encode() + b"...\nname: Y\n", "D006"),
    "directive": (b"%YAML 1.1\n---\n" + X.encode(), ""),
    "unknown directive": (b"%FOO bar\n" + X.encode(), "D006"),
    "anchor": (having("&a {}", "{}"), "D009"),
    "merge": (having("base: &b NeuronInst\n<<: *b\n", "base: NeuronInst\n"), "D009"),
    "laughter": (b"a: &a [x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n", "D009"),
    "tag": (having("!!python/object:os.system {}", "{}"), "D021"),
    "binary": (having("doc: !!binary R0lGODlh\n"), "D021"),
    "key that is a list": (having("? [a, b]\n: c\n"), "D014"),
    "key that is a mapping": (having("? {a: b}\n: c\n"), "D014"),
    "empty key": (having(": c\n"), "D006"),
    "key without colon": (having("version\n"), "D006"),
    # Values.
    "yes": (having("dst: yes\n"), "D012"),
    "octal": (having("version: 010\n"), "D012"),
    "hexadecimal": (having("version: 0x10\n"), "D012"),
    "base 60": (having("version: 1:30\n"), "D012"),
    "underscore": (having("version: 1_0\n"), "D012"),
    "exponent": (having("attributes: {a: {type: float, default: 1e3}}\n"), "D012"),
    "not a number": (having("attributes: {a: {type: float, default: .nan}}\n"), "D012"),
    "quoted nan": (having('attributes: {a: {type: float, default: "nan"}}\n'), "D050"),
    "infinite": (having("attributes: {a: {type: float, default: -.INF}}\n"), "D012"),
    "infinite bound": (having("attributes: {a: {type: float, max: .inf}}\n"), "D014"),
    "infinite whole number": (having("attributes: {a: {type: int, default: -.inf}}\n"), "D050"),
    "too large a float": (having("attributes: {a: {type: float, default: 1.0e+400}}\n"), "D012"),
    "65 bits": (having("attributes: {a: {type: int, default: 36893488147419103232}}\n"), "D012"),
    "digits": (having(f"version: {'9' * 5000}\n"), "D012"),
    "digits of a fraction": (having(f"attributes: {{a: {{type: int, default: 0.{'1' * 5000}}}}}\n"), "D050"),
    "digits of an index": (
        having(f'constraints: {{a: {{equal: ["src.shape[{"9" * 5000}]", 1], message: m}}}}\n'),
        "D071",
    ),
    "date": (having("since: 2024-01-31\n"), "D012"),
    "null value": (having("doc: null\n"), "D012"),
    "no value": (having("doc:\n"), "D022"),
    "empty list": (having("engines: []\n"), "D022"),
    "deep flow": (having(f"doc: {'[' * 1000}{']' * 1000}\n"), "D020"),
    "deep blocks": (having("a:\n" + "".join(f"{' ' * depth}a:\n" for depth in range(1, 300))), "D020"),
    "deep dashes": (having(f"a:\n{'- ' * 1000}x\n"), "D020"),
    "long key": (having(f"{'k' * 900}: 1\n"), "D011"),
    "very long key": (having(f"{'k' * 5000}: 1\n"), "D006"),
    "long name": (having("N" * 5000, "X"), "D023"),
    "long field": (having(f"rhs_str: \"x {{{'f' * 5000}}}\"", 'rhs_str: "x {src}"'), "D042"),
    "path as a name": (having("../X", "X"), "D018"),
    "line end in a name": (b'"name": "X\\n"\n' + X.partition("\n")[2].encode(), "D018"),
    "code in a name": (having("import os", "X"), "D018"),
    "letters beyond ASCII": (having("Ärger", "X"), "D018"),
    "field beyond ASCII": (having("  ſrc: {}", "  src: {}"), "D018"),
    "template in a summary": (having("A {{ view }} {% raw %}.", "One."), ""),
    "quotes in a doc": (having('doc: \'Three """ of them, \\N{BULLET} and a backslash \\\'\n'), ""),
}


@pytest.mark.parametrize("case", sorted(MALFORMED))
def test_malformed_files_get_their_code(case: str, tmp_path: Path) -> None:
    content, code = MALFORMED[case]
    found = mistakes(project_with(tmp_path, {"defs/neuron/X.yaml": content}))
    assert code in [each.code for each in found] if code else found == ()
    assert len(str(found)) < 100_000


@pytest.mark.parametrize("case", sorted(MALFORMED)[::3])
def test_the_vocabulary_may_be_malformed_too(case: str, tmp_path: Path) -> None:
    content, _ = MALFORMED[case]
    assert mistakes(project_with(tmp_path, {"defs/vocabulary.yaml": content, "defs/neuron/X.yaml": X.encode()}))


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    project = project_with(tmp_path, {"defs/neuron/X.yaml": X.encode()})
    os.mkfifo(project.definitions / "neuron" / "Y.yaml")
    (found,) = mistakes(project)
    assert found.code == "D027" and "it is a pipe or device" in found.message
    (project.definitions / "vocabulary.yaml").unlink()
    os.mkfifo(project.definitions / "vocabulary.yaml")
    assert {found.code for found in mistakes(project)} == {"D027"}


@pytest.mark.parametrize("folder", ["runtime", "runtime/wrappers", "runtime/semantics"])
@pytest.mark.parametrize("run", [("--check",), (), ("list",), ("show", "X"), ("new", "Y", "--like", "X"), ("schema",)])
def test_a_pipe_among_hand_written_files_is_not_waited_for(
    folder: str, run: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = project_with(tmp_path, {"defs/neuron/X.yaml": X.encode()}).root
    (root / folder).mkdir(exist_ok=True)
    os.mkfifo(root / folder / "pipe.py")
    assert main([*run, "--root", str(root)]) == (0 if run == ("schema",) else 2)
    said = capsys.readouterr().err
    assert run == ("schema",) or f"{folder}/pipe.py:1:1: error[D027]: the file cannot be read: it is a pipe" in said


@pytest.mark.parametrize("run", [("--check",), ("--diff",), (), ("--force",)])
def test_a_pipe_among_generated_files_is_not_waited_for(
    run: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = build(tmp_path, {"defs/neuron/X.yaml": X.encode()}).root
    assert plain_main(["--root", str(root)]) == 0
    os.mkfifo(root / "generated/neuron/OtherGen.py")
    socket = str(root / "generated/socket.py")
    os.mknod(socket, stat.S_IFSOCK | 0o600)
    assert plain_main([*run, "--root", str(root)]) == 0
    assert stat.S_ISFIFO((root / "generated/neuron/OtherGen.py").stat().st_mode) and os.path.exists(socket)
    (root / "generated/neuron/XGen.py").unlink()
    os.mkfifo(root / "generated/neuron/XGen.py")
    capsys.readouterr()
    assert plain_main([*run, "--root", str(root)]) == 2
    said = capsys.readouterr().err
    assert "generated/neuron/XGen.py:1:1: error[D082]: it is a pipe or device, and nothing that brewer wrote" in said


def test_pipes_in_place_of_what_is_remembered_or_of_settings_are_not_waited_for(tmp_path: Path) -> None:
    root = build(tmp_path, {"defs/neuron/X.yaml": X.encode()}).root
    (root / ".brewer_cache").mkdir()
    for name in (".brewer_cache/state", ".brewer_cache/written", "pyproject.toml"):
        os.mkfifo(root / name)
    assert plain_main(["--root", str(root)]) == 0
    assert plain_main(["--root", str(root)]) == 0


def test_links_in_circles_and_into_nothing_are_said(tmp_path: Path) -> None:
    project = project_with(tmp_path, {"defs/neuron/X.yaml": X.encode()})
    folder = project.definitions / "neuron"
    (folder / "A.yaml").symlink_to(folder / "B.yaml")
    (folder / "B.yaml").symlink_to(folder / "A.yaml")
    (folder / "C.yaml").symlink_to("nowhere")
    (folder / "inside").symlink_to(project.definitions)
    (project.definitions / "again").symlink_to(folder)
    found = {Path(each.place.file).name: each.code for each in mistakes(project) if each.place}
    assert found == {"A.yaml": "D027", "B.yaml": "D027", "C.yaml": "D027", "inside": "D026", "again": "D026"}


def test_a_link_to_a_file_is_read(tmp_path: Path) -> None:
    project = project_with(tmp_path, {"elsewhere/X.yaml": X.encode()})
    (project.definitions / "neuron").mkdir()
    (project.definitions / "neuron" / "X.yaml").symlink_to(project.root / "elsewhere" / "X.yaml")
    assert mistakes(project) == ()


@pytest.mark.parametrize("name", ["Y.yml", "Y.YAML", "Y.Yaml", "deep/Y.yaml"])
def test_whatever_looks_like_a_definition_is_read_or_said(name: str, tmp_path: Path) -> None:
    (found,) = mistakes(project_with(tmp_path, {"defs/neuron/X.yaml": X.encode(), f"defs/neuron/{name}": X.encode()}))
    assert found.code == "D026"


@pytest.mark.parametrize("name", [".X.yaml.swp", ".#X.yaml", "._X.yaml", ".idea/x.yaml", "X.yaml~", "X.yaml.orig"])
def test_what_editors_leave_behind_is_not_looked_at(name: str, tmp_path: Path) -> None:
    assert mistakes(project_with(tmp_path, {"defs/neuron/X.yaml": X.encode(), f"defs/neuron/{name}": b"\0"})) == ()


def test_a_folder_or_file_without_permission_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the tests run as somebody who may read everything."""
    project = project_with(tmp_path, {"defs/neuron/X.yaml": X.encode(), "defs/closed/Y.yaml": X.encode()})
    scandir = os.scandir

    def refusing_scandir(path: str) -> object:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    def refusing_read(path: str) -> bytes:
        if path.endswith("X.yaml"):
            raise PermissionError(13, "Permission denied", path)
        return Path(path).read_bytes()

    monkeypatch.setattr("brewer.definition_files.os.scandir", refusing_scandir)
    monkeypatch.setattr("brewer.definition_files.read_file", refusing_read)
    said = [f"{found.code} {found.message}" for found in mistakes(project)]
    assert said == [
        "D027 the folder cannot be read: Permission denied",
        "D027 the file cannot be read: Permission denied",
    ]


@pytest.mark.parametrize("filling", [b"# comment\n", b"a: {b: [c, d]}\n", b"[", b"\xff", b"x"])
def test_files_of_ten_megabytes_are_refused_at_once(filling: bytes, tmp_path: Path) -> None:
    project = project_with(tmp_path, {"defs/neuron/X.yaml": (filling * 10_000_000)[:10_000_000]})
    start = time.process_time()
    (found,) = mistakes(project)
    assert found.code == "D028" and time.process_time() - start < 1


@pytest.mark.parametrize(
    "line",
    [
        " a{}: {{}}\n",
        " a{}: {{type: int, default: x}}\n",
        " a{}: {{acess: load}}\n",
        "unknown{}: 1\n",
        " a{}: {{equal: [b{}, 1], message: m}}\n",
    ],
)
def test_the_time_for_large_files_grows_with_their_size(line: str, tmp_path: Path) -> None:
    """Four times the text takes less than twelve times as long; a quadratic reader would take sixteen times."""
    taken = []
    for size in (LARGEST // 64, LARGEST // 16):
        count = size // len(line)
        section = "" if line.startswith("unknown") else "constraints:\n" if "equal" in line else "attributes:\n"
        text = "name: X\nbase: NeuronInst\nsummary: One.\nrhs_str: x\nresults: {}\n" + section
        text += "".join(line.format(number, number) for number in range(count))
        folder = tmp_path / str(size)
        folder.mkdir()
        project = project_with(folder, {"defs/neuron/X.yaml": text.encode()})
        best = min(_seconds(project) for _ in range(5))  # the machine may be busy with something else
        taken.append(best)
    assert taken[1] < 12 * taken[0]


def _seconds(project: Project) -> float:
    start = time.process_time()
    assert len(mistakes(project)) <= 200
    return time.process_time() - start


def test_a_long_chain_of_bases_is_read(tmp_path: Path) -> None:
    files = {"defs/neuron/X0.yaml": X.replace("name: X", "name: X0").replace('rhs_str: "x {src}"', "abstract: true")}
    for number in range(1, 300):
        text = f"name: X{number}\nbase: X{number - 1}\nsummary: One.\nabstract: true\n"
        files[f"defs/neuron/X{number}.yaml"] = text
    assert mistakes(project_with(tmp_path, {name: text.encode() for name, text in files.items()})) == ()


def test_a_long_circle_of_bases_is_one_mistake(tmp_path: Path) -> None:
    files = {
        f"defs/neuron/X{number}.yaml": f"name: X{number}\nbase: X{(number + 1) % 300}\nsummary: One.\n".encode()
        for number in range(300)
    }
    assert [found.code for found in mistakes(project_with(tmp_path, files))] == ["D031"]


def test_many_mistakes_of_a_file_are_not_all_shown(tmp_path: Path) -> None:
    found = mistakes(project_with(tmp_path, {"defs/neuron/X.yaml": having("".join(f"k{n}: 1\n" for n in range(1000)))}))
    assert len(found) == 100 and found[-1].notes[-1].message == "further mistakes are not shown"


def test_a_facts_document_can_be_named_and_writes_its_table_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {
        "defs/neuron/X.yaml": X,
        "defs/onnx/ai.onnx.yaml": FACTS,
        "defs/onnx/other.yaml": FACTS.replace("ai.onnx", "other"),
    }
    project = build(tmp_path, {name: text.encode() for name, text in files.items()})
    root = ["--root", str(project.root)]
    assert main(["onnx/ai.onnx", *root]) == 0
    written = [path.name for path in project.generated.rglob("*.py")]
    assert written == ["facts.py"] and "wrote generated/onnx/facts.py" in capsys.readouterr().out
    assert main(["ai.onnx", "--check", *root]) == 0
    assert "ai.onnx is up to date" in capsys.readouterr().out
    assert main(["onnx/ai.onyx", *root]) == 2
    assert 'did you mean "onnx/ai.onnx"?' in capsys.readouterr().err
