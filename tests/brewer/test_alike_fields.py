"""Fields that are like those of another definition are read and rendered once; what only looks alike is not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from brewer.brewing import brew
from brewer.python_nodes import members
from runtime.diagnostics import DiagnosticsError
from tests.brewer.miniature import build

# Pairs of attributes that Python takes for equal, or that are written alike, and what each becomes.
PAIRS = [
    ("{type: float, default: 0.0}", "{type: float, default: -0.0}", "default=0.0", "default=-0.0"),
    ("{type: float, min: 1}", "{type: float, min: 1.0}", "min=1)", "min=1.0)"),
    ("{type: float, max: 1}", "{type: float, max: 1.0}", "max=1)", "max=1.0)"),
    ("{type: float, one_of: [0.0]}", "{type: float, one_of: [-0.0]}", "one_of=(0.0,)", "one_of=(-0.0,)"),
    ("{type: bool, default: true}", '{type: str, default: "true"}', "n: bool = True", 'n: str = "true"'),
    ("{type: int, default: 1}", "{type: float, default: 1}", "n: int = 1", "n: float = 1.0"),
    ('{type: str, default: "1"}', "{type: int, default: 1}", 'n: str = "1"', "n: int = 1"),
]


def definition(name: str, attribute: str) -> bytes:
    return f"""\
name: {name}
base: NeuronInst
summary: One.
rhs_str: "{name.lower()} {{src}}"
operands:
  src: {{}}
attributes:
  n: {attribute}
results:
  result: {{same_as: src}}
""".encode()


@pytest.mark.parametrize(("one", "other", "of_one", "of_other"), PAIRS)
def test_what_only_looks_alike_is_kept_apart(one: str, other: str, of_one: str, of_other: str, tmp_path: Path) -> None:
    files = {f"defs/neuron/{name}.yaml": definition(name, said) for name, said in (("A", one), ("B", other))}
    texts = brew(build(tmp_path / "project", files)).texts
    a, b = (" ".join(texts[f"generated/neuron/{name}Gen.py"].split(" ")) for name in "AB")
    assert flat(of_one) in flat(a) and flat(of_one) not in flat(b)
    assert flat(of_other) in flat(b) and flat(of_other) not in flat(a)


def flat(text: str) -> str:
    """Without the line ends and the last comma by which a call of one line and one of several differ."""
    return "".join(text.split()).replace(",)", ")")


def test_a_mistake_that_stands_in_two_definitions_is_said_of_both(tmp_path: Path) -> None:
    files = {f"defs/neuron/{name}.yaml": definition(name, "{type: int, default: 0, min: 1}") for name in "AB"}
    with pytest.raises(DiagnosticsError) as found:
        brew(build(tmp_path / "project", files))
    assert [(d.code, Path(d.place.file).name) for d in found.value.diagnostics if d.place] == [
        ("D051", "A.yaml"),
        ("D051", "B.yaml"),
    ]


def test_the_text_true_is_no_flag_although_an_earlier_flag_is_written_so(tmp_path: Path) -> None:
    files = {
        "defs/neuron/A.yaml": definition("A", "{type: int, optional: true}"),
        "defs/neuron/B.yaml": definition("B", '{type: int, optional: "true"}'),
    }
    with pytest.raises(DiagnosticsError) as found:
        brew(build(tmp_path / "project", files))
    assert [d.message for d in found.value.diagnostics] == ['"optional" is true or false, not the text "true"']


def test_what_methods_assign_to_self_are_members_wherever_the_statement_stands() -> None:
    text = """
class C:
    def f(self):
        self.a = self.no = 1
        self.b: int = 2
        self.c += self.never
        (self.d, [self.e, *self.f]) = x
        for self.g in y:
            with z as self.h:
                try:
                    self.i = 0
                except E:
                    self.j = 0
                else:
                    self.k = 0
                finally:
                    self.l = 0
        while t:
            match u:
                case 1 if v:
                    self.m = 0
        else:
            def inner():
                self.n = 0
        other.o = self.p.q = 0
        self.r[0] = del_(self.s)
"""
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.ClassDef)
    assert "".join(sorted({name for name, _ in members(node)} - {"f", "no"})) == "abcdeghijklmn"
