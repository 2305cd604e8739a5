"""What people read about the keys: the page brewer/KEYS.md, and the text of `python -m brewer keys`.

Deliberately absent: words of one project. Where a key takes a data type or an engine, the page says so and lists none.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from brewer.definition_keys import DEFINITION
from brewer.document_keys import FACTS_DOCUMENT, VOCABULARY, VOCABULARY_ADDITION
from brewer.field_keys import PLAIN_TYPES
from brewer.kinds import (
    Either,
    Entries,
    Flag,
    FreeText,
    Key,
    Kind,
    ListOf,
    Number,
    OfType,
    OneOrMore,
    Pattern,
    Reference,
    Section,
    Table,
    TypeWord,
    Whole,
    Word,
    tables_below,
)
from runtime.diagnostics import listed

TABLES = tables_below(DEFINITION, FACTS_DOCUMENT, VOCABULARY, VOCABULARY_ADDITION)
"""All tables, in the order of the page."""
_HEAD = """\
# The keys of definitions

Made by `python -m brewer keys --markdown` from the tables that the loader reads by (`brewer/definition_keys.py`,
`brewer/field_keys.py`, `brewer/document_keys.py`); do not edit. `python -m brewer keys NAME` explains a key in the
terminal.
"""
_COUNTS = {2: "two"}


def page() -> str:
    """All keys as Markdown, a section for each kind of mapping."""
    return "\n".join([_HEAD, *(_section(table) for table in TABLES)])


def text(tables: Iterable[tuple[Table, Iterable[Key]]]) -> list[str]:
    """Keys as lines for a terminal."""
    lines: list[str] = []
    for table, keys in tables:
        for key in keys:
            facts = "; ".join([_value(key.kind, False), *([f"in {key.unit}"] if key.unit else []), *_presence(key)])
            rules = [f"    {rule}" for rule in _rules(table) if _code(key.name) in rule]
            lines += [f"{key.name} of {table.what}", f"    {facts}", f"    {key.doc}", *rules, f"    {key.example}", ""]
    return lines[:-1]


def as_json(tables: Iterable[tuple[Table, Iterable[Key]]]) -> list[dict[str, Any]]:
    """Keys for other programs."""
    return [
        {
            "name": key.name,
            "of": table.what,
            "value": _value(key.kind, False),
            "unit": key.unit or None,
            "required": key.required,
            "default": key.default,
            "rules": [rule for rule in _rules(table) if _code(key.name) in rule],
            "doc": key.doc,
            "example": key.example,
        }
        for table, keys in tables
        for key in keys
    ]


def _section(table: Table) -> str:
    rows = ["| key | value | unit | default | what it says | example |", "|---|---|---|---|---|---|"]
    for key in table.keys:
        default = "; ".join(_presence(key)).removeprefix("default ")
        cells = (f"`{key.name}`", _value(key.kind, True), key.unit, default, key.doc, f"`{key.example}`")
        rows.append("| " + " | ".join(cells).replace("\n", " ") + " |")
    rules = [f"- {rule[:1].upper()}{rule[1:]}." for rule in _rules(table)]
    return "\n".join([f"## {_title(table)}", "", table.doc, "", *rows, "", *rules, *([""] if rules else [])])


def _title(table: Table) -> str:
    title = table.what.replace("the mapping ", "").replace('"', "`")
    return title.removeprefix("a ").removeprefix("an ").capitalize()


def _presence(key: Key) -> list[str]:
    """Whether it must be there, and what holds where it is not."""
    if key.required:
        return ["required"]
    default = str(key.default).lower() if isinstance(key.default, bool) else key.default
    return [] if default is None else [f"default `{default}`"]


def _rules(table: Table) -> list[str]:
    """What keys say about each other."""
    rules = []
    if table.one_of:
        rules.append(f"one of {listed(map(_code, table.one_of))} must be there, and only one")
    excluded: dict[str, list[str]] = {}
    for left, right in table.exclusive:
        if left not in table.one_of:
            excluded.setdefault(left, []).append(_code(right))
    rules += [f"{_code(left)} excludes {listed(others, 'and')}" for left, others in excluded.items()]
    for need in table.needs:
        unless = f", unless there is {_code(need.unless)}" if need.unless else ""
        rules.append(f"{_code(need.beside)} needs {_code(need.key)}{unless}")
    return rules


def _code(word: str) -> str:
    return f"`{word}`"


def _value(kind: Kind, links: bool) -> str:
    """The values of a kind in words."""
    match kind:
        case Flag():
            return "true or false"
        case Whole(minimum):
            return "a whole number" + ("" if minimum is None else f", at least {minimum}")
        case Number():
            return "a number"
        case FreeText():
            return "text"
        case Pattern(noun):
            return f"a {noun}"
        case Word(noun, known):
            return f"{_article(noun)} of the vocabulary" if isinstance(known, str) else listed(map(_code, known))
        case Reference(noun):
            return f"the name of {_article(noun)}"
        case TypeWord():
            return f"{', '.join(map(_code, PLAIN_TYPES))}, an enumeration of the vocabulary, or `list[...]` of one"
        case OfType():
            return "a value of the attribute's type"
        case OneOrMore(item):
            return f"{_value(item, links)}, or a list of these"
        case ListOf(item, length):
            return f"a list of {_COUNTS.get(length or 0, '')} values, each {_value(item, links)}".replace("  ", " ")
        case Section(table):
            anchor = _title(table).lower().replace("`", "").replace(" ", "-")
            return f"[{table.what}](#{anchor})".replace('"', "`") if links else table.what
        case Entries(names, value):
            return f"a mapping: {_value(names, links)} -> {_value(value, links)}"
        case Either(kinds):
            return "; or ".join(_value(inner, links) for inner in kinds)


def _article(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"
