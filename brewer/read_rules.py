"""Constraints, engines, capabilities, precision facts and BIR rules of a definition: located tree to model."""

from __future__ import annotations

from brewer.definition_keys import CAPABILITIES, CAPABILITY, ENGINE, FACTS, SOURCE
from brewer.field_keys import CONSTRAINT, LABEL, PRESENCES, RELATIONS, TERM
from brewer.keys import Keys, entry_mapping, is_known, is_written_as, kind_of, read_text, read_texts, report_twice
from brewer.kinds import Entries, Whole
from brewer.model import (
    BirField,
    Condition,
    Constraint,
    Engines,
    Fact,
    FactByAttribute,
    FieldTerm,
    Presence,
    Rename,
    Rule,
    Source,
    Term,
    Text,
)
from brewer.problems import Problems
from brewer.vocabulary import Vocabulary
from brewer.yaml_tree import Entry, Mapping, Node, Scalar, Sequence
from runtime.diagnostics import Place


def read_constraint(label: Text, body: Mapping, problems: Problems) -> Rule | None:
    is_written_as(LABEL, label, problems)
    keys, before = Keys(body, CONSTRAINT, problems), problems.complaints
    keys.check(label.place)
    relation = next((name for name in (*RELATIONS, *PRESENCES) if name in keys), None)
    message, when = keys.text("message"), _read_conditions(keys, problems)
    said = message.value.strip() if message else ""
    if relation in PRESENCES:
        node = keys.value(relation)
        fields = read_texts(node, f'"{relation}"', problems) if node else ()
        if len(fields) < 2 and problems.complaints == before:
            problems.error("D071", keys.place(relation), f'"{relation}" is about two fields or more')
        return Presence(label, relation, fields, said, when) if len(fields) > 1 else None
    if relation is None:
        # A list under an unknown key, which is reported, is what a relation would have.
        if not keys.misspelled and not any(isinstance(e.value, Sequence) for e in body if e.name not in keys):
            help = f"one of {', '.join(RELATIONS)}: [left, right]; or of {', '.join(PRESENCES)}: [field, field]"
            problems.error("D071", label.place, f'the constraint "{label}" states no relation', help=help)
        return None
    terms = _read_terms(keys.value(relation), relation, problems)
    if terms is None:
        return None
    return Constraint(label, relation, terms[0], terms[1], said, when)


def _read_conditions(keys: Keys, problems: Problems) -> tuple[Condition, ...]:
    """A field, or attributes with their words."""
    node = keys.value("when")
    if not isinstance(node, Mapping):
        field = read_text(node, '"when"', problems) if node else None
        return (Condition(field),) if field else ()
    found: list[Condition] = []
    for entry in node:
        words: dict[bool | str, Place] = {}
        for item in entry.value.items if isinstance(entry.value, Sequence) else (entry.value,):
            if not isinstance(item, Scalar) or not isinstance(item.value, (bool, str)):
                problems.error("D014", item.place, f"a word, true or false, not {kind_of(item)}")
            elif item.value in words:
                report_twice(item.text, item.place, words[item.value], f'"{entry.name}"', problems)
            else:
                words[item.value] = item.place
        if words:
            found.append(Condition(Text(entry.name, entry.place), tuple(words), tuple(words.values())))
    return tuple(found)


def read_engines(keys: Keys, vocabulary: Vocabulary, problems: Problems) -> Engines:
    hint = keys.word("engine")
    legal: tuple[str, ...] = ()
    by_target: list[tuple[str, tuple[str, ...]]] = []
    node = keys.value("engines")
    if isinstance(node, Mapping):
        for entry in node:
            words = tuple(word.value for word in _engine_words(keys, entry.value, entry.name, problems))
            if entry.name == "default":
                legal = words
            elif is_known(Text(entry.name, entry.place), vocabulary.targets, "target", "D015", problems):
                _report_absent_engines(entry, vocabulary, problems)
                by_target.append((entry.name, words))
    elif node is not None:
        legal = tuple(word.value for word in _engine_words(keys, node, "engines", problems))
    anywhere = {*legal, *(engine for _, words in by_target for engine in words)}
    if hint and hint.value != "unknown" and anywhere and hint.value not in anywhere:
        message = f'the engine "{hint}" is not one of the engines'
        problems.error("D076", hint.place, message, help=f"engines: {', '.join(sorted(anywhere))}")
    return Engines(hint.value if hint else None, legal, tuple(by_target), hint.place if hint else None)


def _engine_words(keys: Keys, node: Node, what: str, problems: Problems) -> tuple[Text, ...]:
    return tuple(word for word in read_texts(node, f'"{what}"', problems) if keys.is_known(word, ENGINE))


