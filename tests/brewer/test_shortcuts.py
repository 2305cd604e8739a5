"""What is done in a shorter way than a library's gives what the library gives."""

import random
import textwrap
from pathlib import Path

import pytest

from brewer.load import load
from brewer.problems import Problems
from brewer.project import Project
from brewer.python_text import wrapped
from brewer.rendering import Renderer
from brewer.template_faults import TemplateFaults
from brewer.templates import fast_environment, plain_environment, rendered
from runtime.diagnostics import Place
from tests.brewer.miniature import build

PROJECT = Project.of_this_tool()


def test_paragraphs_are_filled_as_textwrap_fills_them() -> None:
    choose = random.Random(1)
    for _ in range(2_000):
        lengths = choose.choices((1, 2, 3, 5, 8, 13, 40, 115, 130), weights=(9, 9, 9, 9, 9, 9, 1, 0.1, 0.1), k=60)
        gaps = choose.choices((" ", "  ", "\t", "\n", "\N{NO-BREAK SPACE}"), weights=(1e4, 5, 1, 1, 5), k=60)
        words = "".join(("x-" * length)[:length] + gap for length, gap in zip(lengths, gaps, strict=True))
        text = " " * choose.choice((0, 0, 4, 8)) + words[: choose.randrange(1, len(words))]
        indent, hang = choose.choice((0, 4, 8, 80)), choose.choice((0, 4, 8))
        expected = textwrap.wrap(
            text, 120 - indent, subsequent_indent=" " * hang, break_long_words=False, break_on_hyphens=False
        )
        assert wrapped(text, indent, hang) == expected


def test_templates_render_alike_in_both_forms() -> None:
    instructions = load(PROJECT)
    plain, fast = (Renderer(PROJECT, instructions, Problems()) for _ in range(2))
    plain.__dict__["fast"] = plain.environment
    assert plain.render_all() == fast.render_all()


@pytest.mark.parametrize(
    "template",
    [
        'a\n{% include "inner.j2" %}\nb\n',
        'a\n  {% include "inner.j2" %}\nb\n',
        'a {% include "inner.j2" %} b\n',
        'a\n{%- include "inner.j2" -%}\nb\n',
        '{% for x in "ab" %}\n{% include "inner.j2" %}\n{% endfor %}\n{{ x is defined }}\n',
        '{% set y = 1 %}\n{% include "inner.j2" %}\n{{ y }} {{ z is defined }}\n',
        '{% if no is defined %}\n{% include "missing.j2" %}\n{% endif %}\nb\n',
        '{#\n{% include "inner.j2" %}\n#}\nb\n',
        '{% raw %}\n{% include "inner.j2" %}\n{% endraw %}\nb\n',
        '{% include "outer.j2" %}\n{% include "without_end.j2" %}\nb\n',
        '{% include ["missing.j2", "inner.j2"] %}\nb\n',
        '{% macro m() %}\n{% include "inner.j2" %}\n{% endmacro %}\n[{{ m() }}]\n',
        '{% include "inner.j2" without context %}\nb\n',
    ],
)
def test_an_include_and_its_text_in_place_of_it_are_one(template: str, tmp_path: Path) -> None:
    inner = "{# A note. #}\n{% set z = 2 %}\n{% set y = 3 %}\n{{ x }}{{ y }}{{ z }}\n".replace(
        "{{ x }}", "{{ x | default(0) }}"
    )
    files = {
        "t.j2": template,
        "inner.j2": inner,
        "outer.j2": '<\n{% include "inner.j2" %}\n>\n',
        "without_end.j2": "end",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    plain = plain_environment([tmp_path])
    rendered = plain.get_template("t.j2").render(x=1)
    try:
        assert fast_environment(plain).get_template("t.j2").render(x=1) == rendered
    except Exception as error:  # then the plain form decides
        assert "missing.j2" in str(error)


@pytest.mark.parametrize(
    ("template", "fails"),
    [
        ("{{ place.line }} {{ place.file.upper() }}", False),
        ("{% for key in table.keys() %}{{ key }}{% endfor %}", False),
        ("{{ table.name }}", True),  # an item, which Jinja takes where there is no such attribute
        ("{{ place.nothing is defined }}", True),
        ("{{ place.nothing | default(1) }}", True),
        ("{{ place.line if place.nothing is not defined }}", True),
        ("{{ range is defined }} {{ namespace(x=place).x.line }}", False),
        ("{{ place.if is defined }}", True),
        ("{{ nobody.name is defined }}", True),
    ],
)
def test_the_fast_form_gives_the_text_of_the_plain_one_or_fails(template: str, fails: bool, tmp_path: Path) -> None:
    (tmp_path / "t.j2").write_text(template)
    plain = plain_environment([tmp_path])
    values = {"place": Place("a", 1, 2), "table": {"name": "b"}}
    try:
        fast = rendered(fast_environment(plain).get_template("t.j2"), values)
    except Exception:
        assert fails
    else:
        assert not fails and fast == plain.get_template("t.j2").render(**values)


def test_what_all_templates_know_is_known_in_both_forms(tmp_path: Path) -> None:
    (tmp_path / "t.j2").write_text("{{ range is defined }} {{ range(x) | list }} {{ y is defined }}")
    plain = plain_environment([tmp_path])
    fast = rendered(fast_environment(plain).get_template("t.j2"), {"x": 2})
    assert fast == plain.get_template("t.j2").render(x=2) == "True [0, 1] False"


def test_a_fault_is_told_with_the_line_of_its_own_template(tmp_path: Path) -> None:
    x = b'name: X\nbase: NeuronInst\nsummary: One.\nrhs_str: "x"\nresults: {}\n'
    project = build(tmp_path, {"defs/neuron/X.yaml": x, "templates/rules.j2": b"\n{{ view.nothing }}\n"})
    renderer = Renderer(project, load(project), Problems())
    renderer.render_all()
    (found,) = renderer.problems.found
    assert isinstance(renderer.faults, TemplateFaults) and found.place is not None
    assert (Path(found.place.file).name, found.place.line) == ("rules.j2", 2)


def test_bases_of_one_name_in_two_dialects_are_told_apart(tmp_path: Path) -> None:
    base = b'name: A\nbase: %sInst\nsummary: One.\nrhs_str: "%sa"\nresults: {}\n'
    derived = b'name: B\nbase: A\nsummary: One.\nrhs_str: "%sb"\n'
    definitions = {
        "defs/graph/A.yaml": base % (b"Graph", b"graph."),
        "defs/graph/B.yaml": derived % b"graph.",
        "defs/neuron/A.yaml": base % (b"Neuron", b""),
        "defs/neuron/B.yaml": derived % b"",
    }
    project = build(tmp_path, definitions)
    rendered = {file.path: file.text for file in Renderer(project, load(project), Problems()).render_all()}
    for dialect, other in (("graph", "neuron"), ("neuron", "graph")):
        text = rendered[f"generated/{dialect}/BGen.py"]
        assert f"from generated.{dialect}.AGen import AGen" in text and f"generated.{other}" not in text
