"""Every key of operands, attributes, lists of indices, results and constraints of a definition, stated once."""

from __future__ import annotations

import keyword

from brewer.kinds import (
    Either,
    Entries,
    Flag,
    FreeText,
    Key,
    ListOf,
    Need,
    Number,
    OfType,
    OneOrMore,
    Pattern,
    Reference,
    Section,
    Table,
    TypeWord,
    Whole,
    Word,
)

PLAIN_TYPES = ("int", "float", "bool", "str", "dtype", "shape", "tensor", "type")
ACCESS_MODES = ("load", "store", "load_store")
PRECISIONS = ("keep", "f32", "index")
RELATIONS = ("equal", "not_equal", "less", "at_most", "at_least", "multiple_of")
PRESENCES = ("exactly_one", "at_most_one", "together")  # relations of optional fields
# What generated constructors and constraint terms need for something else.
RESERVED = (
    *("self", "dtype", "shape", "rank", "result", "result_type", "result_types", "name", "engine", "types"),
    *("held", "float", "super", "tuple"),
    "mark",  # of the text form, by which instructions say what they come after
)
# Those of any supported Python; `type` became one in 3.12.
KEYWORDS = (*keyword.kwlist, "_", "case", "match", "type")
SNAKE_CASE = "[a-z][a-z0-9]*(_[a-z0-9]+)*"
FIELD_NAME = Pattern(
    "field name",
    SNAKE_CASE,
    "fields are written in snake_case",
    excluded=(*RESERVED, *KEYWORDS),
)
LABEL = Pattern("label of a constraint", SNAKE_CASE, "write it in snake_case")
RESULT_NAME = Pattern("name of a result", SNAKE_CASE, "write it in snake_case")
LETTER = Pattern("letter", "[A-Z][A-Za-z0-9]*", "a letter such as M binds an extent, a whole number fixes it", "D014")
TERM = Pattern(
    "term",
    r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*(\[-?[0-9]{1,4}\])?)?",
    "a term is a whole number, field, field.dtype, field.rank, field.shape or field.shape[0]",
    "D071",
)
MESSAGE = Pattern(
    "message",
    r"[^{}]*",
    "the verifier adds the values of both terms to the message",
    "D071",
    refusal="a message has no placeholders",
)
DTYPES = OneOrMore(Word("data type", "dtypes_and_groups", "D005"))
SHAPE = ListOf(Either((LETTER, Whole(0))))
TERMS = ListOf(Either((TERM, Whole())), length=2)
_DOC = Key("doc", FreeText(), "What people must know about it; it goes to the docstring.", "doc: What is copied.")


def flag_key(name: str, doc: str) -> Key:
    """A key that is false where it is absent."""
    return Key(name, Flag(), doc, f"{name}: true", default=False)


OPERAND = Table(
    "an operand",
    "A value or an access pattern that the instruction reads or writes. Its name is that of the property.",
    (
        Key(
            "access",
            Word("access mode", ACCESS_MODES),
            "The mode that an access pattern gets in this slot.",
            "access: load_store",
            default="load",
        ),
        flag_key("optional", "None is legal, and the default."),
        flag_key("variadic", "The slot holds any number of operands."),
        Key("dtypes", DTYPES, "The legal data types, and groups of them; absent: any.", "dtypes: [floats, i32]"),
        Key(
            "memory",
            OneOrMore(Word("memory space", "memories")),
            "Where an access pattern may point to; absent: anywhere.",
            "memory: [sbuf, psum]",
        ),
        Key("rank", OneOrMore(Whole(0)), "The legal ranks; absent: any.", "rank: [1, 2]", unit="dimensions"),
        Key(
            "shape",
            SHAPE,
            "Its extents: a number is a fixed one, a letter that operands share is one extent. Says the rank, too.",
            "shape: [M, 4]",
            unit="elements",
        ),
        Key(
            "precision",
            Word("operand precision", PRECISIONS),
            "What the precision passes must respect: never converted, always f32, or an index, which never loses bits.",
            "precision: index",
        ),
        _DOC,
    ),
    exclusive=(("optional", "variadic"), ("rank", "shape")),
    is_inherited=True,
)

