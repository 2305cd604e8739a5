"""Shows a definition with everything that it inherits, and where each key stands; or facts about a foreign operator.

  brewer show TensorCopyDynamicSrc       a definition, by its name, its class or its mnemonic
  brewer show graph/MatMul               with its dialect, where several have the name
  brewer show onnx/Resize                what the precision passes know of an operator, by version

What is printed is YAML. A comment says where a key stands, and what of a base it overrides. What is not stated holds by
default.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brewer.definition_keys import DEFINITION
from brewer.inheritance import NOT_INHERITED
from brewer.load import Brewable, Instructions, load
from brewer.origins.answers import mistake, module_of
from brewer.origins.by_name import find_definition
from brewer.origins.shown import value_of, yaml_lines
from brewer.origins.trees import KeyPath, Located, Trees, entry_in
from brewer.project import Project
from brewer.read_facts import FactsDocument
from brewer.report import say
from brewer.yaml_tree import Entry, Mapping
from runtime.diagnostics import Place


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a definition, `MatMul` or `graph/MatMul`, or `onnx/Resize`")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(project: Project, options: argparse.Namespace) -> int:
    """Prints one definition or operator."""
    shown = find_shown(options.name, load(project), Trees(project))
    say([json.dumps(shown.json(), indent=2)] if options.json else shown.lines(), sys.stdout)
    return 0


def find_shown(name: str, instructions: Instructions, trees: Trees) -> ShownDefinition | ShownOperator:
    """What is shown under a name. A definition comes before an operator of the same name.

    Raises: DiagnosticsError where nothing has the name.
    """
    operators = {
        spelled: document
        for document in instructions.facts
        for operator in document.operators
        for spelled in (
            operator.name.value,
            f"{document.dialect}/{operator.name}",
            f"{document.domain}/{operator.name}",
        )
    }
    if name in operators and name not in {definition.name.value for definition in instructions.definitions}:
        return ShownOperator(trees, operators[name], name.rpartition("/")[2])
    brewable, part = find_definition(name, instructions, also=operators)
    if part:
        raise mistake("D083", f'"{name}" is a part of a definition', f"see `brewer where {name}`")
    return ShownDefinition(trees, brewable)


@dataclass(frozen=True)
class ShownDefinition:
    """A definition as it is resolved."""

    trees: Trees
    brewable: Brewable

    @property
    def located(self) -> Located:
        return self.trees.definitions[self.brewable.definition.file]

    @property
    def tree(self) -> Mapping:
        """The keys in the order of the documentation, whoever says them."""
        order = {name: index for index, name in enumerate(DEFINITION.names)}
        tree = self.located.tree
        return Mapping(tree.place, {name: tree.by_name[name] for name in sorted(tree.by_name, key=order.__getitem__)})

    def lines(self) -> list[str]:
        return [*(f"# {line}" for line in self._head()), *yaml_lines(self.tree, self._comment)]

    def json(self) -> dict[str, Any]:
        definition = self.brewable.definition
        return {
            "name": f"{definition.dialect}/{definition.name}",
            "bases": [*self.brewable.bases, self.brewable.root],
            "value": value_of(self.tree),
            "keys": [self._key_json(path, entry) for path, entry in self.located.entries()],
        }

    def _head(self) -> Iterator[str]:
        definition = self.brewable.definition
        bases = [f"{Path(file).stem} ({file})" for file in self.brewable.bases]
        inherits = ", with what it inherits" if bases else ""
        yield f"{definition.dialect}/{definition.name}, {definition.file}{inherits}"
        yield f"stands on {', '.join([*bases, self.brewable.root])}"
        yield f"brewed to {module_of(self.brewable, self.trees.project)}"

    def _comment(self, path: KeyPath, entry: Entry) -> str:
        overridden = self._overridden(path, entry)
        more = f", overrides {_said(self.trees, overridden)}" if overridden else ""
        return f"{self._stands(entry.place)}{more}"

    def _stands(self, place: Place) -> str:
        """The line; of another file than that of the head, the file, too."""
        said = _said(self.trees, place)
        return said.replace(f"{self.brewable.definition.file}:", "line ")

    def _overridden(self, path: KeyPath, entry: Entry) -> Place | None:
        """Where the nearest base says something else under the same key; a mapping is merged, not overridden."""
        if isinstance(entry.value, Mapping) or not self.brewable.bases or path[0] in NOT_INHERITED:
            return None
        known = self.trees.definitions[self.brewable.bases[0]].entry(path)
        return known.place if known and known.place != entry.place else None

    def _key_json(self, path: KeyPath, entry: Entry) -> dict[str, Any]:
        overridden = self._overridden(path, entry)
        overrides = _said(self.trees, overridden) if overridden else None
        return {"path": list(path), "place": _said(self.trees, entry.place), "overrides": overrides}


@dataclass(frozen=True)
class ShownOperator:
    """What a document of facts says of an operator, by version."""

    trees: Trees
    document: FactsDocument
    name: str

    @property
    def tree(self) -> Mapping:
        entry = entry_in(self.trees.read(self.trees.project.root / self.document.file), ("operators", self.name))
        assert entry is not None and isinstance(entry.value, Mapping), "an operator was loaded with its versions"
        return entry.value

    def lines(self) -> list[str]:
        head = f"{self.document.dialect}/{self.name} of {self.document.domain}: what the precision passes know of it"
        since = "each number is the version of the operator set since which the facts below it hold, until the next one"
        return [f"# {head}", f"# {since}", *yaml_lines(self.tree, lambda _, entry: _said(self.trees, entry.place))]

    def json(self) -> dict[str, Any]:
        return {
            "name": f"{self.document.dialect}/{self.name}",
            "domain": self.document.domain,
            "versions": value_of(self.tree),
            "places": {entry.name: _said(self.trees, entry.place) for entry in self.tree},
        }


def _said(trees: Trees, place: Place) -> str:
    return f"{trees.project.relative(Path(place.file))}:{place.line}"
