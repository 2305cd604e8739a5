"""The table of facts about foreign operators, as entries of a dictionary."""

from __future__ import annotations

from collections.abc import Iterable

from brewer.frozen import frozen
from brewer.python_text import Call, docstring, flat, literal
from brewer.read_facts import AttributeFacts, FactsDocument, VersionFacts


@frozen
class OperatorView:
    key: str  # ("ai.onnx", "Conv")
    versions: str  # the tuple of versions with their facts


@frozen
class FactsView:
    docstring: tuple[str, ...]
    classes: tuple[str, ...]  # those of `runtime.precision_facts` that it needs, sorted
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
    return FactsView(tuple(docstring(lines, 0)), _classes(documents), tuple(views))


def _versions(key: tuple[str, str], versions: tuple[VersionFacts, ...]) -> str:
    return literal(tuple((v.since, _facts(v)) for v in versions), 4, len(flat(key)) + 2, explode=True)


def _facts(version: VersionFacts) -> Call:
    words = {"computes": version.computes, "regions": version.regions}
    slots = {"operands": version.operands, "results": version.results}
    said: dict[str, object] = {name: {s.at: s.precision for s in found} for name, found in slots.items() if found}
    if version.attributes:
        said["attributes"] = {one.name.value: _attribute(one) for one in version.attributes}
    said.update({name: word for name, word in words.items() if word})
    said.update({name: True for name in version.holding})
    return Call("PrecisionFacts", (version.op_kind,), said, exploded=False)


def _attribute(facts: AttributeFacts) -> Call:
    said = {"default": facts.default, "added_to": facts.added_to}
    known = {name: one for name, one in said.items() if one is not None}
    return Call("AttributeFacts", (facts.precision,), known, exploded=False)


def _classes(documents: Iterable[FactsDocument]) -> tuple[str, ...]:
    versions = (version for d in documents for operator in d.operators for version in operator.versions)
    return (*["AttributeFacts"] * any(version.attributes for version in versions), "FactsTable", "PrecisionFacts")
