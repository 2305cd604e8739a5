"""What a definition can say reaches the generated class, and what a class can say of itself is said by a definition."""

import ast
import dataclasses
from pathlib import Path
from typing import Any

import pytest

from brewer import model
from brewer.load import load
from brewer.problems import Problems
from brewer.rendering import Renderer
from runtime import info, precision_facts
from tests.brewer.case_files import read_case
from tests.brewer.miniature import build
from tests.test_golden import rendered

CASES = Path(__file__).parent / "cases"
# What only checks read: places of messages, and what is known to be wrong.
FOR_CHECKS = {
    *("Definition.base", "Definition.rhs_str"),  # views have what loading makes of them: classes, and the parsed form
    *(
        "Condition.places",
        "Default.place",
        "Destination.place",
        "Engines.place",
        "Operand.is_sound",
        "Attribute.is_sound",
        "AttributeType.values",
    ),
    *("Definition.fields_are_known", "Definition.misspelled"),
}
OF_HAND_WRITTEN_CLASSES = {"InstructionInfo.open_attributes"}
MODELS = [
    found
    for found in vars(model).values()
    if isinstance(found, type) and dataclasses.is_dataclass(found) and found.__module__ == model.__name__
]


def test_every_field_of_the_model_reaches_a_view(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: set[str] = set()
    rendering_of_everything(tmp_path, monkeypatch, read)
    every = {f"{cls.__name__}.{field.name}" for cls in MODELS for field in dataclasses.fields(cls)}
    assert sorted(every - read - FOR_CHECKS) == []


def test_every_field_of_the_info_is_said_by_a_definition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [file.text for file in rendered()]
    texts += [rendering_of_everything(tmp_path, monkeypatch, set())]
    texts += [read_case(CASES / f"{name}.case").file.expected for name in ("facts_document", "several_results")]
    said = {keyword for text in texts for keyword in keywords_of(text)}
    classes = (info.OperandInfo, info.DstInfo, info.AttributeInfo, info.InstructionInfo, precision_facts.PrecisionFacts)
    optional = {f"{c.__name__}.{field.name}" for c in classes for field in dataclasses.fields(c) if _has_default(field)}
    assert sorted(optional - said - OF_HAND_WRITTEN_CLASSES) == []


def rendering_of_everything(folder: Path, monkeypatch: pytest.MonkeyPatch, read: set[str]) -> str:
    """The definition that says everything, rendered; `read` gets the fields of the model that were read meanwhile."""
    case = read_case(CASES / "everything.case")
    project = build(folder, case.files)
    loaded = load(project)

    def recording(cls: type) -> Any:
        def getattribute(self: object, name: str) -> Any:
            read.add(f"{cls.__name__}.{name}")
            return object.__getattribute__(self, name)

        return getattribute

    with monkeypatch.context() as patched:
        for cls in MODELS:
            patched.setattr(cls, "__getattribute__", recording(cls), raising=False)
        files = Renderer(project, loaded, Problems()).render_all()
    return next(file.text for file in files if file.path == case.show)


def keywords_of(text: str) -> list[str]:
    calls = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    return [f"{ast.unparse(call.func)}.{keyword.arg}" for call in calls for keyword in call.keywords]


def _has_default(field: "dataclasses.Field[Any]") -> bool:
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING
