"""The pages that belong to no single definition: the facts about foreign operators, and the vocabulary."""

from __future__ import annotations

from collections.abc import Iterable

from brewer.documentation.blocks import Block, Line, Page, Paragraph, Section, Table, code, joined, plain, prose
from brewer.read_facts import AttributeFacts, FactsDocument, OperatorFacts, VersionFacts
from brewer.vocabulary import Vocabulary


def facts_page(document: FactsDocument) -> Page:
    """One table, a row for each version of an operator."""
    heads = ("operator", "since", "kind", "holds", "operands", "results", "attributes", "computes", "regions")
    rows = tuple(_row(operator, version) for operator in document.operators for version in operator.versions)
    versions = Paragraph(plain("A version holds until the next one that is listed."))
    table = Table(heads, rows).without_empty_columns
    sources = ", ".join(f"{source.document}, {source.section}".rstrip(", ") for source in document.source)
    return Page(
        name=f"{document.dialect}/{document.domain}",
        title=document.domain,
        summary=f"What the precision passes know of the {len(document.operators)} operators of {document.domain}.",
        words=tuple(operator.name.value for operator in document.operators),
        sections=(
            Section("Operators", (versions, table)),
            Section("Origin", (Paragraph((*code(document.file), *plain(f"; {sources}" if sources else ""))),)),
        ),
    )


def _row(operator: OperatorFacts, version: VersionFacts) -> tuple[Line, ...]:
    return (
        code(operator.name),
        plain(version.since),
        plain(version.op_kind),
        joined(map(code, version.holding)),
        joined(_slot(slot.at, slot.name, slot.precision) for slot in version.operands),
        joined(_slot(slot.at, slot.name, slot.precision) for slot in version.results),
        joined(map(_attribute, version.attributes)),
        plain(version.computes),
        plain(version.regions),
    )


def _slot(at: int, name: object, precision: str) -> Line:
    return (*plain(f"{at} "), *code(name), *plain(f": {precision}"))


def _attribute(attribute: AttributeFacts) -> Line:
    more = f", by default {attribute.default}" if attribute.default is not None else ""
    more += f", added to operand {attribute.added_to}" if attribute.added_to is not None else ""
    return (*code(attribute.name), *plain(f": {attribute.precision}{more}"))


def vocabulary_page(vocabulary: Vocabulary, file: str) -> Page:
    """A section for each enumeration and group, whose names have no spaces, and each list of words, whose title has."""
    shared = (
        ("All data types", vocabulary.dtypes),
        ("All memories", vocabulary.memories),
        ("All engines", vocabulary.engines),
    )
    targets = tuple((code(name), joined(map(code, engines))) for name, engines in vocabulary.engines_of)
    sections = [
        Section(e.name.value, _words(e.values, e.doc)) for e in sorted(vocabulary.enums, key=lambda e: e.name.value)
    ]
    sections += [Section(n, _words(w, "A group of data types.")) for n, w in sorted(vocabulary.dtype_groups)]
    sections += [Section(title, _words(words)) for title, words in shared if words]
    reach = tuple(
        (code(name), joined(map(code, memories.reads)), joined(map(code, memories.writes)))
        for name, memories in vocabulary.engine_memories
    )
    sections += [Section("Memories of engines", (Table(("engine", "reads", "writes"), reach),))] if reach else []
    sections += [Section("All targets", (Table(("target", "engines"), targets),))] if targets else []
    return Page(
        name="vocabulary",
        title="Vocabulary",
        summary="The words that definitions, text and BIR may use.",
        words=tuple(word for enum in vocabulary.enums for word in enum.values),
        sections=(*sections, Section("Where they stand", (Paragraph(code(file)),))),
        shows_sections_in_list=True,
    )


def _words(words: Iterable[str], doc: str = "") -> tuple[Block, ...]:
    return (*([Paragraph(prose(doc))] if doc else []), Paragraph(joined(map(code, words))))