_SAME_UNIT = "what the attribute counts"
ATTRIBUTE = Table(
    "an attribute",
    "A value that is known when compiling.",
    (
        Key(
            "type",
            TypeWord(),
            "The type of its values; `list[...]` of a type is a list of these.",
            "type: int",
            required=True,
        ),
        flag_key("optional", "None is legal, and the default."),
        Key(
            "default",
            OfType(),
            "What it is where nobody says. BIR leaves out a field that has its default; so does text, unless `rhs_str`"
            " shows it outside of a group: `(? threshold {bound})` may be left out, ` threshold {bound}` must be"
            " written. Infinity is `.inf`.",
            "default: 1",
        ),
        Key("min", Number(), "The smallest legal value, of each item of a list.", "min: 0", unit=_SAME_UNIT),
        Key("max", Number(), "The largest legal value, of each item of a list.", "max: 8", unit=_SAME_UNIT),
        Key("one_of", ListOf(OfType(), is_set=True), "The legal values, where they are few.", "one_of: [1, 2, 4]"),
        Key("multiple_of", Whole(1, "D052"), "What each value is a multiple of.", "multiple_of: 2", unit=_SAME_UNIT),
        _DOC,
    ),
    exclusive=(("optional", "default"), ("one_of", "min"), ("one_of", "max")),
    is_inherited=True,
)

AP_INDICES = Table(
    "a list of indices", "An extra list of access-pattern indices, walked with those of the accesses.", (_DOC,)
)

RESULT = Table(
    "a result",
    "How a type follows from the fields. Where nothing is said, the caller gives the type.",
    (
        Key(
            "same_as",
            Reference("operand"),
            "The operand whose type it has; a result of any number has the types of an operand of any number.",
            "same_as: src",
        ),
        Key(
            "dtype",
            Reference("data type, operand or dtype attribute"),
            "Its data type, or the operand or attribute that has it.",
            "dtype: f32",
        ),
        Key(
            "shape",
            Either((Reference("operand"), SHAPE)),
            "The operand that has its shape, or letters that operands bind, and extents.",
            "shape: [M, 2]",
            unit="elements",
        ),
        Key(
            "infer",
            Reference("function of runtime/infer/", "inference", "D063"),
            "A function that gets types of operands and values of attributes by the names of its parameters.",
            "infer: matmul_type",
        ),
        flag_key("optional", "It may be absent: the caller gives it the type none. Not the first one."),
        flag_key("variadic", "There is any number of them; the caller gives their types, unless `same_as` does."),
        flag_key("free_dtype", "The caller may choose another data type, as for copies and casts."),
        Key("dtypes", DTYPES, "The legal data types, and groups of them; absent: any.", "dtypes: [floats, i32]"),
        Key("rank", OneOrMore(Whole(0)), "The legal ranks; absent: any.", "rank: [1, 2]", unit="dimensions"),
        Key(
            "precision",
            Word("operand precision", PRECISIONS),
            "What the precision passes must respect, as of an operand.",
            "precision: index",
        ),
        _DOC,
    ),
    exclusive=(
        *(("same_as", key) for key in ("dtype", "infer")),
        *(("shape", key) for key in ("same_as", "infer", "variadic")),
        *(("variadic", key) for key in ("infer", "dtype", "free_dtype", "optional")),
    ),
    needs=(Need("dtype", beside="shape"), Need("shape", beside="dtype", unless="infer")),
    is_inherited=True,
)

REGION_NAME = Pattern("name of a region", SNAKE_CASE, "write it in snake_case")
PORT_NAME = Pattern("name of a port", SNAKE_CASE, "write it in snake_case")
PORT = Table(
    "a port of a region",
    "A value that a region receives or hands out, or as many as the operands or results that it is like.",
    (
        Key("same_as", Reference("operand or result"), "What has its type.", "same_as: init"),
        Key(
            "item_of",
            Reference("operand or result"),
            "What it is an item of: its type lacks one dimension of that type.",
            "item_of: items",
        ),
        Key(
            "along", Reference("int attribute"), "The attribute that says which one; absent: the first.", "along: axis"
        ),
        Key("dtypes", DTYPES, "The legal data types, where nothing else gives the type.", "dtypes: bool"),
        Key("rank", OneOrMore(Whole(0)), "The legal ranks, where nothing else gives the type.", "rank: 0"),
    ),
    exclusive=(
        ("same_as", "item_of"),
        *((source, key) for source in ("same_as", "item_of") for key in ("dtypes", "rank")),
    ),
    needs=(Need("item_of", beside="along"),),
)
RUNS = ("once", "at_most_once", "any")
REGION = Table(
    "a region",
    "A block that an instruction holds.",
    (
        Key("runs", Word("number of runs", RUNS), "How often it runs.", "runs: any", default="at_most_once"),
        Key(
            "takes",
            Entries(PORT_NAME, Section(PORT)),
            "Its arguments, in order; absent: none.",
            "takes: {state: {same_as: init}}",
        ),
        Key(
            "yields",
            Entries(PORT_NAME, Section(PORT)),
            "What it hands out, in order; absent: a value for each result.",
            "yields: {next: {same_as: init}}",
        ),
        _DOC,
    ),
)

