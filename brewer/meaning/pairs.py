"""Which definition of before is which of now: by name, by mnemonic, or because two are very much alike.

Deliberately absent: guessing among many. Of a whole family that was renamed, most came and went.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from brewer.load import Brewable
from brewer.meaning.snapshot import Key, Snapshot

_ALIKE = 0.6  # of the letters of two names, in order
_MOST_COMPARED = 20  # candidates with the same fields; more of them are a family, not one definition under two names


@dataclass(frozen=True, slots=True)
class Pair:
    """A definition as it was, or none, and as it is, or none."""

    before: Brewable | None
    now: Brewable | None


def pair_up(before: Snapshot, now: Snapshot) -> tuple[Pair, ...]:
    """Every definition of both sides once, in the order of dialect and name; those that went stand at their old name.

    What could not be read on one side is on neither.
    """
    unread = {tuple(name.split("/")) for name in (*before.unread, *now.unread)}
    old = {key: found for key, found in before.brewables.items() if key not in unread}
    new = {key: found for key, found in now.brewables.items() if key not in unread}
    partners: dict[Key, Key] = {key: key for key in old if key in new}
    partners.update(_by_mnemonic(_without(old, partners), _without(new, partners.values())))
    partners.update(_by_name(_without(old, partners), _without(new, partners.values())))
    partners.update(_by_likeness(_without(old, partners), _without(new, partners.values())))
    pairs = {key: Pair(old[first], new[key]) for first, key in partners.items()}
    pairs |= {key: Pair(None, found) for key, found in new.items() if key not in pairs}
    gone = {key: Pair(found, None) for key, found in old.items() if key not in partners}
    return tuple(pair for _, pair in sorted([*pairs.items(), *gone.items()], key=lambda entry: entry[0]))


def _without(table: Mapping[Key, Brewable], keys: Iterable[Key]) -> dict[Key, Brewable]:
    left_out = set(keys)
    return {key: found for key, found in table.items() if key not in left_out}


def _by_mnemonic(old: Mapping[Key, Brewable], new: Mapping[Key, Brewable]) -> Iterator[tuple[Key, Key]]:
    known = {found.rhs.mnemonic.value: key for key, found in new.items() if found.rhs}
    for key, found in old.items():
        if found.rhs and found.rhs.mnemonic.value in known:
            yield key, known[found.rhs.mnemonic.value]


def _by_name(old: Mapping[Key, Brewable], new: Mapping[Key, Brewable]) -> Iterator[tuple[Key, Key]]:
    """Definitions that went to another dialect; not where several have the name."""
    here, there = (Counter(name for _, name in side) for side in (old, new))
    found = {name: (dialect, name) for dialect, name in new}
    for key in old:
        if here[key[1]] == there[key[1]] == 1:
            yield key, found[key[1]]


def _by_likeness(old: Mapping[Key, Brewable], new: Mapping[Key, Brewable]) -> Iterator[tuple[Key, Key]]:
    """Definitions with the same fields, the same function or summary, and a similar name."""
    candidates: dict[object, list[Key]] = defaultdict(list)
    for key, found in new.items():
        candidates[_fields_of(found)].append(key)
    taken: set[Key] = set()
    for key, found in old.items():
        alike = [
            (SequenceMatcher(None, key[1], other[1]).ratio(), other)
            for other in candidates.get(_fields_of(found), ())[:_MOST_COMPARED]
            if other not in taken and _do_the_same(found, new[other])
        ]
        ratio, best = max(alike, default=(0.0, key))
        if ratio >= _ALIKE:
            taken.add(best)
            yield key, best


def _fields_of(brewable: Brewable) -> object:
    """What two definitions must share to be compared at all."""
    definition = brewable.definition
    return definition.abstract, tuple((type(field), field.name.value) for field in definition.fields)


def _do_the_same(left: Brewable, right: Brewable) -> bool:
    one, other = left.definition, right.definition
    same_function = one.semantics is not None and str(one.semantics) == str(other.semantics)
    return same_function or one.summary == other.summary
