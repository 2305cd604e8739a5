"""The two sides of one definition, and which field of before is which field of now.

A field has another name where `renames` says so, or where one that went and one that came at its place are alike in
all but the name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from brewer.load import Brewable
from brewer.model import ApIndices, Attribute, Definition, Operand, Text
from brewer.rhs_grammar import Placeholder
from brewer.vocabulary import Vocabulary
from runtime.diagnostics import Place

Field = Operand | Attribute | ApIndices
F = TypeVar("F", Operand, Attribute, ApIndices)
_NOWHERE = Text("", Place("", 0, 0))


@dataclass(frozen=True)
class Sides:
    """One definition as it was and as it is."""

    before: Brewable
    now: Brewable
    words_before: Vocabulary
    words_now: Vocabulary
    was_in_memory: bool  # whether its runtime class writes tensors and runs on engines
    is_in_memory: bool
    base_stays: bool  # whether it stands on the same definition, by whatever name, or on the same runtime class

    @property
    def definitions(self) -> tuple[Definition, Definition]:
        return self.before.definition, self.now.definition

    @cached_property
    def renamed_by_rule(self) -> Mapping[str, str]:
        """What `renames` says: the name of each field in records of before -> its name now."""
        old, new = self.definitions
        rules = [rename for rename in new.renames if rename.version > old.version]
        names = {field.name.value: field.name.value for field in old.fields}
        for rename in sorted(rules, key=lambda rename: rename.version):
            names = {first: rename.new.value if last == rename.old.value else last for first, last in names.items()}
        return {first: last for first, last in names.items() if first != last}

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The name now of every field of before that is still there."""
        old, new = self.definitions
        pairs = dict(self.renamed_by_rule)
        for fields_before, fields_now in (
            (old.operands, new.operands),
            (old.attributes, new.attributes),
            (old.ap_indices, new.ap_indices),
        ):
            pairs.update(_same_or_alike(fields_before, fields_now, pairs))
        known = {field.name.value for field in new.fields}
        return {first: last for first, last in pairs.items() if last in known}

    def name_now(self, name: str) -> str:
        """The name that a field of before has now; a field that went keeps its own."""
        return self.names.get(name, name)

    @cached_property
    def shown(self) -> tuple[frozenset[str], frozenset[str]]:
        """The fields that the forms show, before and now, each by the names of its own time."""
        return _shown(self.before), _shown(self.now)

    @cached_property
    def always_shown(self) -> tuple[frozenset[str], frozenset[str]]:
        """The fields that stand in every text, before and now."""
        return _always_shown(self.before), _always_shown(self.now)

    def is_always_shown(self, name_before: str) -> bool:
        """Whether a field stands in every text, on both sides."""
        before, now = self.always_shown
        return name_before in before and self.name_now(name_before) in now


def pairs_of(before: Iterable[F], now: Iterable[F], names: Mapping[str, str]) -> Iterator[tuple[F, F]]:
    """The fields of one kind that are on both sides."""
    found = {field.name.value: field for field in now}
    for field in before:
        partner = found.get(names.get(field.name.value, ""))
        if partner is not None:
            yield field, partner


def _same_or_alike(before: Iterable[Field], now: Iterable[Field], known: Mapping[str, str]) -> Mapping[str, str]:
    here = {field.name.value: field for field in now}
    pairs = {field.name.value: field.name.value for field in before if field.name.value in here}
    taken = {*pairs, *known.values()}
    went = [(index, f) for index, f in enumerate(before) if f.name.value not in pairs and f.name.value not in known]
    came = {index: field for index, field in enumerate(now) if field.name.value not in taken}
    for index, field in went:
        partner = came.get(index)
        if partner is not None and _without_name(field) == _without_name(partner):
            pairs[field.name.value] = partner.name.value
    return pairs


def _without_name(field: Field) -> Field:
    """The field with nothing in it that tells names and places."""
    if isinstance(field, Attribute) and field.default is not None:
        field = replace(field, default=replace(field.default, place=_NOWHERE.place))
    return replace(field, name=_NOWHERE, doc="")


def _shown(brewable: Brewable) -> frozenset[str]:
    return frozenset(part.field for part in brewable.rhs.placeholders) if brewable.rhs else frozenset()


def _always_shown(brewable: Brewable) -> frozenset[str]:
    parts = brewable.rhs.parts if brewable.rhs else ()
    return frozenset(part.field for part in parts if isinstance(part, Placeholder))
