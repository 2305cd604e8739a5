"""Two snapshots compared: for each definition that means something else, its changes and what they break."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from brewer.load import Brewable
from brewer.meaning.compare_attributes import compare_attributes, compare_indices, compare_names_in_dictionaries
from brewer.meaning.compare_constraints import compare_constraints
from brewer.meaning.compare_facts import compare_facts
from brewer.meaning.compare_form import compare_form
from brewer.meaning.compare_operands import compare_operands
from brewer.meaning.compare_records import compare_records
from brewer.meaning.compare_results import compare_constructor, compare_regions, compare_results
from brewer.meaning.compare_use import compare_docs, compare_use
from brewer.meaning.compare_vocabulary import compare_vocabularies
from brewer.meaning.pairs import Pair, pair_up
from brewer.meaning.rules import VERSION, Change, Effect
from brewer.meaning.sides import Sides
from brewer.meaning.snapshot import Key, Snapshot, key_of

_COMPARED = (
    compare_operands,
    compare_attributes,
    compare_indices,
    compare_names_in_dictionaries,
    compare_results,
    compare_regions,
    compare_form,
    compare_constructor,
    compare_constraints,
    compare_use,
    compare_records,
    compare_docs,
)
_FOR_PEOPLE = frozenset(("docs_changed", "deprecated", "constraint_message_changed"))


@dataclass(frozen=True)
class Difference:
    """A definition that means something else than before, came or went."""

    pair: Pair
    changes: tuple[Change, ...]
    renamed: tuple[tuple[str, str], ...] = ()  # fields that have another name, of which `renames` says nothing
    inherited: frozenset[Change] = frozenset()  # those that its base has, too
    base: str = ""  # the base that they are said of: `neuron/TensorCopyDynamicBase`

    @cached_property
    def brewable(self) -> Brewable:
        """The definition as it is, or as it was where it went."""
        found = self.pair.now or self.pair.before
        assert found is not None, "a pair has one side"
        return found

    @property
    def name(self) -> str:
        return "/".join(key_of(self.brewable))

    @property
    def was(self) -> str:
        """Its name before; empty where it is the same, or there was none."""
        name = "/".join(key_of(self.pair.before)) if self.pair.before else ""
        return "" if name == self.name else name

    @property
    def is_concrete(self) -> bool:
        """Whether there are texts and records of it."""
        return any(side is not None and not side.definition.abstract for side in (self.pair.before, self.pair.now))

    @property
    def only_docs(self) -> bool:
        return all(change.rule in _FOR_PEOPLE for change in self.changes)

    @cached_property
    def effect(self) -> Effect:
        found = Effect.NONE
        for change in self.changes:
            found |= change.effect
        return found

    def having(self, effect: Effect) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if effect in change.effect)

    @property
    def needs_version(self) -> tuple[Change, ...]:
        """The changes that readers of records must be told of by a higher version, where there is none."""
        before, now = self.pair.before, self.pair.now
        if before is None or now is None or now.definition.version > before.definition.version:
            return ()
        return self.having(VERSION)


@dataclass(frozen=True)
class Comparison:
    """Everything that means something else."""

    before: Snapshot
    now: Snapshot
    differences: tuple[Difference, ...]  # in the order of dialect and name
    vocabulary: tuple[Change, ...]
    facts: tuple[Change, ...]

    @cached_property
    def effect(self) -> Effect:
        found = Effect.NONE
        for difference in self.differences:
            found |= difference.effect if difference.is_concrete else Effect.NONE
        return found

    @property
    def is_empty(self) -> bool:
        return not (self.differences or self.vocabulary or self.facts)


def compare(before: Snapshot, now: Snapshot) -> Comparison:
    """Compares all definitions, the vocabulary, and the facts about foreign operators."""
    pairs = pair_up(before, now)
    partners = {key_of(pair.before): key_of(pair.now) for pair in pairs if pair.before and pair.now}
    differences = tuple(_without_repeats(_difference(pair, before, now, partners) for pair in pairs))
    return Comparison(
        before,
        now,
        differences,
        tuple(compare_vocabularies(before.instructions, now.instructions)),
        tuple(compare_facts(before.instructions.facts, now.instructions.facts)),
    )


def _without_repeats(differences: Iterable[Difference]) -> Iterator[Difference]:
    """Those with changes, and which of these are said of a base already."""
    changed = [difference for difference in differences if difference.changes]
    of_bases = {key_of(found.pair.now): found.changes for found in changed if found.pair.now}
    for found in changed:
        base = _base_key(found.pair.now) if found.pair.now and found.pair.before else None
        same = frozenset(found.changes).intersection(of_bases.get(base, ())) if base else frozenset()
        yield replace(found, inherited=same, base="/".join(base) if base and same else "")


def _difference(pair: Pair, before: Snapshot, now: Snapshot, partners: Mapping[Key, Key]) -> Difference:
    if pair.before is None or pair.now is None:
        return Difference(pair, (_came_or_went(pair),))
    sides = Sides(
        pair.before,
        pair.now,
        before.instructions.vocabulary,
        now.instructions.vocabulary,
        pair.before.root in before.classes_in_memory,
        pair.now.root in now.classes_in_memory,
        _base_stays(pair.before, pair.now, partners),
    )
    changes = [*_heads(sides), *(change for compared in _COMPARED for change in compared(sides))]
    renamed = tuple((old, new) for old, new in sides.names.items() if old != new and old not in sides.renamed_by_rule)
    return Difference(pair, tuple(changes), renamed)


def _came_or_went(pair: Pair) -> Change:
    found = pair.now or pair.before
    assert found is not None, "a pair has one side"
    definition = found.definition
    rule = "added" if pair.now else "removed_base" if definition.abstract else "removed"
    return Change(rule, "definition", definition.summary, definition.name.place if pair.now else None)


def _heads(sides: Sides) -> Iterator[Change]:
    """Names, the mnemonic, the base, and whether it is built at all."""
    old, new = sides.definitions
    place = new.name.place
    if key_of(sides.before) != key_of(sides.now):
        yield Change("renamed", "name", f"{'/'.join(key_of(sides.before))} -> {'/'.join(key_of(sides.now))}", place)
    if old.abstract != new.abstract:
        rule, said = ("became_abstract", "is now") if new.abstract else ("became_concrete", "is no longer")
        yield Change(rule, "definition", f"{said} abstract", place)
    mnemonics = [side.rhs.mnemonic.value if side.rhs else "" for side in (sides.before, sides.now)]
    if all(mnemonics) and mnemonics[0] != mnemonics[1]:
        yield Change("mnemonic_changed", "mnemonic", f"{mnemonics[0]} -> {mnemonics[1]}", place)
    if not sides.base_stays:
        rule = "base_changed"
        if sides.was_in_memory != sides.is_in_memory:
            rule = "entered_memory" if sides.is_in_memory else "left_memory"
        yield Change(rule, "base", f"{old.base} -> {new.base}", new.base.place)


def without_version(differences: Iterable[Difference]) -> tuple[tuple[Difference, tuple[Change, ...]], ...]:
    """The definitions that must state a new version, with what readers of records must be told.

    Where a base states it, all that stand on it have it; so those whose changes are all of such a base are left out.
    """
    found = {difference.name: difference for difference in differences if difference.needs_version}
    return tuple(
        (difference, difference.needs_version)
        for difference in found.values()
        if difference.base not in found or not difference.inherited.issuperset(difference.needs_version)
    )


def _base_stays(before: Brewable, now: Brewable, partners: Mapping[Key, Key]) -> bool:
    old, new = _base_key(before), _base_key(now)
    if old is None or new is None:
        return old is new and before.root == now.root
    return partners.get(old) == new


def _base_key(brewable: Brewable) -> Key | None:
    base = brewable.base
    return (base.dialect, base.name.value) if base else None


def named(differences: Iterable[Difference], names: Iterable[str]) -> tuple[Difference, ...]:
    """Those of the definitions that are named, with or without their dialect, by their names before or now."""
    wanted = set(names)
    return tuple(d for d in differences if wanted & {d.name, d.name.split("/")[1], d.was, d.was.partition("/")[2]})
