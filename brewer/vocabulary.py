"""The words that definitions may use: data types, memory spaces, engines, targets and enumerations.

Deliberately absent: what a word means. That is in `runtime`; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Hashable
from collections.abc import Mapping as Table
from dataclasses import replace
from functools import cached_property
from typing import Any

from brewer.document_keys import ENGINE_MEMORIES, ENUM_WORD, ENUMERATION, GROUP_NAME, VOCABULARY, VOCABULARY_ADDITION
from brewer.field_keys import PLAIN_TYPES
from brewer.frozen import frozen
from brewer.keys import Keys, is_known, is_written_as, read_texts
from brewer.model import Text
from brewer.problems import Problems
from brewer.yaml_tree import Mapping
from runtime.diagnostics import Note, listed

FILE = "defs/vocabulary.yaml"
Lists = tuple[tuple[str, tuple[str, ...]], ...]


@frozen
class Enum:
    name: Text
    values: tuple[str, ...]
    doc: str = ""


@frozen
class EngineMemories:
    """The memory spaces that an engine reads and writes."""

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()


@frozen
class Vocabulary:
    dtypes: tuple[str, ...] = ()  # in the order of the file, which is the order in the generated module
    dtype_groups: Lists = ()  # short names for lists of data types
    memories: tuple[str, ...] = ()
    engines: tuple[str, ...] = ()
    engines_of: Lists = ()  # of each target
    engine_memories: tuple[tuple[str, EngineMemories], ...] = ()  # of the engines of which it is known
    enums: tuple[Enum, ...] = ()
    line: int = 1  # of the first key, for the provenance marker
    where: str = FILE  # the file, for messages; of another repository that has none, what it may write

    @property
    def targets(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.engines_of)

    @cached_property
    def lists(self) -> Table[str, tuple[str, ...]]:
        """The lists of words that tables of keys name."""
        return {
            "dtypes": self.dtypes,
            "dtypes_and_groups": (*self.dtypes, *(name for name, _ in self.dtype_groups)),
            "memories": self.memories,
            "engines": self.engines,
            "targets_and_default": (*self.targets, "default"),
            "types": (*PLAIN_TYPES, *(enum.name.value for enum in self.enums)),
        }

    @cached_property
    def sound_fields(self) -> dict[Hashable, tuple[Any, ...]]:
        """What was read of operands, attributes and results by these words, by what their definitions say of them.

        Two thirds of them are like others: it takes a quarter of the time of reading.
        """
        return {}

    def enum(self, name: str) -> Enum | None:
        return next((enum for enum in self.enums if enum.name.value == name), None)

    def dtypes_of(self, words: tuple[Text, ...], problems: Problems) -> tuple[str, ...]:
        """The words, which are data types or groups of them, once no data type is named twice."""
        groups = dict(self.dtype_groups)
        first: dict[str, Text] = {}
        for word in words:
            dtypes = groups.get(word.value, (word.value,))
            twice = [dtype for dtype in dtypes if dtype in first]
            if twice:
                notes = [Note("it stands here first", first[twice[0]].place)]
                problems.error("D024", word.place, f'"{twice[0]}" stands twice in "dtypes"', notes=notes)
            first.update({dtype: word for dtype in dtypes if dtype not in first})
        return tuple(word.value for word in words)


def read_vocabulary(tree: Mapping, problems: Problems, replaced: Vocabulary | None = None) -> Vocabulary:
    """`replaced` is brewer's vocabulary, which that of another repository stands in place of, or extends."""
    if replaced and any(entry.name == "extends" for entry in tree):
        return _read_addition(tree, problems, replaced)
    keys = Keys(tree, VOCABULARY, problems)
    start = tree.entries[0].place if tree.entries else tree.place
    keys.check(start, _how_to_complete(keys, replaced) if replaced else "")
    dtypes, engines = _words(keys, "dtypes"), _words(keys, "engines")
    return Vocabulary(
        dtypes=dtypes,
        dtype_groups=_groups(keys, dtypes, problems) if dtypes else (),
        memories=_words(keys, "memories"),
        engines=engines,
        engines_of=_engines_of_targets(keys, engines, problems) if engines else (),
        engine_memories=_engine_memories(keys, engines, problems) if engines else (),
        enums=_enums(keys, problems),
        line=start.line,
    )


