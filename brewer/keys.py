"""Reading one mapping by its table of keys: kinds of values, unknown and missing keys, each mistake said once."""

from __future__ import annotations

from collections.abc import Container, Iterable
from collections.abc import Mapping as Lists

from brewer.kinds import (
    Either,
    Entries,
    Flag,
    FreeText,
    Kind,
    Number,
    OneOrMore,
    Pattern,
    Reference,
    Section,
    Table,
    TypeWord,
    Whole,
    Word,
)
from brewer.model import Text
from brewer.plain_scalars import INFINITIES
from brewer.problems import Problems
from brewer.yaml_tree import Entry, Mapping, Node, Scalar, Sequence
from runtime.diagnostics import Note, Place, either, listed, near_names

_TEXTS = (FreeText, Pattern, Reference, TypeWord)
_NONE: frozenset[str] = frozenset()


class Keys:
    """The entries of a mapping that has the keys of a table. `lists` are the words that it may name."""

    def __init__(
        self, mapping: Mapping, table: Table, problems: Problems, lists: Lists[str, tuple[str, ...]] | None = None
    ) -> None:
        self.table = table
        self.problems = problems
        self.lists = lists or {}
        known, found = table.by_name, mapping.by_name
        self.entries = found
        self.doubled = mapping.doubled
        self._misspelled: set[str] = set()
        if not found.keys() <= known.keys():
            self.entries = {name: entry for name, entry in found.items() if name in known}
            for name, entry in found.items():
                if name not in known:
                    self._report_unknown(entry)

    def _report_unknown(self, entry: Entry) -> None:
        what, names = self.table.what, self.table.names
        absent = [key for key in names if key not in self.entries]
        near = () if self.problems.is_full(entry.place) else near_names(entry.name, absent)
        near = near or (() if self.problems.is_full(entry.place) else near_names(entry.name, names))
        self._misspelled.update(near)
        hint = f"did you mean {either(near)}?" if near else f"it has: {', '.join(names)}"
        hint = dict(self.table.other_words).get(entry.name, hint)
        if " " in entry.name and isinstance(entry.value, Scalar) and entry.value.value is None:
            hint = "inside braces, a text with a comma is written in quotes"  # what is behind the comma came as a key
        self.problems.error("D011", entry.place, f'{what} has no key "{entry.name}"', help=hint)

    @property
    def misspelled(self) -> frozenset[str]:
        """The keys that an unknown key, reported already, may stand for."""
        return frozenset(self._misspelled) if self._misspelled else _NONE

    def __contains__(self, name: str) -> bool:
        return name in self.entries

    def place(self, name: str) -> Place:
        return self.entries[name].place

    def check(self, place: Place, help: str = "") -> None:
        """Reports keys that exclude each other, and at `place` those that are missing; `help` replaces the examples."""
        entries = self.entries
        for one, other in self.table.exclusive if len(entries) > 1 else ():
            if one in entries and other in entries:
                self._report_exclusive((one, other))
        if self.table.required:
            self.require(place, self.table.required, help)
        for need in self.table.needs:
            if need.beside in entries and need.unless not in entries:
                self.require(place, [need.key])

    def _report_exclusive(self, pair: tuple[str, str]) -> None:
        first, second = sorted((self.entries[name] for name in pair), key=lambda entry: entry.place)
        message = f'"{second.name}" and "{first.name}" exclude each other; keep one'
        self.problems.error("D025", second.place, message)

    def require(self, place: Place, names: Iterable[str], help: str = "") -> None:
        """Reports in one message which keys are missing, and not only misspelled."""
        missing = [name for name in names if name not in self.entries and name not in self._misspelled]
        if missing:
            keys = f"the key{'s' * (len(missing) > 1)} {either(missing, 'and')}"
            examples = listed((f"`{self.table.by_name[name].example}`" for name in missing), "and")
            self.problems.error("D013", place, f"{self.table.what} needs {keys}", help=help or f"add {examples}")

    def value(self, name: str) -> Node | None:
        """The node of a key; None if it is absent, or empty (which is reported)."""
        entry = self.entries.get(name)
        if entry is None:
            return None
        value = entry.value
        if isinstance(value, Scalar) and value.value is None:
            self.problems.error("D022", entry.place, f'"{name}" has no value', help="give it one or remove the key")
            return None
        if isinstance(value, Sequence) and not value.items and _is_one_or_more(self.table.by_name[name].kind):
            help = "give it values or remove the key"
            self.problems.error("D022", value.place, f'"{name}" is an empty list', help=help)
            return None
        return value

    def text(self, name: str) -> Text | None:
        entry = self.entries.get(name)
        if entry is None:
            return None  # as is most often the case, here and below
        kind = self.table.by_name[name].kind
        assert isinstance(kind, _TEXTS), self._misread(name, _TEXTS)
        node = entry.value
        if isinstance(node, Scalar) and isinstance(node.value, str):  # as nearly all that are there
            text: Text | None = Text(node.value, node.place)
        else:
            value = self.value(name)
            text = None if value is None else read_text(value, f'"{name}"', self.problems)
        if text is None or not isinstance(kind, Pattern):
            return text
        return text if is_written_as(kind, text, self.problems) else None

    def text_or_empty(self, name: str) -> str:
        text = self.text(name)
        return text.value.strip() if text else ""

    def flag(self, name: str, otherwise: bool = False) -> bool:
        """`otherwise` stands for a value that is neither true nor false, which is reported."""
        if name not in self.entries:
            return False
        self._kind(name, Flag)
        node = self.value(name)
        if node is None:
            return otherwise
        if isinstance(node, Scalar) and isinstance(node.value, bool):
            return node.value
        self.problems.error("D014", node.place, f'"{name}" is true or false, not {kind_of(node)}')
        return otherwise

    def integer(self, name: str) -> int | None:
        if name not in self.entries:
            return None
        kind = self._kind(name, Whole)
        assert isinstance(kind, Whole)
        node = self.value(name)
        return None if node is None else read_integer(node, f'"{name}"', kind, self.problems)

    def number(self, name: str) -> float | None:
        if name not in self.entries:
            return None
        self._kind(name, Number)
        node = self.value(name)
        if node is None:
            return None
        if isinstance(node, Scalar) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
            if node.value not in INFINITIES.values():
                return node.value
            help = "leave it out: what is not bounded has no bound" if name in ("min", "max") else ""
            self.problems.error("D014", node.place, f'"{name}" is a finite number, not {node.text}', help=help)
            return None
        self.problems.error("D014", node.place, f'"{name}" is a number, not {kind_of(node)}')
        return None

    def word(self, name: str) -> Text | None:
        """A text that must be one of the known words."""
        if name not in self.entries:
            return None
        kind = self._kind(name, Word)
        node = self.value(name)
        text = None if node is None else read_text(node, f'"{name}"', self.problems)
        return text if text and self.is_known(text, kind) else None

    def word_or_default(self, name: str) -> str:
        text = self.word(name)
        default = self.table.by_name[name].default
        assert isinstance(default, str)
        return text.value if text else default

    def words(self, name: str) -> tuple[Text, ...]:
        """A word or a list of words, all known, none twice."""
        if name not in self.entries:
            return ()
        kind = self._kind(name, OneOrMore)
        assert isinstance(kind, OneOrMore)
        return tuple(text for text in self.texts(name) if self.is_known(text, kind.item))

    def texts(self, name: str) -> tuple[Text, ...]:
        """A text or a list of texts, none twice."""
        if name not in self.entries:
            return ()
        self._kind(name, OneOrMore)
        node = self.value(name)
        return () if node is None else read_texts(node, f'"{name}"', self.problems)

    def mapping(self, name: str) -> Mapping | None:
        if name not in self.entries:
            return None
        self._kind(name, Section, Entries)
        node = self.value(name)
        if node is None or isinstance(node, Mapping):
            return node
        self.problems.error("D014", node.place, f'"{name}" is a mapping, not {kind_of(node)}')
        return None

    def named_mappings(self, name: str) -> tuple[tuple[Text, Mapping], ...]:
        """The entries of a mapping from names to mappings; `x: {}` and an empty `x:` both stand for no keys."""
        if name not in self.entries:
            return ()
        found = []
        for entry in self.mapping(name) or ():
            body = entry_mapping(entry, self.problems)
            if body is not None:
                found.append((Text(entry.name, entry.place), body))
        return tuple(found)

    def is_known(self, text: Text, kind: Kind) -> bool:
        """Whether a text is one of the words; reported where not."""
        assert isinstance(kind, Word), f"{kind} has no known words"
        known = self.lists[kind.known] if isinstance(kind.known, str) else kind.known
        return is_known(text, known, kind.noun, kind.code, self.problems)

    def _kind(self, name: str, *classes: type) -> Kind:
        """The kind that the table gives a key; that the reader asks for another one would be a mistake of ours."""
        kind = self.table.by_name[name].kind
        assert isinstance(kind, classes), self._misread(name, classes)
        return kind

    def _misread(self, name: str, classes: tuple[type, ...]) -> str:
        return f'"{name}" of {self.table.what} is {self.table.by_name[name].kind}, and read as {classes}'


