"""`before`: what attributes are in records of older versions that leave them out. Located tree to model, and checks.

Deliberately absent: operands. A record of before may lack those at the end that need not be there, and no others.
"""

from __future__ import annotations

from collections.abc import Iterable

from brewer.attribute_values import is_within, read_value
from brewer.keys import Keys, entry_mapping
from brewer.kinds import Entries, Whole
from brewer.model import Attribute, Definition, OlderValue, Rename, Text, Value, newest_name
from brewer.problems import Problems
from brewer.vocabulary import Vocabulary
from brewer.yaml_tree import Node


def read_before(
    keys: Keys, attributes: Iterable[Attribute], renames: Iterable[Rename], vocabulary: Vocabulary, problems: Problems
) -> tuple[OlderValue, ...]:
    """What `before` says; the values are judged by the types that the attributes have in the newest version."""
    section = keys.table.by_name["before"].kind
    assert isinstance(section, Entries) and isinstance(section.names, Whole) and section.names.minimum
    known = {attribute.name.value: attribute for attribute in attributes}
    renames = tuple(renames)
    found: list[OlderValue] = []
    for entry in keys.mapping("before") or ():
        version = entry.key.value
        if not isinstance(version, int) or version < section.names.minimum:
            message = f'"{entry.name}" is no version that others came before; the first is {section.names.minimum}'
            problems.error("D123", entry.place, message, help=keys.table.by_name["before"].example)
            continue
        for pair in entry_mapping(entry, problems) or ():
            attribute = known.get(newest_name(renames, version, pair.name))
            what = f'"{pair.name}" before version {version}'
            value = _read_value(pair.value, what, attribute, vocabulary, problems) if attribute else None
            found.append(OlderValue(version, Text(pair.name, pair.place), value))
    return tuple(found)


def check_before(definition: Definition, problems: Problems) -> None:
    """Each entry names an attribute as its version calls it, and a version that the definition has."""
    known = [attribute.name.value for attribute in definition.attributes]
    for older in definition.before:
        version, name = older.version, older.name
        if version > definition.version:
            message = f"a value before version {version}, but the definition's version is {definition.version}"
            problems.error("D123", name.place, message, help=f"write `version: {version}`")
        elif newest_name(definition.renames, version, name.value) not in known:
            help = _later_name(definition, older) or problems.hint(name.place, name.value, known, "attributes")
            problems.error("D123", name.place, f'"{definition.name}" has no attribute "{name}"', help=help)
        elif earlier := _earlier_name(definition, older):
            message = f'version {version} of "{definition.name}" has no attribute "{name}" yet'
            help = f'before version {earlier.version} it is called "{earlier.old}"'
            problems.error("D123", name.place, message, help=help)


def _read_value(
    node: Node, what: str, attribute: Attribute, vocabulary: Vocabulary, problems: Problems
) -> Value | None:
    if not attribute.is_sound:
        return None
    value = read_value(node, what, attribute.type, vocabulary, problems)
    if value is None or not is_within(value, what, attribute.type, attribute, node.place, problems):
        return None
    return value


def _later_name(definition: Definition, older: OlderValue) -> str:
    """What to say where the name was given up by then."""
    for rename in definition.renames:
        if rename.old.value == older.name.value and rename.version <= older.version:
            return f'since version {rename.version} it is called "{rename.new}"'
    return ""


def _earlier_name(definition: Definition, older: OlderValue) -> Rename | None:
    """The rename by which an attribute gets the name only later."""
    given = [rename for rename in definition.renames if rename.new.value == older.name.value]
    by_then = [rename for rename in given if rename.version <= older.version]
    is_old_name = any(r.old.value == older.name.value and r.version > older.version for r in definition.renames)
    return None if by_then or is_old_name or not given else given[0]
