"""What `show` prints reads back as what it is about, and each key stands where it is said to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
import yaml

from brewer.commands.show import find_shown
from brewer.load import Instructions, load
from brewer.origins.trees import Trees
from brewer.project import Project

HERE = Project.of_this_tool()
DEFINITIONS = sorted(path for path in HERE.definitions.glob("*/*.yaml") if path.stem[0].isupper())


@cache
def written(file: str) -> Any:
    return yaml.safe_load((HERE.root / file).read_text(encoding="utf-8"))


@cache
def instructions() -> Instructions:
    return load(HERE)


@cache
def trees() -> Trees:
    return Trees(HERE)


@pytest.mark.parametrize("path", DEFINITIONS, ids=lambda path: path.stem)
def test_what_is_printed_is_the_definition_with_its_bases(path: Any) -> None:
    found = find_shown(f"{path.parent.name}/{path.stem}", instructions(), trees())
    shown = yaml.safe_load("\n".join(found.lines()))
    own = written(HERE.relative(path))
    assert {key: value for key, value in shown.items() if key in own and not isinstance(value, dict)} == {
        key: value for key, value in own.items() if not isinstance(value, dict)
    }
    for key, value in own.items():
        assert _holds(shown[key], value), f"{key}: {value} is not shown"
    as_json = json.loads(json.dumps(found.json()))
    assert as_json["value"] == json.loads(json.dumps(shown)), "keys that are numbers are texts in JSON"
    for entry in as_json["keys"]:
        file, line = entry["place"].rsplit(":", 1)
        text = (HERE.root / file).read_text(encoding="utf-8").splitlines()[int(line) - 1]
        assert f"{entry['path'][-1]}:" in text, f"{entry['path']} does not stand at {entry['place']}"


def test_what_a_base_says_is_shown_where_the_definition_says_nothing() -> None:
    shown = yaml.safe_load("\n".join(find_shown("TensorCopyDynamicSrc", instructions(), trees()).lines()))
    base = written("defs/neuron/TensorCopyDynamicBase.yaml")
    for key in ("operands", "attributes", "ap_indices", "engines", "op_kind", "serialize"):
        assert shown[key] == base[key]
    assert shown["results"] == {"result": {"infer": "gathered_type"}}  # overrides `same_as` of the base
    assert "abstract" not in shown and "wrapper" not in shown  # these belong to the base alone


@pytest.mark.parametrize("spelled", ["onnx/Resize", "Resize", "ai.onnx/Resize"])
def test_facts_about_an_operator(spelled: str) -> None:
    shown = yaml.safe_load("\n".join(find_shown(spelled, instructions(), trees()).lines()))
    assert shown == written("defs/onnx/ai.onnx.yaml")["operators"]["Resize"]


def _holds(shown: Any, value: Any) -> bool:
    """Whether everything that a definition says is shown; its bases may say more."""
    if isinstance(value, Mapping) and isinstance(shown, Mapping):
        return all(key in shown and _holds(shown[key], inner) for key, inner in value.items())
    return bool(shown == value)