def _is_one_or_more(kind: Kind) -> bool:
    return isinstance(kind, OneOrMore) or isinstance(kind, Either) and any(map(_is_one_or_more, kind.kinds))


def entry_mapping(entry: Entry, problems: Problems) -> Mapping | None:
    """The mapping that an entry holds, an empty one where it has no value."""
    value = entry.value
    if isinstance(value, Mapping):
        return value
    if isinstance(value, Scalar) and value.value is None:
        return Mapping(entry.place, {})
    problems.error("D014", value.place, f'"{entry.name}" is a mapping, not {kind_of(value)}')
    return None


def is_mapping_of_mappings(keys: Keys, name: str) -> bool:
    """Whether a key is absent, or holds names with mappings."""
    entry = keys.entries.get(name)
    if entry is None:
        return True
    values = [inner.value for inner in entry.value] if isinstance(entry.value, Mapping) else [entry.value]
    others = [value for value in values if not isinstance(value, Mapping)]
    return not others or all(isinstance(value, Scalar) and value.value is None for value in others)


def read_text(node: Node, what: str, problems: Problems) -> Text | None:
    if isinstance(node, Scalar) and isinstance(node.value, str):
        return Text(node.value, node.place)
    help = f'write "{node.text}" in quotes if the text is meant' if isinstance(node, Scalar) and node.text else ""
    problems.error("D014", node.place, f"{what} is a text, not {kind_of(node)}", help=help)
    return None


