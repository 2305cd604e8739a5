"""The words that definitions may use: data types, memory spaces, engines, targets and enumerations.

Deliberately absent: what a word means. That is in `runtime`; a test compares the two.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from brewer.keys import Keys, is_known, read_texts
from brewer.model import Text
from brewer.problems import Problems
from brewer.yaml_tree import Mapping
from runtime.diagnostics import Note, Place

FILE = "defs/vocabulary.yaml"
_KEYS = ("dtypes", "dtype_groups", "memories", "engines", "targets", "enums")
_WORD = re.compile(r"[a-z][a-z0-9_]*\Z")


@dataclass(frozen=True, slots=True)
class Enum:
    name: Text
    values: tuple[str, ...]
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    dtypes: tuple[str, ...] = ()  # in the order of the file, which is the order in the generated module
    dtype_groups: tuple[tuple[str, tuple[str, ...]], ...] = ()  # short names for lists of data types
    memories: tuple[str, ...] = ()
    engines: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    enums: tuple[Enum, ...] = ()
    line: int = 1  # of the first key, for the provenance marker

    def enum(self, name: str) -> Enum | None:
        return next((enum for enum in self.enums if enum.name.value == name), None)

    def dtypes_of(self, words: tuple[Text, ...], problems: Problems) -> tuple[str, ...]:
        """Those of the words that are data types or groups of them; a data type may be named once."""
        groups = dict(self.dtype_groups)
        known = [word for word in words if is_known(word, (*self.dtypes, *groups), "data type", "D005", problems)]
        first: dict[str, Text] = {}
        for word in known:
            twice = [dtype for dtype in groups.get(word.value, (word.value,)) if dtype in first]
            if twice:
                notes = [Note("it stands here first", first[twice[0]].place)]
                problems.error("D024", word.place, f'"{twice[0]}" stands twice in "dtypes"', notes=notes)
            for dtype in groups.get(word.value, (word.value,)):
                first.setdefault(dtype, word)
        return tuple(word.value for word in known)


def read_vocabulary(tree: Mapping, problems: Problems) -> Vocabulary:
    keys = Keys(tree, "the vocabulary", _KEYS, problems)
    start = tree.entries[0].place if tree.entries else tree.place
    lists = {key: _words(keys, key, start) for key in ("dtypes", "memories", "engines", "targets")}
    return Vocabulary(
        dtypes=lists["dtypes"],
        dtype_groups=_groups(keys, lists["dtypes"], problems) if lists["dtypes"] else (),
        memories=lists["memories"],
        engines=lists["engines"],
        targets=lists["targets"],
        enums=_enums(keys, problems),
        line=start.line,
    )


def _words(keys: Keys, key: str, start: Place) -> tuple[str, ...]:
    keys.require(key, start)
    return tuple(text.value for text in keys.texts(key))


def _groups(keys: Keys, dtypes: tuple[str, ...], problems: Problems) -> tuple[tuple[str, tuple[str, ...]], ...]:
    groups: list[tuple[str, tuple[str, ...]]] = []
    for entry in keys.mapping("dtype_groups") or ():
        members = read_texts(entry.value, f'"{entry.name}"', problems)
        known = tuple(text.value for text in members if is_known(text, dtypes, "data type", "D005", problems))
        if entry.name in dtypes:
            problems.error("D032", entry.place, f'"{entry.name}" is a data type, so no group may have its name')
        if not _WORD.match(entry.name):
            problems.error("D018", entry.place, f'"{entry.name}" is not a name in snake_case')
        groups.append((entry.name, known))
    return tuple(groups)


def _enums(keys: Keys, problems: Problems) -> tuple[Enum, ...]:
    """The enumerations; none may share the name of its Python constant, `FLOATS`, with a group of data types."""
    enums = tuple(_enum(name, body, problems) for name, body in keys.named_mappings("enums"))
    groups = {entry.name: entry for entry in keys.mapping("dtype_groups") or ()}
    for enum in enums:
        if group := groups.get(f"{enum.name}s"):
            notes = [Note("the group", group.place)]
            message = f'the words of "{enum.name}" and the group "{group.name}" would have one name'
            problems.error("D032", enum.name.place, message, notes=notes)
    return enums


def _enum(name: Text, body: Mapping, problems: Problems) -> Enum:
    keys = Keys(body, "an enumeration", ("doc", "values"), problems)
    keys.require("values", name.place, "[...]")
    if not _WORD.match(name.value):
        problems.error("D018", name.place, f'"{name}" is not a name in snake_case')
    values = keys.texts("values")
    for value in values:
        if not _WORD.match(value.value):
            problems.error("D018", value.place, f'"{value}" is not a lower-case word')
    return Enum(name, tuple(value.value for value in values), keys.text_or_empty("doc"))
