"""The destination of a definition: located tree to model."""

from __future__ import annotations

from collections.abc import Sequence

from brewer.field_keys import DST, DST_USE, DST_USES
from brewer.keys import Keys, is_known, kind_of, read_text
from brewer.model import Destination, Result, Text
from brewer.problems import Problems
from brewer.vocabulary import Vocabulary
from brewer.yaml_tree import Mapping, Scalar


def read_destination(keys: Keys, results: Sequence[Result], vocabulary: Vocabulary, problems: Problems) -> Destination:
    """What `dst` says: a word, or a mapping. An instruction with several results gives values only."""
    node = keys.value("dst")
    if node is None:
        many = len(results) > 1 or any(result.variadic for result in results)
        return Destination(use="forbidden" if many else "optional")
    place = keys.entries["dst"].place
    if isinstance(node, Mapping):
        return _read_mapping(node, Keys(node, DST, problems, vocabulary.lists), vocabulary, problems)
    text = read_text(node, '"dst"', problems)
    known = text is not None and is_known(text, DST_USES, DST_USE.noun, DST_USE.code, problems)
    return Destination(use=text.value if known and text else "optional", place=place)


def _read_mapping(node: Mapping, keys: Keys, vocabulary: Vocabulary, problems: Problems) -> Destination:
    keys.check(node.place)
    return Destination(
        use=keys.word_or_default("use"),
        memory=tuple(word.value for word in keys.words("memory")),
        dtypes=vocabulary.dtypes_of(keys.words("dtypes"), problems),
        accumulates=_read_accumulates(keys, problems),
        place=node.place,
    )


def _read_accumulates(keys: Keys, problems: Problems) -> bool | Text:
    node = keys.value("accumulates")
    if node is None:
        return False
    if isinstance(node, Scalar) and isinstance(node.value, bool):
        return node.value
    if isinstance(node, Scalar) and isinstance(node.value, str):
        return Text(node.value, node.place)
    message = f'"accumulates" is true, false or the name of an attribute, not {kind_of(node)}'
    problems.error("D014", node.place, message)
    return False
