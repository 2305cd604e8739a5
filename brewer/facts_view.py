"""The table of facts about foreign operators, as entries of a dictionary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from brewer.python_text import Call, docstring, flat, literal
from brewer.read_facts import FactsDocument, VersionFacts


@dataclass(frozen=True, slots=True)
class OperatorView:
    key: str  # ("ai.onnx", "Conv")
    versions: str  # the tuple of versions with their facts


@dataclass(frozen=True, slots=True)
class FactsView:
    docstring: tuple[str, ...]
    operators: tuple[OperatorView, ...]  # sorted by domain and name


def facts_view(documents: Iterable[FactsDocument]) -> FactsView:
    documents = sorted(documents, key=lambda document: document.domain)
    sources = [f"{s.document}{', ' * bool(s.section)}{s.section}" for d in documents for s in d.source]
    lines = [
        "What the precision passes know of operators that have no definition: domain and operator -> version -> facts."
    ]
    lines += ["", "The versions are those of the operator set since which the facts hold; `facts_at` looks them up."]
    lines += [f"Source: {'; '.join(dict.fromkeys(sources))}."] if sources else []
    operators = sorted((d.domain, o.name.value, o.versions) for d in documents for o in d.operators)
    views = (OperatorView(flat((domain, name)), _versions((domain, name), found)) for domain, name, found in operators)
    return FactsView(tuple(docstring(lines, 0)), tuple(views))


def _versions(key: tuple[str, str], versions: tuple[VersionFacts, ...]) -> str:
    return literal(tuple((v.since, _facts(v)) for v in versions), 4, len(flat(key)) + 2, explode=True)


def _facts(version: VersionFacts) -> Call:
    slots = {"operands": version.operands, "results": version.results}
    said: dict[str, object] = {name: {s.at: s.precision for s in found} for name, found in slots.items() if found}
    said.update({name: True for name in version.holding})
    return Call("PrecisionFacts", (version.op_kind,), said, exploded=False)
