"""The bases of a definition, and its tree with the trees of its bases merged in.

A base's operands, attributes and constraints come first; an entry of the same name overrides it key by key. Merging
trees and not models keeps one reader for both, and every merged entry still knows the line that it came from.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as Table

from brewer.field_keys import ATTRIBUTE, CONSTRAINT, OPERAND, RESULT
from brewer.frozen import frozen
from brewer.kinds import Table as KeyTable
from brewer.model import Text
from brewer.problems import Problems
from brewer.yaml_tree import Entry, Mapping
from runtime.diagnostics import Note

# Keys that belong to one definition alone.
NOT_INHERITED = frozenset(
    ("name", "base", "abstract", "summary", "doc", "since", "deprecated", "examples", "wrapper", "rhs_str")
)
# Keys whose entries are merged one by one; all others are replaced as a whole. With the table of what stands in one,
# where that is merged key by key.
_BY_ENTRY: Table[str, KeyTable | None] = {
    "operands": OPERAND,
    "results": RESULT,
    "attributes": ATTRIBUTE,
    "constraints": CONSTRAINT,
    "ap_indices": None,
    "capabilities": None,
}
# A function that infers a type replaces a data type and a shape, and the other way round, although both may be stated.
_OTHER_WAYS = (("infer", "dtype"), ("infer", "shape"), ("dtype", "infer"))


@frozen
class Header:
    """What is known of a definition before its bases are: enough to find them."""

    name: Text
    dialect: str
    file: str
    tree: Mapping
    base: Text | None

    @property
    def line(self) -> int:
        return self.tree.entries[0].place.line


def find_base(header: Header, headers: Table[str, list[Header]]) -> Header | None:
    """The definition that is the base: of the same dialect first, else the only one of that name."""
    if header.base is None:
        return None
    named = headers.get(header.base.value, [])
    own = [other for other in named if other.dialect == header.dialect]
    return own[0] if own else named[0] if len(named) == 1 else None


def report_cycles(headers: Iterable[Header], table: Table[str, list[Header]], problems: Problems) -> frozenset[str]:
    """Reports each circle of bases once; returns the files of all definitions that hang on one."""
    hangs: dict[str, bool] = {}  # file -> whether its chain of bases has no end
    for header in headers:
        chain: dict[str, Header] = {}
        current: Header | None = header
        while current and current.file not in hangs and current.file not in chain:
            chain[current.file] = current
            current = find_base(current, table)
        if current and current.file in chain:
            members = list(chain.values())
            _report_circle(members[members.index(current) :], problems)
        endless = current is not None and hangs.get(current.file, True)
        hangs.update({file: endless for file in chain})
    return frozenset(file for file, endless in hangs.items() if endless)


def merged_trees(headers: Iterable[Header], table: Table[str, list[Header]]) -> dict[str, Mapping]:
    """Each definition's tree, by its file, with everything that it inherits; no chain of bases has a circle."""
    trees: dict[str, Mapping] = {}
    for header in headers:
        waiting = [header]
        while (base := find_base(waiting[-1], table)) and base.file not in trees:
            waiting.append(base)
        for each in reversed(waiting):
            base = find_base(each, table)
            trees[each.file] = _merged(trees[base.file], each.tree) if base else each.tree
    return trees


def _merged(inherited: Mapping, own: Mapping) -> Mapping:
    entries = {entry.name: entry for entry in inherited if entry.name not in NOT_INHERITED}
    for entry in own:
        known = entries.get(entry.name)
        entries[entry.name] = _merged_entry(known, entry) if known and entry.name in _BY_ENTRY else entry
    return Mapping(own.place, entries, inherited.doubled | own.doubled)


def _merged_entry(inherited: Entry, own: Entry) -> Entry:
    if not isinstance(inherited.value, Mapping) or not isinstance(own.value, Mapping):
        return own
    table = _BY_ENTRY[own.name]
    entries = {entry.name: entry for entry in inherited.value}
    for entry in own.value:
        known = entries.get(entry.name)
        entries[entry.name] = _overridden(known, entry, table) if known and table else entry
    doubled = inherited.value.doubled | own.value.doubled
    return Entry(own.key, Mapping(own.value.place, entries, doubled))


def _overridden(inherited: Entry, own: Entry, table: KeyTable) -> Entry:
    """An operand, attribute, result or constraint whose keys override those that it inherits.

    A key also drops what was inherited of those that it excludes: whoever says `default` takes `optional` back.
    """
    if not isinstance(inherited.value, Mapping) or not isinstance(own.value, Mapping):
        return own
    stated = {entry.name for entry in own.value}
    pairs = (*table.exclusive, *((right, left) for left, right in table.exclusive), *_OTHER_WAYS)
    dropped = {right for left, right in pairs if left in stated}
    entries = {entry.name: entry for entry in inherited.value if entry.name not in dropped}
    entries.update({entry.name: entry for entry in own.value})
    doubled = inherited.value.doubled | own.value.doubled
    return Entry(own.key, Mapping(own.value.place, entries, doubled))


def _report_circle(circle: list[Header], problems: Problems) -> None:
    first = min(circle, key=lambda member: member.name.place)
    at = circle.index(first)
    turned = circle[at:] + circle[:at]
    way = " -> ".join(member.name.value for member in (*turned, first))
    notes = [Note(f'the base of "{member.name}"', member.base.place) for member in turned[1:] if member.base]
    assert first.base is not None
    problems.error("D031", first.base.place, f"definitions are each other's base: {way}", notes=notes)
