"""Documents of facts: what is said of foreign operators, by operator and version. Located tree to model.

    facts: ai.onnx
    source: {document: ..., section: ...}
    operators:
      Resize:
        10: {op_kind: elementwise, operands: {scales: {at: 1, precision: f32}}}

Deliberately absent: whether the operators exist and their operands stand where the document says. The library that
knows is no part of brewing; a test asks it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from brewer.keys import Keys, entry_mapping
from brewer.model import Source, Text
from brewer.problems import Problems
from brewer.read_rules import FACTS, OP_KINDS, read_source
from brewer.yaml_tree import Entry, Mapping
from runtime.diagnostics import Note

PRECISIONS = ("keep", "f32", "index", "scalar")
_VERSION = ("op_kind", "operands", "results", *FACTS)
_OPERATOR = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


@dataclass(frozen=True, slots=True)
class SlotFacts:
    """What the values of one operand or result are."""

    name: Text  # the formal name, for whoever reads the document
    at: int  # its index, which is what the table holds
    precision: str


@dataclass(frozen=True, slots=True)
class VersionFacts:
    since: int  # the first version of the operator set for which this holds
    op_kind: str
    operands: tuple[SlotFacts, ...]
    results: tuple[SlotFacts, ...]
    holding: tuple[str, ...]  # wide_range and its like, in the order of read_rules.FACTS


@dataclass(frozen=True, slots=True)
class OperatorFacts:
    name: Text
    versions: tuple[VersionFacts, ...]  # sorted


@dataclass(frozen=True, slots=True)
class FactsDocument:
    domain: str
    dialect: str  # the folder; all documents of one become one table
    file: str
    source: tuple[Source, ...]
    operators: tuple[OperatorFacts, ...]


def is_facts_document(tree: Mapping) -> bool:
    return tree.get("facts") is not None and tree.get("name") is None


def read_facts_document(dialect: str, file: str, tree: Mapping, problems: Problems) -> FactsDocument:
    """`file` is relative to the project."""
    keys = Keys(tree, "a document of facts", ("facts", "source", "operators"), problems)
    domain = keys.text("facts")
    if domain and domain.value != PurePosixPath(file).stem:
        message = f'the file of the facts of "{domain}" must be called {domain}.yaml'
        problems.error("D023", domain.place, message, help=f"rename the file, which is called {file.split('/')[-1]}")
    keys.require("operators", keys.place("facts"))
    operators = keys.mapping("operators") or ()
    return FactsDocument(
        domain=domain.value if domain else "",
        dialect=dialect,
        file=file,
        source=read_source(keys, problems),
        operators=tuple(_read_operator(entry, problems) for entry in operators),
    )


def _read_operator(entry: Entry, problems: Problems) -> OperatorFacts:
    if not _OPERATOR.match(entry.name):
        problems.error("D018", entry.place, f'"{entry.name}" is not a name of an operator')
    versions = []
    for version in entry_mapping(entry, problems) or ():
        since = version.key.value
        if not isinstance(since, int) or isinstance(since, bool) or since < 1:
            help = "an operator has facts by the version since which they hold: `10: {op_kind: elementwise}`"
            problems.error("D090", version.place, f'"{version.name}" is no version of an operator set', help=help)
            continue
        body = entry_mapping(version, problems)
        if body is not None:
            versions.append(_read_version(since, version, body, problems))
    if isinstance(entry.value, Mapping) and not entry.value.entries:
        problems.error("D090", entry.place, f'"{entry.name}" has no version', help="1: {op_kind: elementwise}")
    return OperatorFacts(Text(entry.name, entry.place), tuple(sorted(versions, key=lambda found: found.since)))


def _read_version(since: int, entry: Entry, body: Mapping, problems: Problems) -> VersionFacts:
    keys = Keys(body, "a version of an operator", _VERSION, problems)
    keys.require("op_kind", entry.place, "elementwise")
    op_kind = keys.word("op_kind", OP_KINDS, "kind of operation")
    return VersionFacts(
        since=since,
        op_kind=op_kind.value if op_kind else "",
        operands=_read_slots(keys, "operands", problems),
        results=_read_slots(keys, "results", problems),
        holding=tuple(name for name in FACTS if keys.flag(name)),
    )


def _read_slots(keys: Keys, section: str, problems: Problems) -> tuple[SlotFacts, ...]:
    found: dict[int, SlotFacts] = {}
    for name, body in keys.named_mappings(section):
        inner = Keys(body, f"one of the {section}", ("at", "precision"), problems)
        inner.require_all(("at", "precision"), name.place, "scales: {at: 2, precision: f32}")
        at = inner.integer("at")
        precision = inner.word("precision", PRECISIONS, "operand precision")
        if at is None or precision is None:
            continue
        if at < 0:
            problems.error("D014", inner.place("at"), f'"at" counts from 0, so it is not {at}')
        elif at in found:
            notes = [Note(f'"{found[at].name}" stands there too', found[at].name.place)]
            problems.error("D091", name.place, f"two of the {section} stand at {at}", notes=notes)
        else:
            found[at] = SlotFacts(name, at, precision.value)
    return tuple(found[at] for at in sorted(found))
