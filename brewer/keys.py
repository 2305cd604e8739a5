"""Reading the entries of one mapping: kinds of values, unknown and missing keys, each mistake said once."""

from __future__ import annotations

from collections.abc import Iterable

from brewer.model import Text
from brewer.problems import Problems
from brewer.yaml_tree import Entry, Mapping, Node, Scalar, Sequence
from runtime.diagnostics import Note, Place, either, near_names


class Keys:
    """The entries of a mapping that may hold the `allowed` keys. `what` names it in messages: `an operand`."""

    def __init__(self, mapping: Mapping, what: str, allowed: Iterable[str], problems: Problems) -> None:
        self.what = what
        self.problems = problems
        self.allowed = tuple(allowed)
        self.entries = {entry.name: entry for entry in mapping if entry.name in self.allowed}
        self.doubled = mapping.doubled
        self._misspelled: set[str] = set()
        for entry in mapping:
            if entry.name not in self.allowed:
                self._report_unknown(entry)

    def _report_unknown(self, entry: Entry) -> None:
        absent = [key for key in self.allowed if key not in self.entries]
        near = near_names(entry.name, absent) or near_names(entry.name, self.allowed)
        self._misspelled.update(near)
        hint = f"did you mean {either(near)}?" if near else f"it has: {', '.join(self.allowed)}"
        self.problems.error("D011", entry.place, f'{self.what} has no key "{entry.name}"', help=hint)

    @property
    def misspelled(self) -> frozenset[str]:
        """The keys that an unknown key, reported already, may stand for."""
        return frozenset(self._misspelled)

    def __contains__(self, name: str) -> bool:
        return name in self.entries

    def place(self, name: str) -> Place:
        return self.entries[name].place

    def require(self, name: str, place: Place, example: str = "") -> None:
        """Reports that a key is missing, unless it is there or only misspelled."""
        self.require_all((name,), place, f"add `{name}: {example}`" if example else "")

    def require_all(self, names: Iterable[str], place: Place, help: str = "") -> None:
        """Reports in one message which keys are missing."""
        missing = [name for name in names if name not in self.entries and name not in self._misspelled]
        if missing:
            keys = f"the key{'s' * (len(missing) > 1)} {either(missing, 'and')}"
            self.problems.error("D013", place, f"{self.what} needs {keys}", help=help)

    def exclusive(self, *names: str) -> None:
        """Reports the second of two keys that exclude each other."""
        present = sorted((self.entries[name] for name in names if name in self), key=lambda entry: entry.place)
        for entry in present[1:]:
            first = present[0].name
            self.problems.error("D025", entry.place, f'"{entry.name}" and "{first}" exclude each other; keep one')

    def value(self, name: str) -> Node | None:
        """The node of a key; None if it is absent, or empty (which is reported)."""
        entry = self.entries.get(name)
        if entry is None:
            return None
        if isinstance(entry.value, Scalar) and entry.value.value is None:
            self.problems.error("D022", entry.place, f'"{name}" has no value', help="give it one or remove the key")
            return None
        return entry.value

    def text(self, name: str) -> Text | None:
        node = self.value(name)
        return None if node is None else read_text(node, f'"{name}"', self.problems)

    def text_or_empty(self, name: str) -> str:
        text = self.text(name)
        return text.value.strip() if text else ""

    def flag(self, name: str, default: bool = False) -> bool:
        node = self.value(name)
        if node is None:
            return default
        if isinstance(node, Scalar) and isinstance(node.value, bool):
            return node.value
        self.problems.error("D014", node.place, f'"{name}" is true or false, not {kind_of(node)}')
        return default

    def integer(self, name: str) -> int | None:
        node = self.value(name)
        return None if node is None else read_integer(node, f'"{name}"', self.problems)

    def number(self, name: str) -> float | None:
        node = self.value(name)
        if node is None:
            return None
        if isinstance(node, Scalar) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
            return node.value
        self.problems.error("D014", node.place, f'"{name}" is a number, not {kind_of(node)}')
        return None

    def word(self, name: str, known: Iterable[str], kind: str, code: str = "D015") -> Text | None:
        """A text that must be one of the known words; `kind` names them in messages: `access mode`."""
        text = self.text(name)
        return text if text and is_known(text, known, kind, code, self.problems) else None

    def words(self, name: str, known: Iterable[str], kind: str, code: str = "D015") -> tuple[Text, ...]:
        """A word or a list of words, all known, none twice."""
        known = tuple(known)
        found = self.texts(name)
        return tuple(text for text in found if is_known(text, known, kind, code, self.problems))

    def texts(self, name: str) -> tuple[Text, ...]:
        """A text or a list of texts, none twice."""
        node = self.value(name)
        return () if node is None else read_texts(node, f'"{name}"', self.problems)

    def mapping(self, name: str) -> Mapping | None:
        node = self.value(name)
        if node is None or isinstance(node, Mapping):
            return node
        self.problems.error("D014", node.place, f'"{name}" is a mapping, not {kind_of(node)}')
        return None

    def named_mappings(self, name: str) -> tuple[tuple[Text, Mapping], ...]:
        """The entries of a mapping from names to mappings; `x: {}` and an empty `x:` both stand for no keys."""
        found = []
        for entry in self.mapping(name) or ():
            body = entry_mapping(entry, self.problems)
            if body is not None:
                found.append((Text(entry.name, entry.place), body))
        return tuple(found)


