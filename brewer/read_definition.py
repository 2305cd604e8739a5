"""One definition, its bases merged in, from located tree to model. What other files must confirm is checked later."""

from __future__ import annotations

import os

from brewer.definition_keys import DEFINITION
from brewer.inheritance import Header
from brewer.keys import Keys, is_mapping_of_mappings
from brewer.model import Attribute, Definition, Operand, Result, Text
from brewer.older_values import read_before
from brewer.problems import Problems
from brewer.read_destination import read_destination
from brewer.read_fields import read_ap_indices, read_attribute, read_operand, read_result
from brewer.read_regions import read_regions
from brewer.read_rules import (
    read_capabilities,
    read_constraint,
    read_engines,
    read_facts,
    read_renames,
    read_serialize,
    read_source,
)
from brewer.vocabulary import Vocabulary
from brewer.yaml_tree import Mapping

_FIELD_SECTIONS = frozenset(("operands", "attributes", "ap_indices"))


def read_header(file: str, tree: Mapping, problems: Problems) -> Text | None:
    """The definition's name, once it is one; without it nothing else of the file can be judged."""
    keys = Keys(tree, DEFINITION, problems)
    start = tree.entries[0].place if tree.entries else tree.place
    leaf = os.path.basename(file)
    stem = leaf.rpartition(".")[0]
    keys.require(start, ["name"], f"add `name: {stem}`")
    name = keys.text("name")
    if name is None:
        return None
    if name.value != stem:
        message = f'the file of the definition "{name}" must be called {name}.yaml'
        help = f"rename the file, which is called {leaf}, or the definition"
        problems.error("D023", name.place, message, help=help)
        return None  # a copy of another definition would clash with it in everything
    return name


def read_definition(header: Header, tree: Mapping, vocabulary: Vocabulary, problems: Problems) -> Definition:
    """The model of a merged tree."""
    name = header.name
    keys = Keys(tree, DEFINITION, problems, vocabulary.lists)
    keys.check(name.place)
    abstract = keys.flag("abstract", otherwise=True)
    if not abstract and "abstract" not in keys.misspelled:
        help = "write `results: {result: {same_as: src}}`, or `results: {}` where there is none"
        keys.require(name.place, ["results"], help)
    op_kind = keys.word("op_kind")
    semantics = keys.text("semantics")
    constraints = (read_constraint(label, body, problems) for label, body in keys.named_mappings("constraints"))
    operands, attributes, results = _read_fields(keys, vocabulary, problems)
    renames = read_renames(keys, problems)
    return Definition(
        name=name,
        dialect=header.dialect,
        file=header.file,
        line=header.line,
        base=keys.text("base") or Text("", name.place),
        abstract=abstract,
        summary=_one_line(keys.text_or_empty("summary")),
        doc=keys.text_or_empty("doc"),
        source=read_source(keys, problems),
        since=keys.text_or_empty("since"),
        deprecated=_one_line(keys.text_or_empty("deprecated")),
        version=keys.integer("version") or 1,
        examples=keys.texts("examples"),
        wrapper=keys.text("wrapper"),
        dst=read_destination(keys, results, vocabulary, problems),
        operands=operands,
        results=results,
        attributes=attributes,
        ap_indices=tuple(read_ap_indices(n, body, problems) for n, body in keys.named_mappings("ap_indices")),
        regions=read_regions(keys, vocabulary, problems),
        constraints=tuple(constraint for constraint in constraints if constraint),
        engines=read_engines(keys, vocabulary, problems),
        capabilities=read_capabilities(keys, problems),
        fields_are_known=_sections_are_sound(keys)
        and all(one.is_sound for one in operands)
        and all(one.is_sound for one in attributes),
        misspelled=keys.misspelled,
        op_kind=op_kind.value if op_kind else None,
        facts=read_facts(keys, problems),
        rhs_str=keys.text("rhs_str"),
        semantics=None if semantics and semantics.value == "none" else semantics,
        serialize=read_serialize(keys, problems),
        renames=renames,
        before=read_before(keys, attributes, renames, vocabulary, problems),
    )


def _read_fields(
    keys: Keys, vocabulary: Vocabulary, problems: Problems
) -> tuple[tuple[Operand, ...], tuple[Attribute, ...], tuple[Result, ...]]:
    return (
        tuple(read_operand(name, body, vocabulary, problems) for name, body in keys.named_mappings("operands")),
        tuple(read_attribute(name, body, vocabulary, problems) for name, body in keys.named_mappings("attributes")),
        tuple(read_result(name, body, vocabulary, problems) for name, body in keys.named_mappings("results")),
    )


def _sections_are_sound(keys: Keys) -> bool:
    """Whether the sections that name fields are there in full: neither misspelled nor with anything doubled."""
    if not _FIELD_SECTIONS.isdisjoint(keys.misspelled | keys.doubled):
        return False
    for key in _FIELD_SECTIONS & keys.entries.keys():
        section = keys.entries[key].value
        if isinstance(section, Mapping) and section.doubled or not is_mapping_of_mappings(keys, key):
            return False
    return True


def _one_line(text: str) -> str:
    return " ".join(text.split())
