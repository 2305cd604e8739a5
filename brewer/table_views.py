"""What belongs to all definitions together: the table of instructions, and the words as types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from brewer.field_views import enum_alias, enum_constant, group_constant
from brewer.frozen import frozen
from brewer.listing import Listed
from brewer.python_text import docstring, literal
from brewer.vocabulary import Vocabulary


@frozen
class EntryView:
    mnemonic: str
    module: str
    name: str

    @property
    def place(self) -> str:
        """Module and class, as they stand behind the mnemonic."""
        return literal((self.module, self.name), 4, len(f'"{self.mnemonic}": '))


@frozen
class EnumView:
    alias: str  # ActivationFunction
    constant: str  # ACTIVATION_FUNCTION
    words: str  # in brackets
    doc: tuple[str, ...]


def mnemonic_entries(listed: Iterable[Listed]) -> tuple[EntryView, ...]:
    """Mnemonic -> the most derived class: the wrapper where there is one."""
    concrete = (each for each in listed if each.kind == "concrete")
    entries = (EntryView(each.mnemonic, each.module, each.class_name) for each in concrete)
    return tuple(sorted(entries, key=lambda entry: entry.mnemonic))


def class_entries(listed: Sequence[Listed]) -> tuple[EntryView, ...]:
    """The generated classes whose name only one dialect has."""
    count = Counter(each.name for each in listed)
    entries = (EntryView("", e.generated_module, e.generated_class) for e in listed if count[e.name] == 1)
    return tuple(sorted(entries, key=lambda entry: entry.name))


@frozen
class GroupView:
    constant: str  # FLOATS
    words: str  # in parentheses
    doc: tuple[str, ...]


def group_views(vocabulary: Vocabulary) -> tuple[GroupView, ...]:
    """The groups of data types, which operands name."""
    return tuple(
        GroupView(
            group_constant(name),
            literal(dtypes, 0, explode=True),
            tuple(docstring([f"What `{name}` stands for in definitions."], 0)),
        )
        for name, dtypes in sorted(vocabulary.dtype_groups)
    )


def enum_views(vocabulary: Vocabulary) -> tuple[EnumView, ...]:
    """The enumerations by name, then the words that every dialect shares."""
    views = [_enum_view(e.name.value, e.values, e.doc) for e in sorted(vocabulary.enums, key=lambda e: e.name.value)]
    shared = (
        ("dtype_name", vocabulary.dtypes, "The element types."),
        ("memory_space", vocabulary.memories, "Where tensors are."),
        ("engine_name", vocabulary.engines, "What executes instructions."),
        ("target_name", vocabulary.targets, "What is compiled for, oldest first."),
    )
    return tuple(views + [_enum_view(name, values, doc) for name, values, doc in shared if values])


def _enum_view(name: str, values: tuple[str, ...], doc: str) -> EnumView:
    listed = literal(values, 0, explode=True)[1:-1].removesuffix("," * (len(values) == 1))
    return EnumView(enum_alias(name), enum_constant(name), f"[{listed}]", tuple(docstring([doc], 0)) if doc else ())
