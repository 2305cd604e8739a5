"""`brewer diff` on the real definitions: changes as people make them, and where the definitions of before come from.

What is expected was worked out by hand from how texts and records are read (runtime/text/grammar.md, runtime/bir).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from brewer.command_line import main
from brewer.meaning.comparison import compare
from brewer.meaning.snapshot import load_both, snapshot_at
from brewer.project import Project
from runtime.diagnostics import DiagnosticsError
from tests.brewer.miniature import FILES
from tests.brewer.repositories import IMPLEMENTATIONS, Repository, any_repository, write
from tests.tree import ROOT

ACTIVATION = "defs/neuron/ActivationOp.yaml"
COPY = "defs/neuron/TensorCopyOp.yaml"
DYNAMIC = "defs/neuron/TensorCopyDynamicBase.yaml"
BINARY = "defs/graph/Binary.yaml"
WORDS = "defs/vocabulary.yaml"


class Tree:
    """A copy of the real project in a repository, with one commit."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def edit(self, file: str, *replacements: tuple[str, str]) -> None:
        path = self.root / file
        text = path.read_text(encoding="utf-8")
        for old, new in replacements:
            assert old in text, f"{file} has no {old!r} any more"
            text = text.replace(old, new, 1)
        path.write_text(text, encoding="utf-8")

    def diff(self, capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
        capsys.readouterr()
        assert main(["diff", "--json", *arguments, "--root", str(self.root)]) == code
        return json.loads(capsys.readouterr().out)


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("real") / "project"
    for name in ("defs", "runtime", "templates"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "onnx"))
    with pytest.MonkeyPatch.context() as patch:
        any_repository(root, patch).commit()
        yield root


@pytest.fixture
def tree(committed: Path) -> Iterator[Tree]:
    yield Tree(committed)
    shutil.rmtree(committed / "defs")
    shutil.copytree(ROOT / "defs", committed / "defs", ignore=shutil.ignore_patterns("onnx"))


def named(found: Any) -> dict[str, Any]:
    return {definition["name"]: definition for definition in found["definitions"]}


def rules(definition: Any) -> list[str]:
    return [change["rule"] for change in definition["changes"]]


