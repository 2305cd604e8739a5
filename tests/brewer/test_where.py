"""Every generated line comes from a template line and a key; both are held against the texts of the files."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from brewer.load import load
from brewer.origins.by_name import answer_by_name
from brewer.origins.lines import Origin, Origins
from brewer.origins.members import KEYS_OF_INFO, KEYS_OF_MEMBERS, members_of
from brewer.origins.traced import TracedRenderer, without_marks
from brewer.problems import Problems
from brewer.project import Project
from brewer.rendering import Renderer
from runtime.info import InstructionInfo
from tests.brewer.case_files import read_case
from tests.brewer.miniature import build

HERE = Project.of_this_tool()
_EXPRESSION = re.compile(r"\{[{%#].*?[}%#]\}")


@cache
def origins() -> Origins:
    return Origins(HERE, load(HERE))


def lines() -> list[Origin]:
    return [origin for found in origins().files.values() for origin in found if origin.text.strip()]


@cache
def file_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_the_marks_change_nothing(tmp_path: Path) -> None:
    """Taken out again, they leave what a run writes: of the real definitions, and of one that says everything."""
    everything = build(tmp_path / "project", read_case(Path(__file__).parent / "cases/everything.case").files)
    for project in (HERE, everything):
        instructions = load(project)
        plain = Renderer(project, instructions, Problems()).render_all()
        marked = TracedRenderer(project, instructions, Problems()).render_all()
        assert [(f.path, without_marks(f.text)) for f in marked] == [(f.path, f.text) for f in plain]


def test_every_line_was_written_by_a_template() -> None:
    assert [f"{o.file}:{o.number}" for o in lines() if not o.templates] == []


def test_a_template_line_without_expressions_is_the_line_that_it_wrote() -> None:
    checked = 0
    for origin in lines():
        source, *others = origin.templates
        text = file_lines(HERE.templates / source.template)[source.line - 1]
        if not others and not _EXPRESSION.search(text):
            indent = "    " if origin.text != text else ""  # what a template writes within `try` is indented once more
            assert origin.text == indent + text, f"{origin.file}:{origin.number} is not {source}"
            checked += 1
    assert checked > 400


def test_what_a_template_line_says_around_its_expressions_stands_in_the_line() -> None:
    """The first line that an expression writes starts as the template line does; a value of several lines goes on."""
    checked = 0
    before: Origin | None = None
    for origin in lines():
        source = origin.templates[0]
        text = file_lines(HERE.templates / source.template)[source.line - 1]
        goes_on = before is not None and before.file == origin.file and source in before.templates
        start = _EXPRESSION.split(text)[0].strip()
        if start and not goes_on:
            assert origin.text.strip().startswith(start), f"{origin.file}:{origin.number} does not start as {source}"
            checked += 1
        before = origin
    assert checked > 900


def test_every_line_of_a_class_is_about_a_key_that_stands_where_it_is_said_to() -> None:
    checked = 0
    for origin in (origin for origin in lines() if origin.member):
        assert origin.place is not None and origin.keys, f"{origin.file}:{origin.number}"
        written = file_lines(Path(origin.place.file))[origin.place.line - 1]
        assert re.search(rf"(?<!\w){re.escape(origin.keys[-1])}:", written), f"{origin.file}:{origin.number}: {written}"
        checked += 1
    assert checked > 2000


def test_a_line_that_names_a_field_is_about_it() -> None:
    """What is assigned in a constructor is known from the text alone."""
    checked = 0
    for origin in (origin for origin in lines() if origin.member == "__init__"):
        assigned = re.match(r"\s*self\._(\w+) = (?!Block)", origin.text)
        if assigned:
            assert origin.keys[-1] == assigned[1], f"{origin.file}:{origin.number}"
            checked += 1
    assert checked > 20


def test_the_parts_of_every_class_are_known() -> None:
    """A new method or keyword of INFO is given keys in brewer/origins/members.py."""
    unknown = set()
    for brewable in origins().instructions.brewables:
        text = "\n".join(origin.text for origin in origins().of_definition(brewable.definition.file))
        definition = brewable.definition
        own = {found.name.value for found in (*definition.fields, *definition.regions, *definition.results)}
        for member in members_of(text):
            name = member.name.split(".")[0]
            if name not in KEYS_OF_MEMBERS and name not in own | {"INFO", "docstring", "else_"}:
                unknown |= {name} if not name.startswith(("_verify_", "_infer_")) else set()
    assert unknown == set()
    assert set(InstructionInfo.__dataclass_fields__) - {"open_attributes"} == set(KEYS_OF_INFO)


@pytest.mark.parametrize("spelled", ["TensorCopyOp", "neuron/TensorCopyOp", "TensorCopyOpGen", "tensor_copy"])
def test_a_definition_has_several_names(spelled: str) -> None:
    assert answer_by_name(f"{spelled}.src", origins()).title == "neuron/TensorCopyOp.src"


@pytest.mark.parametrize(
    ("asked", "part"),
    [
        ("TensorCopyOp.INFO.engines", 'engines=("vector", "scalar", "gpsimd"),'),
        ("graph.if.blocks", "def blocks(self) -> tuple[Block, ...]:"),
        ("Binary.same_dtype", "def _verify_same_dtype(self) -> Iterator[Problem]:"),
        ("TensorCopyDynamicDst.generic_dim", "def generic_dim(self) -> int:"),
        ("ActivationOp.wide_range", '"wide_range": {"function": ("exp", "square", "reciprocal", "rsqrt")},'),
        ("ActivationOp.engine_hint", "engine_hint = NeuronEngine.SCALAR"),
    ],
)
def test_parts_are_found_by_name(asked: str, part: str) -> None:
    found = answer_by_name(asked, origins())
    assert part in [origin.text.strip() for origin in found.generated]
    assert found.definition
