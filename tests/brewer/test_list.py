"""The counts of `list`, beside those that plain YAML gives."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import pytest
import yaml

from brewer.command_line import main
from brewer.project import Project

HERE = Project.of_this_tool()


def written(dialect: str) -> list[Any]:
    """The files of a dialect as YAML has them; nothing of what a base says."""
    folder = HERE.definitions / dialect
    return [yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader) for path in sorted(folder.glob("*.yaml"))]


@pytest.fixture(scope="module")
def listed() -> dict[str, Any]:
    """What `list --json` says of each dialect."""
    with redirect_stdout(StringIO()) as printed:
        assert main(["list", "--json"]) == 0
    return {dialect["name"]: dialect for dialect in json.loads(printed.getvalue())["dialects"]}


@pytest.mark.parametrize("dialect", ["neuron", "graph"])
def test_definitions_are_counted(dialect: str, listed: dict[str, Any]) -> None:
    found = listed[dialect]
    own = [document for document in written(dialect) if "name" in document]
    concrete = [document for document in own if not document.get("abstract")]
    counts = found["counts"]
    assert (counts["instructions"], counts["abstract"]) == (len(concrete), len(own) - len(concrete))
    assert counts["with_semantics"] == sum(document.get("semantics", "none") != "none" for document in concrete)
    assert counts["with_wrapper"] == sum("wrapper" in document for document in own)
    assert [entry["name"] for entry in found["definitions"]] == sorted(f"{dialect}/{d['name']}" for d in own)
    kinds = Counter(document["op_kind"] for document in concrete if "op_kind" in document)
    assert all(counts["kinds"][kind] >= count for kind, count in kinds.items())  # a base may say it, too


def test_operators_are_counted(listed: dict[str, Any]) -> None:
    found = listed["onnx"]
    operators = [name for document in written("onnx") for name in document["operators"]]
    assert found["counts"]["operators"] == len(found["operators"]) == len(operators)


def test_all_dialects_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    printed = capsys.readouterr().out
    for dialect in ("graph", "neuron", "onnx"):
        assert f"\n{dialect}: " in printed
    assert "tensor_copy data_movement vector, scalar, gpsimd copies.copy" in " ".join(printed.split())
    assert not printed.startswith("\n") and "  - " not in printed.split("\nonnx: ")[1]