def _read_addition(tree: Mapping, problems: Problems, extended: Vocabulary) -> Vocabulary:
    """All words of `extended`, and those of the file, none of which may be there already."""
    keys = Keys(tree, VOCABULARY_ADDITION, problems)
    keys.check(tree.entries[0].place)
    keys.word("extends")
    groups, enums = _groups(keys, extended.dtypes, problems), _enums(keys, problems)
    targets = _engines_of_targets(keys, extended.engines, problems)
    group_names, enum_names = set(dict(extended.dtype_groups)), {enum.name.value for enum in extended.enums}
    taken = {
        "dtype_groups": group_names | {f"{name}s" for name in enum_names},
        "targets": {*extended.targets, "default"},
        "enums": enum_names | {name.removesuffix("s") for name in group_names},
    }
    for key, names in taken.items():
        for entry in keys.mapping(key) or ():
            if entry.name in names:
                help = "its words are there without being said; choose another name for yours"
                message = f'brewer\'s vocabulary has "{entry.name}" already, or a name that would be one with it'
                problems.error("D032", entry.place, message, help=help)
    return replace(
        extended,
        dtype_groups=(*extended.dtype_groups, *groups),
        engines_of=(*extended.engines_of, *targets),
        enums=(*extended.enums, *enums),
        line=tree.entries[0].place.line,
    )


def _how_to_complete(keys: Keys, replaced: Vocabulary) -> str:
    """Words that the runtime of brewer does not know would be refused, so the lists are those that it knows."""
    targets = ", ".join(f"{name}: [{', '.join(engines)}]" for name, engines in replaced.engines_of)
    lines = {key: f"{key}: [{', '.join(getattr(replaced, key))}]" for key in ("dtypes", "memories", "engines")}
    lines["targets"] = f"targets: {{{targets}}}"
    missing = [f"`{line}`" for key, line in lines.items() if key not in keys and key not in keys.misspelled]
    return (
        f"this file is the whole vocabulary, in place of brewer's, which has {listed(missing, 'and')}: add what"
        " applies, or write `extends: brewer` and only what is yours"
    )


def _words(keys: Keys, key: str) -> tuple[str, ...]:
    return tuple(text.value for text in keys.texts(key))


def _groups(keys: Keys, dtypes: tuple[str, ...], problems: Problems) -> Lists:
    groups: list[tuple[str, tuple[str, ...]]] = []
    words = frozenset(dtypes)
    for entry in keys.mapping("dtype_groups") or ():
        members = read_texts(entry.value, f'"{entry.name}"', problems)
        known = tuple(text.value for text in members if is_known(text, words, "data type", "D005", problems))
        if entry.name in words:
            problems.error("D032", entry.place, f'"{entry.name}" is a data type, so no group may have its name')
        is_written_as(GROUP_NAME, Text(entry.name, entry.place), problems)
        groups.append((entry.name, known))
    return tuple(groups)


def _engines_of_targets(keys: Keys, engines: tuple[str, ...], problems: Problems) -> Lists:
    targets: list[tuple[str, tuple[str, ...]]] = []
    words = frozenset(engines)
    for entry in keys.mapping("targets") or ():
        listed = read_texts(entry.value, f'"{entry.name}"', problems)
        known = tuple(text.value for text in listed if is_known(text, words, "engine", "D016", problems))
        targets.append((entry.name, known))
    return tuple(targets)


def _engine_memories(
    keys: Keys, engines: tuple[str, ...], problems: Problems
) -> tuple[tuple[str, EngineMemories], ...]:
    memories = frozenset(_words(keys, "memories"))
    found: list[tuple[str, EngineMemories]] = []
    for name, body in keys.named_mappings("engine_memories"):
        is_known(name, engines, "engine", "D016", problems)
        inner = Keys(body, ENGINE_MEMORIES, problems)
        inner.check(name.place)
        reads, writes = (
            tuple(t.value for t in inner.texts(key) if is_known(t, memories, "memory space", "D015", problems))
            for key in ("reads", "writes")
        )
        found.append((name.value, EngineMemories(reads, writes)))
    return tuple(found)


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
    keys = Keys(body, ENUMERATION, problems)
    keys.check(name.place)
    is_written_as(GROUP_NAME, name, problems)
    values = keys.texts("values")
    for value in values:
        is_written_as(ENUM_WORD, value, problems)
    return Enum(name, tuple(value.value for value in values), keys.text_or_empty("doc"))