DST_USES = ("required", "optional", "forbidden")
DST_USE = Word("rule for dst", DST_USES)
DST = Table(
    'the mapping "dst"',
    "The tensor that an instruction writes through an access pattern, in place of giving a value.",
    (
        Key(
            "use",
            DST_USE,
            "Whether it must write a tensor, may, or gives values only.",
            "use: required",
            default="optional",
        ),
        Key(
            "memory",
            OneOrMore(Word("memory space", "memories")),
            "Where the tensor may be; absent: wherever an engine of the instruction writes.",
            "memory: psum",
        ),
        Key("dtypes", DTYPES, "The legal data types of what is written; absent: any.", "dtypes: [f32, bf16]"),
        Key(
            "accumulates",
            Either((Flag(), Reference("optional attribute, or one of type bool"))),
            "Whether it reads what it writes, as a sum does: always, or where this attribute is there, or true.",
            "accumulates: rmw_op",
            default=False,
        ),
    ),
)

_RELATION_DOCS = (
    "The two are equal.",
    "The two differ.",
    "The first is less than the second.",
    "The first is at most the second.",
    "The first is at least the second.",
    "The first is a multiple of the second.",
)
_RELATION_EXAMPLES = (
    "[lhs.shape, rhs.shape]",
    "[lhs.rank, 0]",
    '["src.shape[0]", 128]',
    "[n, 4]",
    "[n, 1]",
    '["src.shape[1]", 4]',
)
_PRESENCE_DOCS = (
    "One of these optional fields is present, and no other of them.",
    "At most one of these optional fields is present.",
    "All of these optional fields are present, or none is.",
)
_WORD = Either((Flag(), FreeText()))
_MEANING = {
    "equal": "same same_as eq is",
    "not_equal": "differs differ different unequal ne",
    "less": "below smaller less_than smaller_than lt under",
    "at_most": "max maximum not_above less_equal less_or_equal le lte up_to",
    "at_least": "min minimum not_below greater_equal greater_or_equal ge gte",
    "multiple_of": "multiple divisible divisible_by aligned",
    "exactly_one": "one_of either xor",
    "at_most_one": "exclusive",
    "together": "both all all_or_none",
}
_OTHER_WAY_ROUND = "above greater larger bigger greater_than larger_than more_than more gt over"
_OTHER_RELATIONS = (
    *((word, f'did you mean "{key}"?') for key, words in _MEANING.items() for word in words.split()),
    *((word, "write `less` with the two terms the other way round") for word in _OTHER_WAY_ROUND.split()),
)
_ALL_RELATIONS = (*RELATIONS, *PRESENCES)
CONSTRAINT = Table(
    "a constraint",
    "A rule that holds for every instance: one relation of two terms, or of optional fields. A term is a whole number,"
    " an attribute, or"
    " `.dtype`, `.rank`, `.shape` or `.shape[0]` of an operand or of `result`. What is not known, and an optional field"
    " that is absent, violates nothing.",
    (
        *(
            Key(name, TERMS, doc, f"{name}: {terms}")
            for name, doc, terms in zip(RELATIONS, _RELATION_DOCS, _RELATION_EXAMPLES, strict=True)
        ),
        *(
            Key(name, ListOf(Reference("optional field"), is_set=True, least=2), doc, f"{name}: [scale, table]")
            for name, doc in zip(PRESENCES, _PRESENCE_DOCS, strict=True)
        ),
        Key(
            "when",
            Either((Reference("optional field"), Entries(Reference("attribute"), OneOrMore(_WORD)))),
            "It holds only where this optional field is present, or where each of these attributes, enumerations, texts"
            " or bools, is one of the words given for it.",
            "when: {mode: [fast, exact]}",
        ),
        Key("message", MESSAGE, "The rule in words.", "message: lhs and rhs have one shape", required=True),
    ),
    exclusive=tuple((left, right) for at, left in enumerate(_ALL_RELATIONS) for right in _ALL_RELATIONS[at + 1 :]),
    one_of=_ALL_RELATIONS,
    is_inherited=True,
    other_words=_OTHER_RELATIONS,
)
