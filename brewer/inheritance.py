"""The bases of a definition, and its tree with the trees of its bases merged in.

A base's operands, attributes and constraints come first; an entry of the same name overrides it key by key. Merging
trees and not models keeps one reader for both, and every merged entry still knows the line that it came from.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as Table
from dataclasses import dataclass

from brewer.model import Text
from brewer.problems import Problems
from brewer.yaml_tree import Entry, Mapping
from runtime.diagnostics import Note

# Keys that belong to one definition alone.
NOT_INHERITED = frozenset(
    ("name", "base", "abstract", "summary", "doc", "since", "deprecated", "examples", "wrapper", "rhs_str")
)
# Keys whose entries are merged one by one; all others are replaced as a whole.
_BY_ENTRY = frozenset(("operands", "results", "attributes", "ap_indices", "constraints", "capabilities"))
_BY_ENTRY_KEY = frozenset(("operands", "results", "attributes", "constraints"))
# Keys of an entry that say the same thing in different ways: whoever states one drops what was inherited of the others.
_ALTERNATIVES = (
    frozenset(("same_as", "infer")),
    frozenset(("equal", "not_equal", "less", "at_most", "at_least", "multiple_of")),
    frozenset(("default", "optional")),
    frozenset(("rank", "shape")),
)


@dataclass(frozen=True, slots=True)
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
    broken: set[str] = set()
    reported: set[str] = set()
    for header in headers:
        chain = [header]
        while (base := find_base(chain[-1], table)) and base not in chain:
            chain.append(base)
        if base is None:
            continue
        broken.add(header.file)
        circle = chain[chain.index(base) :]
        if not reported.intersection(member.file for member in circle):
            _report_circle(circle, problems)
            reported.update(member.file for member in circle)
    return frozenset(broken)


def merged_tree(header: Header, table: Table[str, list[Header]]) -> Mapping:
    """The definition's tree with everything that it inherits; the chain of bases has no circle."""
    base = find_base(header, table)
    if base is None:
        return header.tree
    inherited = merged_tree(base, table)
    entries = {entry.name: entry for entry in inherited if entry.name not in NOT_INHERITED}
    for entry in header.tree:
        known = entries.get(entry.name)
        entries[entry.name] = _merged_entry(known, entry) if known and entry.name in _BY_ENTRY else entry
    return Mapping(header.tree.place, tuple(entries.values()), inherited.doubled | header.tree.doubled)


def _merged_entry(inherited: Entry, own: Entry) -> Entry:
    if not isinstance(inherited.value, Mapping) or not isinstance(own.value, Mapping):
        return own
    by_key = own.name in _BY_ENTRY_KEY
    entries = {entry.name: entry for entry in inherited.value}
    for entry in own.value:
        known = entries.get(entry.name)
        entries[entry.name] = _overridden(known, entry) if known and by_key else entry
    doubled = inherited.value.doubled | own.value.doubled
    return Entry(own.key, Mapping(own.value.place, tuple(entries.values()), doubled))


def _overridden(inherited: Entry, own: Entry) -> Entry:
    """An operand, attribute, result or constraint whose keys override those that it inherits."""
    if not isinstance(inherited.value, Mapping) or not isinstance(own.value, Mapping):
        return own
    stated = {entry.name for entry in own.value}
    dropped = {key for group in _ALTERNATIVES if group & stated for key in group - stated}
    if stated & {"same_as", "infer"}:
        dropped |= {"dtype", "shape"}
    if stated & {"dtype", "shape"}:
        dropped |= {"same_as", "infer"}
    entries = {entry.name: entry for entry in inherited.value if entry.name not in dropped}
    entries.update({entry.name: entry for entry in own.value})
    doubled = inherited.value.doubled | own.value.doubled
    return Entry(own.key, Mapping(own.value.place, tuple(entries.values()), doubled))


def _report_circle(circle: list[Header], problems: Problems) -> None:
    first = min(circle, key=lambda member: member.name.place)
    at = circle.index(first)
    turned = circle[at:] + circle[:at]
    way = " -> ".join(member.name.value for member in (*turned, first))
    notes = [Note(f'the base of "{member.name}"', member.base.place) for member in turned[1:] if member.base]
    assert first.base is not None
    problems.error("D031", first.base.place, f"definitions are each other's base: {way}", notes=notes)
