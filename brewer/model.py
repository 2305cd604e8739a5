"""The frozen model of a definition: what the templates' views, the checks and the documentation are computed from.

Every field says why it exists. A name that a check may complain about is a `Text`, which remembers where it stands.
The model holds what a definition means after its bases were merged in (brewer/inheritance.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from brewer.frozen import frozen
from runtime.diagnostics import Place

Dim = str | int  # a letter that operands bind (`M`), or a fixed extent in elements
Literal = bool | int | float | str
Value = Literal | tuple[Literal, ...]


@frozen
class Text:
    """A word of a definition and where it stands."""

    value: str
    place: Place

    def __str__(self) -> str:
        return self.value


@frozen
class Operand:
    name: Text  # of the constructor parameter, the property and the placeholder
    access: str = "load"  # the mode that the constructor gives to an access pattern in this slot
    optional: bool = False  # None is legal
    variadic: bool = False  # the slot holds a tuple of operands
    dtypes: tuple[str, ...] = ()  # legal element types, and groups of them, as written; empty: any
    memory: tuple[str, ...] = ()  # legal memory spaces of an access pattern; empty: any
    rank: tuple[int, ...] = ()  # legal numbers of dimensions; empty: any
    shape: tuple[Dim, ...] | None = None  # says the rank, and which extents are equal or fixed
    precision: str | None = None  # keep, f32 or index: what the precision passes must respect
    doc: str = ""
    is_sound: bool = True  # False after a mistake in what decides whether it may be absent


@frozen
class AttributeType:
    word: str  # int, float, bool, str, dtype, shape, tensor, type or enum
    is_list: bool = False
    enum: str = ""  # name in vocabulary.yaml where word is enum
    values: tuple[str, ...] = ()  # the words of that enum

    def __str__(self) -> str:
        inner = self.enum or self.word
        return f"list[{inner}]" if self.is_list else inner


@frozen
class Default:
    value: Value
    place: Place


@frozen
class Attribute:
    name: Text
    type: AttributeType
    optional: bool = False  # None is legal and the default
    default: Default | None = None  # the constructor parameter's default; text and BIR leave out a field that equals it
    min: float | None = None  # smallest legal value, of each item of a list
    max: float | None = None
    one_of: tuple[Literal, ...] = ()  # the legal values where they are few
    multiple_of: int | None = None
    doc: str = ""
    is_sound: bool = True  # False after a mistake in what decides its type and whether it may be absent

    @property
    def required(self) -> bool:
        return not self.optional and self.default is None


@frozen
class ApIndices:
    """An extra list of access-pattern indices, walked together with those of the accesses."""

    name: Text
    doc: str = ""


@frozen
class Result:
    """How type and shape of a result follow from the operands; where nothing is said, the caller gives it."""

    name: Text
    same_as: Text | None = None  # the operand whose type this is
    dtype: Text | None = None  # a data type, or the operand or attribute that has it
    shape: Text | tuple[Dim, ...] | None = None  # the operand that has it, or letters and extents
    infer: Text | None = None  # a function of runtime/infer/; its parameters are fields, and `dtype`
    optional: bool = False  # it may be absent; never the first, which is the instruction
    variadic: bool = False  # any number of results, whose types the caller gives unless `same_as` has them
    free_dtype: bool = False  # the caller may choose another element type: copies, casts, activations
    dtypes: tuple[str, ...] = ()  # legal element types, and groups of them, as written; empty: any
    rank: tuple[int, ...] = ()  # legal numbers of dimensions; empty: any
    precision: str | None = None  # keep, f32 or index: what the precision passes must respect
    doc: str = ""


@frozen
class Destination:
    """What holds of the tensor that an instruction writes through an access pattern."""

    use: str = "optional"  # required, or forbidden: it gives values only
    memory: tuple[str, ...] = ()  # legal memory spaces; empty: any
    dtypes: tuple[str, ...] = ()  # legal element types, and groups of them, as written; empty: any
    accumulates: bool | Text = False  # whether it reads what it writes; or the attribute that says so
    place: Place | None = None  # of the key


@frozen
class FieldTerm:
    """`field`, or `field.dtype`, `field.rank`, `field.shape`, `field.shape[i]`."""

    field: Text
    part: str = ""
    index: int | None = None

    def __str__(self) -> str:
        part = f".{self.part}" if self.part else ""
        return f"{self.field}{part}" + ("" if self.index is None else f"[{self.index}]")


Term = int | FieldTerm


@frozen
class Condition:
    """When a rule holds: where an optional field is present, or where an attribute is one of some words."""

    field: Text
    words: tuple[bool | str, ...] = ()  # empty: where it is present
    places: tuple[Place, ...] = ()  # of the words

    def __str__(self) -> str:
        words = " or ".join(str(word).lower() if isinstance(word, bool) else word for word in self.words)
        return f"{self.field} is {words or 'present'}"


@frozen
class Constraint:
    label: Text  # names the rule in messages and tests
    relation: str  # equal, not_equal, less, at_most, at_least, multiple_of
    left: Term
    right: Term
    message: str  # the rule in words; the verifier says it, and adds the offending values
    when: tuple[Condition, ...] = ()  # the rule holds only where all of these do


@frozen
class Presence:
    """A rule about how many of some optional fields are present."""

    label: Text
    relation: str  # exactly_one, at_most_one, together
    optional: tuple[Text, ...]  # the fields
    message: str
    when: tuple[Condition, ...] = ()


Rule = Constraint | Presence


@frozen
class FactByAttribute:
    """A fact that holds only for some values of an enum attribute."""

    attribute: Text
    values: tuple[Text, ...]


@frozen
class Port:
    """One value, or as many as another field has, that a region receives or hands out."""

    name: Text
    same_as: Text | None = None  # the operand or result whose type it has
    item_of: Text | None = None  # the operand or result of which it is an item, along a dimension
    along: Text | None = None  # the attribute that says which dimension; None: the first
    dtypes: tuple[str, ...] = ()  # legal element types where nothing gives the type; empty: any
    rank: tuple[int, ...] = ()


@frozen
class Region:
    """A block that an instruction holds."""

    name: Text
    runs: str = "at_most_once"  # once, at_most_once or any
    takes: tuple[Port, ...] = ()  # its arguments
    yields: tuple[Port, ...] | None = None  # None: a value for each result
    doc: str = ""


Fact = bool | tuple[FactByAttribute, ...]


@frozen
class Engines:
    hint: str | None = None  # the engine that an instruction gets where nobody chooses one
    legal: tuple[str, ...] = ()  # where it may run; empty: not said
    by_target: tuple[tuple[str, tuple[str, ...]], ...] = ()  # where a target differs from `legal`
    place: Place | None = None


@frozen
class BirField:
    """One entry of `serialize`."""

    name: Text
    kind: str  # one of read_rules.BIR_KINDS


@frozen
class Rename:
    version: int  # the first version with the new name
    old: Text
    new: Text


def newest_name(renames: Iterable[Rename], version: int, name: str) -> str:
    """The name that a field of a version of the records has in the newest one."""
    for rename in sorted(renames, key=lambda rename: rename.version):
        if rename.version > version and rename.old.value == name:
            version, name = rename.version, rename.new.value
    return name


@frozen
class OlderValue:
    """What an attribute is in records of before a version that leave it out."""

    version: int  # the first one in which leaving it out means something else, or is a mistake
    name: Text  # of the attribute in that version
    value: Value | None  # None after a mistake, or where no attribute has the name


@frozen
class Source:
    """The public document that the facts of a definition come from."""

    document: str
    section: str = ""


@frozen
class Definition:
    name: Text
    dialect: str  # the folder; prefix of the mnemonic for every dialect but neuron
    file: str  # relative to the project, with forward slashes: part of the provenance marker
    line: int  # of its first key
    base: Text  # another definition or a runtime class
    abstract: bool = False  # has no mnemonic and is never built
    summary: str = ""  # first line of the docstring
    doc: str = ""  # the rest of it
    source: tuple[Source, ...] = ()
    since: str = ""  # the release that had it first
    deprecated: str = ""  # what to use instead
    version: int = 1  # of its BIR fields; old ones are read through `renames`
    examples: tuple[Text, ...] = ()  # instructions in text form, for the documentation and for tests
    wrapper: Text | None = None  # the hand-written class that derives from the generated one
    dst: Destination = Destination()  # the tensor that it writes, in dialects with memory
    operands: tuple[Operand, ...] = ()
    results: tuple[Result, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    ap_indices: tuple[ApIndices, ...] = ()
    regions: tuple[Region, ...] = ()  # blocks that it holds: the branches of an If
    constraints: tuple[Rule, ...] = ()
    engines: Engines = Engines()
    capabilities: tuple[tuple[str, bool], ...] = ()  # defaults of class properties, what is true of every instance
    op_kind: str | None = None  # what the precision policies look at first
    facts: tuple[tuple[str, Fact], ...] = ()  # force_f32, wide_range ...: further facts for the precision passes
    fields_are_known: bool = True  # False after a mistake in them: nothing that refers to them is judged
    misspelled: frozenset[str] = frozenset()  # keys that an unknown one may stand for: not judged as missing
    rhs_str: Text | None = None  # printer and parser
    semantics: Text | None = None  # a function in runtime/semantics/; None: the interpreter refuses it by name
    serialize: tuple[BirField, ...] = ()  # empty: the declared order
    renames: tuple[Rename, ...] = ()
    before: tuple[OlderValue, ...] = ()

    @property
    def has_many_results(self) -> bool:
        """Whether the constructor takes the types of all results."""
        return len(self.results) > 1 or any(result.variadic for result in self.results)

    def says(self, name: Text) -> bool:
        """Whether the name stands in the file of this definition, not in that of a base."""
        return name.place.file == self.name.place.file

    @cached_property
    def older_values(self) -> dict[str, tuple[OlderValue, ...]]:
        """What `before` says, by the names that the attributes have in the newest version, the oldest first."""
        found: dict[str, tuple[OlderValue, ...]] = {}
        for older in sorted(self.before, key=lambda older: older.version):
            name = newest_name(self.renames, older.version, older.name.value)
            found[name] = (*found.get(name, ()), older)
        return found

    @cached_property
    def fields(self) -> tuple[Operand | Attribute | ApIndices, ...]:
        """All constructor fields, in declared order."""
        return (*self.operands, *self.attributes, *self.ap_indices)

    @cached_property
    def field_names(self) -> tuple[str, ...]:
        """The names of all constructor fields, in declared order."""
        return tuple([field.name.value for field in self.fields])

    @cached_property
    def field_named(self) -> dict[str, Operand | Attribute | ApIndices]:
        """The fields by their names; where a name stands twice, which is reported, the first."""
        return {field.name.value: field for field in reversed(self.fields)}

    @cached_property
    def optional_fields(self) -> frozenset[str]:
        """The fields that may be absent."""
        names = [operand.name.value for operand in self.operands if operand.optional]
        return frozenset(names + [attribute.name.value for attribute in self.attributes if attribute.optional])
