"""The names that a module's imports are found from are those of its syntax tree."""

import ast
from pathlib import Path

import pytest

from brewer.imports import LinesOfCode, known_names, names_used
from tests.brewer.case_files import read_cases
from tests.this_project import PROJECT, instructions

TEXTS = [path.read_text() for path in sorted(PROJECT.generated.rglob("*Gen.py"))]
TEXTS += [c.file.expected for c in read_cases(Path(__file__).parent / "cases") if c.show.endswith("Gen.py")]


def names_read(text: str) -> set[str]:
    """The names that a module's code reads, those in annotations and base classes too."""
    nodes = ast.walk(ast.parse(text))
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def test_of_the_names_that_are_imported_the_same_are_found() -> None:
    known = known_names(instructions().vocabulary, PROJECT.sources).keys()
    assert len(TEXTS) > 20
    lines = LinesOfCode(known)
    for text in TEXTS:
        assert names_used(text) & known == names_read(text) & known == lines.names_used(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('x = f"{quoted(self.a)} f32 {{f16}}"\n', "x f quoted self"),  # that a letter stands before quotes does no harm
        ("x = f'{a} \"b\"'\n", "x a"),
        ('"""Type and "Other"."""\nx = "Shape"\n', "x"),
        ('"""A \\"\\"\\" Type."""\nx = "\\"Shape"\n', "x"),
        ("x = AccessMode.LOAD  # Type\n", "x AccessMode"),
        ("def f(a: Type | None = None) -> dict[Key, Value]: ...\n", "def f a Type None dict Key Value"),
        ("class A(Base):\n    x: ClassVar = -y**2\n", "class A Base x ClassVar y"),
    ],
)
def test_texts_and_attributes_are_no_names(text: str, expected: str) -> None:
    assert {name for name in names_used(text) if name.isidentifier()} == set(expected.split())


@pytest.mark.parametrize(
    "text",
    [
        "x = Shape\n",
        'def f() -> Type:\n    """Shape."""\n    return DType\n',
        "x = '''\nShape'''\n",
        'x = """\nShape"""\n',
        'x = \'a """ b\', Type, \'"""\', Shape\n',
        '# """ Shape\nx = Type\n# """\n',
        '"""A \\"\\"\\" Type."""\nx = Shape\n',
        'x = "it\'s"  # Type\ny = Shape\n',
        'x = f"{Type}" + "Shape"\n',
    ],
)
def test_line_by_line_the_same_names_are_found(text: str) -> None:
    known = {"Shape", "Type", "DType"}
    assert LinesOfCode(known).names_used(text) == names_read(text) & known
