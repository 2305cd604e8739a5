"""What the keys of a definition are, as data: which values each takes, what it means, what excludes what.

The loader reads by these tables (brewer/keys.py), and from the same objects come the JSON Schema
(brewer/json_schema.py) and the page of all keys (brewer/keys_page.py). Deliberately absent: the tables themselves
(brewer/definition_keys.py, brewer/field_keys.py, brewer/document_keys.py), and everything that takes two fields or
two files to judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from brewer.frozen import frozen


@frozen
class Flag:
    """true or false."""


@frozen
class Whole:
    """A whole number."""

    minimum: int | None = None
    code: str = "D014"  # of a smaller one


@frozen
class Number:
    """A whole number, or one with a fraction."""


@frozen
class FreeText:
    """Any text."""


@frozen
class Pattern:
    """A text that is written in one way. The expression means the same in Python and in JSON Schema."""

    noun: str  # what it is called in messages: `name of a definition`
    expression: str
    help: str
    code: str = "D018"
    excluded: tuple[str, ...] = ()  # texts of that form that are kept for something else
    refusal: str = ""  # the message, where it does not show the text

    def matches(self, text: str) -> bool:
        return self._compiled.fullmatch(text) is not None

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.expression)


@frozen
class Word:
    """One of some words: those given, or a list of the vocabulary with that name."""

    noun: str
    known: tuple[str, ...] | str
    code: str = "D015"


@frozen
class Reference:
    """The name of something that the loader looks for later: a field, a class, a function."""

    noun: str
    known: str = ""  # a list of the project with that name, where it does not depend on the definition
    code: str = ""


@frozen
class TypeWord:
    """The type of an attribute: a plain one, an enumeration, or a list of one of these."""


@frozen
class OfType:
    """A value of the attribute's own type."""


@frozen
class OneOrMore:
    """One value or a list of them, none twice."""

    item: Kind


@frozen
class ListOf:
    item: Kind
    length: int | None = None
    is_set: bool = False  # at least so many, none twice
    least: int = 1


@frozen
class Section:
    """A mapping that has the keys of a table."""

    table: Table


@frozen
class Entries:
    """A mapping from names that the definition chooses to values of one kind."""

    names: Kind
    value: Kind
    may_be_empty: bool = True


@frozen
class Either:
    kinds: tuple[Kind, ...]


Kind = (
    Flag
    | Whole
    | Number
    | FreeText
    | Pattern
    | Word
    | Reference
    | TypeWord
    | OfType
    | OneOrMore
    | ListOf
    | Section
    | Entries
    | Either
)


@frozen
class Key:
    name: str
    kind: Kind
    doc: str  # one line: what it says, and what follows from it
    example: str  # as it stands in a definition
    default: bool | int | str | None = None  # what holds where the key is absent
    required: bool = False
    unit: str = ""


@frozen
class Need:
    """A key that must stand beside another one, unless a third one does."""

    key: str
    beside: str
    unless: str = ""


@frozen
class Table:
    """All keys of one kind of mapping."""

    what: str  # in messages: `an operand`
    doc: str  # what such a mapping is, for the page of keys
    keys: tuple[Key, ...]
    exclusive: tuple[tuple[str, str], ...] = ()  # pairs of keys of which one may be there
    one_of: tuple[str, ...] = ()  # keys of which one must be there
    needs: tuple[Need, ...] = ()
    is_inherited: bool = False  # a base may have said what is missing
    other_words: tuple[tuple[str, str], ...] = ()  # what others call a key, and the help for whoever writes it

    @cached_property
    def by_name(self) -> dict[str, Key]:
        return {key.name: key for key in self.keys}

    @cached_property
    def required(self) -> tuple[str, ...]:
        return tuple(key.name for key in self.keys if key.required)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(key.name for key in self.keys)


def tables_below(*tables: Table) -> tuple[Table, ...]:
    """Tables and all that their keys hold, each once, from the outside in."""
    found: dict[str, Table] = {}
    waiting = list(tables)
    while waiting:
        table = waiting.pop(0)
        if found.setdefault(table.what, table) is table:
            waiting = [*(inner for key in table.keys for inner in tables_in(key.kind)), *waiting]
    return tuple(found.values())


def tables_in(kind: Kind) -> Iterator[Table]:
    """The tables that a kind of value names itself."""
    match kind:
        case Section(table):
            yield table
        case OneOrMore(inner) | ListOf(inner) | Entries(_, inner):
            yield from tables_in(inner)
        case Either(kinds):
            for each in kinds:
                yield from tables_in(each)
