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

from pathlib import PurePosixPath

from brewer.definition_keys import FACTS
from brewer.document_keys import ATTRIBUTE_FACTS, FACTS_DOCUMENT, OPERATOR_NAME, SLOT, VERSION
from brewer.frozen import frozen
from brewer.keys import Keys, entry_mapping, is_written_as
from brewer.model import Source, Text
from brewer.problems import Problems
from brewer.read_rules import read_source
from brewer.yaml_tree import Entry, Mapping
from runtime.diagnostics import Note


@frozen
class SlotFacts:
    """What the values of one operand or result are."""

    name: Text  # the formal name, for whoever reads the document
    at: int  # its index, which is what the table holds
    precision: str


@frozen
class AttributeFacts:
    """What the value of an attribute is."""

    name: Text
    precision: str
    default: float | None
    added_to: int | None  # the index of an operand


@frozen
class VersionFacts:
    since: int  # the first version of the operator set for which this holds
    op_kind: str
    operands: tuple[SlotFacts, ...]
    results: tuple[SlotFacts, ...]
    attributes: tuple[AttributeFacts, ...]  # sorted by name
    computes: str  # empty where nothing is said, as is the next
    regions: str
    holding: tuple[str, ...]  # wide_range and its like, in the order of definition_keys.FACTS


@frozen
class OperatorFacts:
    name: Text
    versions: tuple[VersionFacts, ...]  # sorted


@frozen
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
    keys = Keys(tree, FACTS_DOCUMENT, problems)
    keys.check(keys.place("facts"))
    domain = keys.text("facts")
    if domain and domain.value != PurePosixPath(file).stem:
        message = f'the file of the facts of "{domain}" must be called {domain}.yaml'
        problems.error("D023", domain.place, message, help=f"rename the file, which is called {file.split('/')[-1]}")
    operators = keys.mapping("operators") or ()
    return FactsDocument(
        domain=domain.value if domain else "",
        dialect=dialect,
        file=file,
        source=read_source(keys, problems),
        operators=tuple(_read_operator(entry, problems) for entry in operators),
    )


def _read_operator(entry: Entry, problems: Problems) -> OperatorFacts:
    name = Text(entry.name, entry.place)
    is_written_as(OPERATOR_NAME, name, problems)
    listed = entry_mapping(entry, problems)
    versions = []
    for version in listed or ():
        since = version.key.value
        if not isinstance(since, int) or isinstance(since, bool) or since < 1:
            help = "an operator has facts by the version since which they hold: `10: {op_kind: elementwise}`"
            problems.error("D090", version.place, f'"{version.name}" is no version of an operator set', help=help)
            continue
        body = entry_mapping(version, problems)
        if body is not None:
            versions.append(_read_version(since, version, body, problems))
    if listed is not None and not listed.entries:
        problems.error("D090", entry.place, f'"{name}" has no version', help="1: {op_kind: elementwise}")
    return OperatorFacts(name, tuple(sorted(versions, key=lambda found: found.since)))


def _read_version(since: int, entry: Entry, body: Mapping, problems: Problems) -> VersionFacts:
    keys = Keys(body, VERSION, problems)
    keys.check(entry.place)
    op_kind = keys.word("op_kind")
    computes, regions = keys.word("computes"), keys.word("regions")
    return VersionFacts(
        since=since,
        op_kind=op_kind.value if op_kind else "",
        operands=_read_slots(keys, "operands", problems),
        results=_read_slots(keys, "results", problems),
        attributes=_read_attributes(keys, problems),
        computes=computes.value if computes else "",
        regions=regions.value if regions else "",
        holding=tuple(name for name in FACTS if keys.flag(name)),
    )


def _read_slots(keys: Keys, section: str, problems: Problems) -> tuple[SlotFacts, ...]:
    found: dict[int, SlotFacts] = {}
    for name, body in keys.named_mappings(section):
        inner = Keys(body, SLOT, problems)
        inner.check(name.place)
        at = inner.integer("at")
        precision = inner.word("precision")
        if at is None or precision is None:
            continue
        if at in found:
            notes = [Note(f'"{found[at].name}" stands there too', found[at].name.place)]
            problems.error("D091", name.place, f"two of the {section} stand at {at}", notes=notes)
        else:
            found[at] = SlotFacts(name, at, precision.value)
    return tuple(found[at] for at in sorted(found))


def _read_attributes(keys: Keys, problems: Problems) -> tuple[AttributeFacts, ...]:
    found = []
    for name, body in keys.named_mappings("attributes"):
        inner = Keys(body, ATTRIBUTE_FACTS, problems)
        inner.check(name.place)
        precision, default, added_to = inner.word("precision"), inner.number("default"), inner.integer("added_to")
        if precision:
            value = None if default is None else float(default)
            found.append(AttributeFacts(name, precision.value, value, added_to))
    return tuple(sorted(found, key=lambda one: one.name.value))