def test_nothing_has_changed(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    found = tree.diff(capsys)
    assert (found["definitions"], found["vocabulary"], found["facts"], found["unread"]) == ([], [], [], [])


def test_an_attribute_with_a_default_and_its_group(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    """Old texts do not show it, old records do not list it, so both mean the default."""
    tree.edit(
        ACTIVATION,
        ('(? scale {scale})"', '(? scale {scale})(? alpha {alpha})"'),
        ("version: 2", "version: 3"),
        ("results:\n", "  alpha: {type: float, default: 0.5, doc: The slope below zero.}\nresults:\n"),
    )
    found = tree.diff(capsys)
    (definition,) = found["definitions"]
    assert definition["name"] == "neuron/ActivationOp"
    assert rules(definition) == ["attribute_added", "form_reads", "version_raised"]
    assert found["verdict"] == {"text": "compatible", "bir": "compatible", "needs_version": []}


def test_another_default(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    """`activation gelu %x` meant a scale of 1, and a record without `scale` did, too."""
    tree.edit(ACTIVATION, ("default: 1.0", "default: 2.0"))
    found = tree.diff(capsys, "--fail-if-breaking", code=1)
    assert rules(named(found)["neuron/ActivationOp"]) == ["default_changed"]
    assert found["verdict"] == {"text": "breaking", "bir": "breaking", "needs_version": ["neuron/ActivationOp"]}


def test_a_field_of_a_base_is_renamed_in_step_with_its_records(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    """`renames` reads old records. The gather form shows the field by place; the dictionary of the other names it."""
    tree.edit(DYNAMIC, ("  generic_dim:\n", "  dim:\n"), ("  generic_dim: number", "  dim: number"))
    tree.edit(DYNAMIC, ("op_kind:", "version: 2\nrenames: {2: {generic_dim: dim}}\nop_kind:"))
    tree.edit("defs/neuron/TensorCopyDynamicSrc.yaml", ("{generic_dim}", "{dim}"))
    # The wrapper and the inference function use the field by its name.
    for path in (
        *(tree.root / "runtime/wrappers").glob("TensorCopyDynamic*.py"),
        tree.root / "runtime/infer/copies.py",
    ):
        path.write_text(path.read_text(encoding="utf-8").replace("generic_dim", "dim"), encoding="utf-8")
    try:
        found = tree.diff(capsys)
    finally:
        for name in ("runtime/wrappers", "runtime/infer"):
            for path in (ROOT / name).glob("*.py"):
                shutil.copy(path, tree.root / name)
    by_name = named(found)
    assert set(by_name) == {f"neuron/TensorCopyDynamic{kind}" for kind in ("Base", "Src", "Dst")}
    gather, scatter = by_name["neuron/TensorCopyDynamicSrc"], by_name["neuron/TensorCopyDynamicDst"]
    assert (gather["text"], gather["bir"]) == ("compatible", "compatible")
    assert (scatter["text"], scatter["bir"]) == ("breaking", "compatible")
    assert "name_in_dictionary_changed" in rules(scatter) and "name_in_dictionary_changed" not in rules(gather)
    assert "attribute_renamed_in_records" in rules(gather)
    assert found["verdict"]["needs_version"] == []
    inherited = [change for change in scatter["changes"] if change["inherited_from"]]
    assert {change["inherited_from"] for change in inherited} == {"neuron/TensorCopyDynamicBase"}


def test_a_tighter_rule_and_a_word_less(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    """What the verifier refuses is read all the same; a word that went is refused by readers."""
    tree.edit(
        BINARY, ("constraints:\n", "constraints:\n  alike: {equal: [lhs.shape, rhs.shape], message: one shape}\n")
    )
    tree.edit(BINARY, ("[pow]", "[mul]"))
    tree.edit(WORDS, ("      - max\n      - min\n      - pow\n\n", "      - max\n      - min\n\n"))
    found = tree.diff(capsys)
    binary = named(found)["graph/Binary"]
    effects = {change["rule"]: change["effects"] for change in binary["changes"]}
    assert effects == {"words_removed": ["text", "bir"], "constraint_added": ["verify"], "fact_changed": ["behaviour"]}
    assert (binary["text"], binary["bir"]) == ("breaking", "breaking")
    (word,) = found["vocabulary"]
    assert (word["rule"], word["subject"], word["said"]) == ("word_removed", "binary_op", "pow")
    assert word["concerns"] == ["graph/Binary"]


def test_a_definition_under_another_name(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    """The mnemonic stays, so only what imports the class must change."""
    text = (tree.root / "defs/graph/Where.yaml").read_text(encoding="utf-8")
    (tree.root / "defs/graph/Where.yaml").unlink()
    write(tree.root, {"defs/graph/Choice.yaml": text.replace("name: Where", "name: Choice")})
    found = tree.diff(capsys, "Where")  # asked for by the name of before
    (definition,) = found["definitions"]
    assert (definition["name"], definition["was"]) == ("graph/Choice", "graph/Where")
    assert rules(definition) == ["renamed"] and definition["changes"][0]["effects"] == ["python"]
    assert found["verdict"]["text"] == found["verdict"]["bir"] == "compatible"


# Where the definitions of before come from.


@pytest.fixture(params=IMPLEMENTATIONS)
def repository(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    root = tmp_path / "project"
    write(root, FILES)
    write(root, {"defs/neuron/X.yaml": X})
    return Repository(root, request.param, monkeypatch)


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


def changed(root: Path, reference: str) -> list[str]:
    project = Project(root)
    return [difference.name for difference in compare(*load_both(project, reference)).differences]


def test_any_commit_is_compared_with(repository: Repository) -> None:
    first = repository.commit()
    write(repository.root, {"defs/neuron/X.yaml": X.replace("One.", "Two.")})
    repository.commit()
    assert changed(repository.root, "HEAD") == []
    assert changed(repository.root, first) == ["neuron/X"]
    assert str(snapshot_at(Project(repository.root), first).title) == first[:9]


def test_the_work_tree_stays_as_it_is(repository: Repository) -> None:
    repository.commit()
    write(repository.root, {"defs/neuron/X.yaml": X.replace("One.", "Two."), "notes.txt": "mine"})
    before = {p: p.read_bytes() for p in repository.root.rglob("*") if p.is_file() and ".git" not in p.parts}
    changed(repository.root, "HEAD")
    assert {p: p.read_bytes() for p in repository.root.rglob("*") if p.is_file() and ".git" not in p.parts} == before


def test_the_bytes_are_those_of_the_commit(repository: Repository) -> None:
    """No line end is converted, and no attribute of git is followed."""
    write(repository.root, {".gitattributes": "*.yaml text eol=crlf export-ignore\n"})
    repository.commit()
    assert snapshot_at(Project(repository.root), "HEAD").mistakes == ()
    assert changed(repository.root, "HEAD") == []


def test_a_project_may_lie_below_the_top_of_its_repository(repository: Repository) -> None:
    inner = repository.root / "inner"
    for name in ("defs", "runtime"):
        shutil.move(repository.root / name, inner / name)
    repository.commit()
    write(inner, {"defs/neuron/X.yaml": X.replace("One.", "Two.")})
    assert changed(inner, "HEAD") == ["neuron/X"]


def test_before_the_first_definition_everything_is_new(repository: Repository) -> None:
    shutil.rmtree(repository.root / "defs")
    repository.commit()
    write(repository.root, {**{k: v for k, v in FILES.items() if k.startswith("defs")}, "defs/neuron/X.yaml": X})
    (difference,) = compare(*load_both(Project(repository.root), "HEAD")).differences
    assert [change.rule for change in difference.changes] == ["added"]


@pytest.mark.parametrize("reference", ["", "-x", "HEAD:defs", "nope^", "a b"])
def test_what_is_no_commit_is_said(repository: Repository, reference: str) -> None:
    repository.commit()
    with pytest.raises(DiagnosticsError, match=r"error\[D085\]: git cannot show the definitions at "):
        snapshot_at(Project(repository.root), reference)


def test_a_repository_without_a_commit_is_said(repository: Repository) -> None:
    if repository.implementation == "stand_in":
        (repository.root / ".git/history.json").write_text('{"names": {}, "trees": {}, "blobs": {}}')
    with pytest.raises(DiagnosticsError, match="the repository has no commit yet"):
        snapshot_at(Project(repository.root), "HEAD")


def test_a_machine_without_git_is_said(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit()
    monkeypatch.setenv("PATH", str(repository.root))
    with pytest.raises(DiagnosticsError, match="git cannot be run"):
        snapshot_at(Project(repository.root), "HEAD")