def _report_absent_engines(entry: Entry, vocabulary: Vocabulary, problems: Problems) -> None:
    """At each engine of a target's list that the target does not have."""
    engines = dict(vocabulary.engines_of)[entry.name]
    for item in entry.value.items if isinstance(entry.value, Sequence) else (entry.value,):
        if isinstance(item, Scalar) and item.value in vocabulary.engines and item.value not in engines:
            help = f"its engines: {', '.join(engines)}"
            problems.error("D079", item.place, f'the target "{entry.name}" has no {item.text} engine', help=help)


def read_capabilities(keys: Keys, problems: Problems) -> tuple[tuple[str, bool], ...]:
    body = keys.mapping("capabilities")
    if body is None:
        return ()
    inner = Keys(body, CAPABILITY, problems)
    return tuple((name, inner.flag(name)) for name in CAPABILITIES if name in inner)


def read_facts(keys: Keys, problems: Problems) -> tuple[tuple[str, Fact], ...]:
    facts: list[tuple[str, Fact]] = []
    for name in (name for name in FACTS if name in keys.entries):
        node = keys.value(name)
        if isinstance(node, Mapping):
            facts.append((name, tuple(_fact_by_attribute(entry, problems) for entry in node)))
        elif isinstance(node, Scalar) and isinstance(node.value, bool):
            facts.append((name, node.value))
        elif node is not None:
            help = f"{name}: {{attribute: [values]}}"
            message = f'"{name}" is true, false or a mapping from an enum attribute to values, not {kind_of(node)}'
            problems.error("D014", node.place, message, help=help)
    return tuple(facts)


def _fact_by_attribute(entry: Entry, problems: Problems) -> FactByAttribute:
    return FactByAttribute(Text(entry.name, entry.place), read_texts(entry.value, f'"{entry.name}"', problems))


def read_serialize(keys: Keys, problems: Problems) -> tuple[BirField, ...]:
    section = keys.table.by_name["serialize"].kind
    assert isinstance(section, Entries)
    fields: list[BirField] = []
    for entry in keys.mapping("serialize") or ():
        kind = entry.value
        if not isinstance(kind, Scalar) or not isinstance(kind.value, str):
            problems.error("D014", kind.place, f"a kind of BIR field is a word, not {kind_of(kind)}")
        elif keys.is_known(Text(kind.value, kind.place), section.value):
            fields.append(BirField(Text(entry.name, entry.place), kind.value))
    return tuple(fields)


def read_renames(keys: Keys, problems: Problems) -> tuple[Rename, ...]:
    section = keys.table.by_name["renames"].kind
    assert isinstance(section, Entries) and isinstance(section.names, Whole) and section.names.minimum
    renames: list[Rename] = []
    for entry in keys.mapping("renames") or ():
        version = entry.key.value
        if not isinstance(version, int) or version < section.names.minimum:
            message = f'"{entry.name}" is no version that can rename a field; the first is {section.names.minimum}'
            problems.error("D075", entry.place, message, help=keys.table.by_name["renames"].example)
            continue
        for pair in entry_mapping(entry, problems) or ():
            if isinstance(pair.value, Scalar) and isinstance(pair.value.value, str):
                new = Text(pair.value.value, pair.value.place)
                renames.append(Rename(version, Text(pair.name, pair.place), new))
            else:
                problems.error("D014", pair.value.place, f"the new name is a word, not {kind_of(pair.value)}")
    return tuple(renames)


def read_source(keys: Keys, problems: Problems) -> tuple[Source, ...]:
    """One document, or a list of them."""
    node = keys.value("source")
    sources: dict[Source, Place] = {}
    for item in node.items if isinstance(node, Sequence) else (node,) if node else ():
        if not isinstance(item, Mapping):
            help = "source: {document: ..., section: ...}"
            problems.error("D014", item.place, f'"source" is a mapping, not {kind_of(item)}', help=help)
            continue
        inner = Keys(item, SOURCE, problems)
        inner.check(item.place)
        source = Source(inner.text_or_empty("document"), inner.text_or_empty("section"))
        if source in sources:
            report_twice(f'"{source.document}"', item.place, sources[source], '"source"', problems)
        sources.setdefault(source, item.place)
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
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, str) or not TERM.matches(value):
        problems.error(TERM.code, node.place, f"not a term: {kind_of(node)}", help=TERM.help)
        return None
    name, _, rest = value.partition(".")
    part, _, index = rest.removesuffix("]").partition("[")
    return FieldTerm(Text(name, node.place), part, int(index) if index else None)