def entry_mapping(entry: Entry, problems: Problems) -> Mapping | None:
    """The mapping that an entry holds, an empty one where it has no value."""
    value = entry.value
    if isinstance(value, Mapping):
        return value
    if isinstance(value, Scalar) and value.value is None:
        return Mapping(entry.place, ())
    problems.error("D014", value.place, f'"{entry.name}" is a mapping, not {kind_of(value)}')
    return None


def is_mapping_of_mappings(keys: Keys, name: str) -> bool:
    """Whether a key is absent, or holds names with mappings."""
    entry = keys.entries.get(name)
    if entry is None:
        return True
    values = [inner.value for inner in entry.value] if isinstance(entry.value, Mapping) else [entry.value]
    return all(isinstance(value, Mapping) or (isinstance(value, Scalar) and value.value is None) for value in values)


def read_text(node: Node, what: str, problems: Problems) -> Text | None:
    if isinstance(node, Scalar) and isinstance(node.value, str):
        return Text(node.value, node.place)
    help = f'write "{node.text}" in quotes if the text is meant' if isinstance(node, Scalar) and node.text else ""
    problems.error("D014", node.place, f"{what} is a text, not {kind_of(node)}", help=help)
    return None


def read_integer(node: Node, what: str, problems: Problems) -> int | None:
    if isinstance(node, Scalar) and isinstance(node.value, int) and not isinstance(node.value, bool):
        return node.value
    problems.error("D014", node.place, f"{what} is a whole number, not {kind_of(node)}")
    return None


def read_texts(node: Node, what: str, problems: Problems) -> tuple[Text, ...]:
    if isinstance(node, Mapping):
        problems.error("D014", node.place, f"{what} is a text or a list of texts, not a mapping")
        return ()
    items = node.items if isinstance(node, Sequence) else (node,)
    found: dict[str, Text] = {}
    for item in items:
        text = read_text(item, what, problems)
        if text is None:
            continue
        if text.value in found:
            notes = [Note("it stands here first", found[text.value].place)]
            problems.error("D024", text.place, f'"{text}" stands twice in {what}', notes=notes)
        found.setdefault(text.value, text)
    return tuple(found.values())


def is_known(text: Text, known: Iterable[str], kind: str, code: str, problems: Problems) -> bool:
    known = tuple(known)
    if text.value in known:
        return True
    problems.unknown(code, text.place, kind, text.value, known)
    return False


def kind_of(node: Node) -> str:
    """What a node is, for messages: `the list [1, 2]` would be too long, so only scalars are shown."""
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    if isinstance(node.value, bool):
        return f"the boolean {node.text}"
    if isinstance(node.value, (int, float)):
        return f"the number {node.text}"
    return f'the text "{node.text}"' if node.value is not None else "nothing"
