"""Constraints, engines, capabilities, precision facts and BIR rules of a definition: located tree to model."""

from __future__ import annotations

import re

from brewer.keys import Keys, entry_mapping, is_known, kind_of, read_texts
from brewer.model import (
    BirField,
    Constraint,
    Engines,
    Fact,
    FactByAttribute,
    FieldTerm,
    Rename,
    Source,
    Term,
    Text,
)
from brewer.problems import Problems
from brewer.read_fields import check_label
from brewer.vocabulary import Vocabulary
from brewer.yaml_tree import Mapping, Node, Scalar, Sequence
from runtime.diagnostics import Place

RELATIONS = ("equal", "not_equal", "less", "at_most", "at_least", "multiple_of")
CAPABILITIES = (
    "can_mutate_dst_ty",
    "can_write_to_psum",
    "can_vectorize",
    "is_barrier",
    "side_effects",
    "terminator",
    "commutative",
)
OP_KINDS = ("compute", "reduction", "elementwise", "data_movement", "boundary")
FACTS = ("force_f32", "precision_intact", "keeps_dtype", "wide_range", "range_safe", "follow")
# How `BirWriter` writes a field: the names of its methods, and `list` for a list of them.
BIR_KINDS = ("var", "number", "word", "flag", "dtype", "shape", "type", "constant", "indices", "list")
_TERM = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\.([A-Za-z_][A-Za-z0-9_]*)(?:\[(-?[0-9]+)\])?)?\Z")


def read_constraint(label: Text, body: Mapping, problems: Problems) -> Constraint | None:
    check_label(label, "label of a constraint", problems)
    keys = Keys(body, "a constraint", (*RELATIONS, "when", "message"), problems)
    keys.require("message", label.place, "what is wrong")
    keys.exclusive(*RELATIONS)
    relation = next((name for name in RELATIONS if name in keys), None)
    if relation is None and keys.misspelled:
        return None
    if relation is None:
        help = f"one of {', '.join(RELATIONS)}: [left, right]"
        problems.error("D071", label.place, f'the constraint "{label}" states no relation', help=help)
        return None
    terms = _read_terms(keys.value(relation), relation, problems)
    message = keys.text("message")
    if message and ("{" in message.value or "}" in message.value):
        help = "the verifier adds the values of both terms to the message"
        problems.error("D071", message.place, "a message has no placeholders", help=help)
    when = keys.text("when")
    if terms is None:
        return None
    return Constraint(label, relation, terms[0], terms[1], message.value.strip() if message else "", when)


def read_engines(keys: Keys, vocabulary: Vocabulary, problems: Problems) -> Engines:
    hint = keys.word("engine", vocabulary.engines, "engine", "D016")
    legal: tuple[str, ...] = ()
    by_target: list[tuple[str, tuple[str, ...]]] = []
    node = keys.value("engines")
    if isinstance(node, Mapping):
        for entry in node:
            words = _engine_words(entry.value, entry.name, vocabulary, problems)
            target = Text(entry.name, entry.place)
            if entry.name == "default":
                legal = words
            elif is_known(target, vocabulary.targets, "target", "D015", problems):
                by_target.append((entry.name, words))
    elif node is not None:
        legal = _engine_words(node, "engines", vocabulary, problems)
    anywhere = {*legal, *(engine for _, words in by_target for engine in words)}
    if hint and hint.value != "unknown" and anywhere and hint.value not in anywhere:
        message = f'the engine "{hint}" is not one of the engines'
        problems.error("D076", hint.place, message, help=f"engines: {', '.join(sorted(anywhere))}")
    return Engines(hint.value if hint else None, legal, tuple(by_target), hint.place if hint else None)


def read_capabilities(keys: Keys, problems: Problems) -> tuple[tuple[str, bool], ...]:
    body = keys.mapping("capabilities")
    if body is None:
        return ()
    inner = Keys(body, 'the mapping "capabilities"', CAPABILITIES, problems)
    return tuple((name, inner.flag(name)) for name in CAPABILITIES if name in inner)


