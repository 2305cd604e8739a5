"""The regions of a definition: located tree to model."""

from __future__ import annotations

from brewer.field_keys import PORT, PORT_NAME, REGION, REGION_NAME
from brewer.keys import Keys, entry_mapping, is_written_as, read_texts
from brewer.model import Port, Region, Text
from brewer.problems import Problems
from brewer.read_fields import read_rank
from brewer.vocabulary import Vocabulary
from brewer.yaml_tree import Mapping


def read_regions(keys: Keys, vocabulary: Vocabulary, problems: Problems) -> tuple[Region, ...]:
    """What `regions` says: names, or a mapping from them."""
    node = keys.value("regions")
    if node is None:
        return ()
    if not isinstance(node, Mapping):
        names = read_texts(node, '"regions"', problems)
        return tuple(Region(name) for name in names if is_written_as(REGION_NAME, name, problems))
    found = []
    for entry in node:
        name, body = Text(entry.name, entry.place), entry_mapping(entry, problems)
        if body is not None and is_written_as(REGION_NAME, name, problems):
            found.append(_read_region(name, body, vocabulary, problems))
    return tuple(found)


def _read_region(name: Text, body: Mapping, vocabulary: Vocabulary, problems: Problems) -> Region:
    keys = Keys(body, REGION, problems, vocabulary.lists)
    keys.check(name.place)
    return Region(
        name=name,
        runs=keys.word_or_default("runs"),
        takes=_read_ports(keys, "takes", vocabulary, problems),
        yields=_read_ports(keys, "yields", vocabulary, problems) if "yields" in keys else None,
        doc=keys.text_or_empty("doc"),
    )


def _read_ports(keys: Keys, key: str, vocabulary: Vocabulary, problems: Problems) -> tuple[Port, ...]:
    found = []
    for name, body in keys.named_mappings(key):
        is_written_as(PORT_NAME, name, problems)
        inner = Keys(body, PORT, problems, vocabulary.lists)
        inner.check(name.place)
        dtypes = vocabulary.dtypes_of(inner.words("dtypes"), problems)
        source = (inner.text("same_as"), inner.text("item_of"), inner.text("along"))
        found.append(Port(name, *source, dtypes, read_rank(inner, problems)))
    return tuple(found)
