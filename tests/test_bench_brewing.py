"""The benchmark of brewing measures what it says: definitions and classes of such lengths, a pipeline that is fair."""

import ast
from pathlib import Path

import black
import jinja2
import pytest
import yaml

from bench.brewing import COLD, NAIVE, Sample, Samples, _beside_naive, write_brewing_table
from bench.brewing_project import definition, edit, name_of, write_project
from bench.naive_brewing import TEMPLATE, _view, brew
from brewer.load import load
from brewer.problems import Problems
from brewer.project import Project
from brewer.rendering import Renderer

SIZE = 14  # two of each family


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("bench") / "project"
    write_project(root, SIZE)
    assert brew(root) == SIZE
    return root


@pytest.fixture(scope="module")
def classes(root: Path) -> dict[str, ast.ClassDef]:
    """The classes that brewer writes, by name."""
    project = Project(root)
    files = Renderer(project, load(project), Problems()).render_all()
    return {found.name: found for file in files if file.path.endswith("Gen.py") for found in _classes(file.text)}


def _classes(text: str) -> list[ast.ClassDef]:
    return [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]


def _length(node: ast.ClassDef) -> int:
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1


def _naive(root: Path) -> dict[str, ast.ClassDef]:
    return {found.name: found for path in (root / "naive").glob("*.py") for found in _classes(path.read_text())}


def test_definitions_have_27_lines_and_classes_some_120(classes: dict[str, ast.ClassDef]) -> None:
    lines = [len(definition(index).splitlines()) for index in range(SIZE)]
    assert 26.5 <= sum(lines) / SIZE <= 27.5
    assert 115 <= sum(map(_length, classes.values())) / SIZE <= 128


def test_the_naive_pipeline_gives_classes_of_the_same_methods_and_length(
    root: Path, classes: dict[str, ast.ClassDef]
) -> None:
    naive = _naive(root)
    assert naive.keys() == classes.keys()
    for name, found in classes.items():
        methods, others = (
            {n.name for n in each.body if isinstance(n, ast.FunctionDef)} for each in (found, naive[name])
        )
        assert methods - {m for m in methods if m.startswith("_verify_")} <= others
    ours, theirs = (sum(map(_length, each.values())) for each in (classes, naive))
    assert theirs == pytest.approx(ours, rel=0.05)


def test_black_changes_what_the_naive_template_gives(root: Path) -> None:
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    file = root / "defs" / "graph" / f"{name_of(0)}.yaml"
    text = environment.from_string(TEMPLATE).render(_view(yaml.safe_load(file.read_text()), {}, file))
    formatted = black.format_str(text, mode=black.Mode(line_length=120))
    assert formatted != text
    assert len(formatted.splitlines()) > len(text.splitlines())


def test_no_two_definitions_are_alike_but_for_their_names() -> None:
    texts = {
        definition(index).replace(name_of(index), "X").replace(name_of(index).lower(), "x") for index in range(500)
    }
    assert len(texts) == 500


def test_an_edit_changes_one_definition(tmp_path: Path) -> None:
    write_project(tmp_path / "p", SIZE)
    files = {path: path.read_text() for path in (tmp_path / "p" / "defs").rglob("*.yaml")}
    edit(tmp_path / "p", index=3, count=1)
    assert [path.stem for path, text in files.items() if path.read_text() != text] == [name_of(3)]


def test_the_table_compares_with_bare_python_and_with_the_naive_pipeline() -> None:
    rows = [
        Samples("bare Python (-I -S -E -c pass)", {100: [Sample(0.01, 0.02)], 200: [Sample(0.01, 0.02)]}),
        Samples(NAIVE, {100: [Sample(2.0, 4.0)]}),
        Samples(COLD, {100: [Sample(0.5, 1.0)], 200: [Sample(1.0, 1.5)]}),
    ]
    table = write_brewing_table(rows, (100, 200))
    assert table[2:] == [
        "| bare Python (-I -S -E -c pass) | 0.010 | 0.010 | 0.00 | 1.0x | 0.05 | 0.02 s |",
        f"| {NAIVE} | 2.000 | - | - | - | - | - |",
        f"| {COLD} | 0.500 | 1.000 | 1.00 | 100.0x | 5.00 | 1.50 s |",
    ]
    (line,) = _beside_naive(rows, (100, 200))
    assert line.endswith("0.25x of its CPU time and 0.25x of its wall time at 100.")