def is_written_as(pattern: Pattern, text: Text, problems: Problems) -> bool:
    """Whether a text has its form; reported where not."""
    if pattern.matches(text.value):
        return True
    message = pattern.refusal or f'"{text}" is not a {pattern.noun}'
    problems.error(pattern.code, text.place, message, help=pattern.help)
    return False


def read_integer(node: Node, what: str, kind: Whole, problems: Problems) -> int | None:
    if not isinstance(node, Scalar) or not isinstance(node.value, int) or isinstance(node.value, bool):
        problems.error("D014", node.place, f"{what} is a whole number, not {kind_of(node)}")
        return None
    if kind.minimum is not None and node.value < kind.minimum:
        problems.error(kind.code, node.place, f"{what} is at least {kind.minimum}, not {node.value}")
        return None
    return node.value


def read_texts(node: Node, what: str, problems: Problems) -> tuple[Text, ...]:
    if isinstance(node, Mapping):
        problems.error("D014", node.place, f"{what} is a text or a list of texts, not a mapping")
        return ()
    items = node.items if isinstance(node, Sequence) else (node,)
    texts = (text for item in items if (text := read_text(item, what, problems)))
    found: dict[str, Text] = {}
    for text in texts:
        if first := found.get(text.value):
            report_twice(f'"{text}"', text.place, first.place, what, problems)
        else:
            found[text.value] = text
    return tuple(found.values())


def report_twice(shown: str, place: Place, first: Place, what: str, problems: Problems) -> None:
    notes = [Note("it stands here first", first)]
    problems.error("D024", place, f"{shown} stands twice in {what}", notes=notes)


def is_known(text: Text, known: Iterable[str], kind: str, code: str, problems: Problems) -> bool:
    if text.value in (known if isinstance(known, Container) else tuple(known)):
        return True
    problems.unknown(code, text.place, kind, text.value, known)
    return False


def kind_of(node: Node) -> str:
    """What a node is, for messages: `the list [1, 2]` would be too long, so only scalars are shown."""
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list" if node.items else "an empty list"
    if isinstance(node.value, bool):
        return f"the boolean {node.text}"
    if isinstance(node.value, (int, float)):
        return f"the number {node.text}"
    return f'the text "{node.text}"' if node.value is not None else "nothing"