def read_facts(keys: Keys, problems: Problems) -> tuple[tuple[str, Fact], ...]:
    facts: list[tuple[str, Fact]] = []
    for name in FACTS:
        node = keys.value(name)
        if isinstance(node, Mapping):
            facts.append(
                (name, tuple(_fact_by_attribute(entry.name, entry.value, entry.place, problems) for entry in node))
            )
        elif node is not None and isinstance(node, Scalar) and isinstance(node.value, bool):
            facts.append((name, node.value))
        elif node is not None:
            help = f"{name}: {{attribute: [values]}}"
            message = f'"{name}" is true, false or a mapping from an enum attribute to values, not {kind_of(node)}'
            problems.error("D014", node.place, message, help=help)
    return tuple(facts)


def read_serialize(keys: Keys, problems: Problems) -> tuple[BirField, ...]:
    fields: list[BirField] = []
    for entry in keys.mapping("serialize") or ():
        kind = entry.value
        if not isinstance(kind, Scalar) or not isinstance(kind.value, str):
            problems.error("D014", kind.place, f"a kind of BIR field is a word, not {kind_of(kind)}")
        elif is_known(Text(kind.value, kind.place), BIR_KINDS, "kind of BIR field", "D015", problems):
            fields.append(BirField(Text(entry.name, entry.place), kind.value))
    return tuple(fields)


def read_renames(keys: Keys, problems: Problems) -> tuple[Rename, ...]:
    renames: list[Rename] = []
    for entry in keys.mapping("renames") or ():
        if not isinstance(entry.key.value, int) or entry.key.value < 2:
            message = f'"{entry.name}" is no version that can rename a field; the first is 2'
            problems.error("D075", entry.place, message, help="renames: {2: {old: new}}")
            continue
        for pair in entry_mapping(entry, problems) or ():
            if isinstance(pair.value, Scalar) and isinstance(pair.value.value, str):
                new = Text(pair.value.value, pair.value.place)
                renames.append(Rename(entry.key.value, Text(pair.name, pair.place), new))
            else:
                problems.error("D014", pair.value.place, f"the new name is a word, not {kind_of(pair.value)}")
    return tuple(renames)


def read_source(keys: Keys, problems: Problems) -> tuple[Source, ...]:
    """One document, or a list of them."""
    node = keys.value("source")
    sources: list[Source] = []
    for item in node.items if isinstance(node, Sequence) else (node,) if node else ():
        if not isinstance(item, Mapping):
            help = "source: {document: ..., section: ...}"
            problems.error("D014", item.place, f'"source" is a mapping, not {kind_of(item)}', help=help)
            continue
        inner = Keys(item, "a source", ("document", "section"), problems)
        inner.require("document", item.place)
        sources.append(Source(inner.text_or_empty("document"), inner.text_or_empty("section")))
    return tuple(sources)


def _read_terms(node: Node | None, relation: str, problems: Problems) -> tuple[Term, Term] | None:
    if node is None:
        return None
    if not isinstance(node, Sequence) or len(node.items) != 2:
        problems.error("D071", node.place, f'"{relation}" compares two terms: [left, right]')
        return None
    left, right = (_read_term(item, problems) for item in node.items)
    if isinstance(left, int) and isinstance(right, int):
        problems.error("D071", node.place, "two numbers are compared; one term must be a field")
        return None
    return None if left is None or right is None else (left, right)


def _read_term(node: Node, problems: Problems) -> Term | None:
    if isinstance(node, Scalar) and isinstance(node.value, int) and not isinstance(node.value, bool):
        return node.value
    match = _TERM.match(node.value) if isinstance(node, Scalar) and isinstance(node.value, str) else None
    if match is None:
        help = "a term is a whole number, field, field.dtype, field.rank, field.shape or field.shape[0]"
        problems.error("D071", node.place, f"not a term: {kind_of(node)}", help=help)
        return None
    index = match.group(3)
    return FieldTerm(Text(match.group(1), node.place), match.group(2) or "", None if index is None else int(index))


def _engine_words(node: Node, what: str, vocabulary: Vocabulary, problems: Problems) -> tuple[str, ...]:
    words = read_texts(node, f'"{what}"', problems)
    return tuple(w.value for w in words if is_known(w, vocabulary.engines, "engine", "D016", problems))


def _fact_by_attribute(name: str, node: Node, place: Place, problems: Problems) -> FactByAttribute:
    return FactByAttribute(Text(name, place), read_texts(node, f'"{name}"', problems))
