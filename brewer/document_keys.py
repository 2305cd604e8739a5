"""Every key of the two documents beside definitions: the vocabulary, and facts about foreign operators."""

from __future__ import annotations

from dataclasses import replace

from brewer.definition_keys import FACT_DOCS, FACTS, OP_KIND, SOURCE
from brewer.field_keys import PRECISIONS
from brewer.kinds import (
    Entries,
    Flag,
    FreeText,
    Key,
    Number,
    OneOrMore,
    Pattern,
    Reference,
    Section,
    Table,
    Whole,
    Word,
)

_WORD = "[a-z][a-z0-9_]*"
GROUP_NAME = Pattern("name in snake_case", _WORD, "write it in lower case")
ENUM_WORD = Pattern("lower-case word", _WORD, "write it in lower case")
OPERATOR_NAME = Pattern(
    "name of an operator", "[A-Za-z_][A-Za-z0-9_]*", "letters, digits and underscores, as the other side writes it"
)

SCALARS = ("scalar", "divisor", "bound")
# The arithmetic that the precision passes can do with small constants; `same`: elements are moved, not changed.
# With some nothing is computed: `periodic` says that the operand is an angle, `compare`, `equal`, `order` (which one is
# the largest) and `round` (to an integer) that its last digit decides, `square` that squares are summed, too.
ARITHMETIC = (
    *("absolute", "add", "compare", "concatenate", "convert", "divide", "equal", "exp", "gather", "log", "maximum"),
    *("minimum", "multiply", "negative", "order", "periodic", "power", "reciprocal", "relu", "round", "same"),
    *("select", "slice", "sqrt", "square", "subtract", "transpose"),
)
REGIONS = ("branches", "loop", "scan")

SLOT = Table(
    "one of the operands or results",
    "What the values of one operand or result are, under its formal name.",
    (
        Key("at", Whole(0), "Its index.", "at: 1", required=True, unit="operands or results before it"),
        Key(
            "precision",
            Word("operand precision", (*PRECISIONS, "any", *SCALARS)),
            "As that of an operand; `any`: of any type, and what it is changes nothing else; its underflow matters"
            " where it is a `divisor`, a `bound` of the result, or another `scalar` such as an epsilon.",
            "precision: f32",
            required=True,
        ),
    ),
)
ATTRIBUTE_FACTS = Table(
    "one of the attributes",
    "What the value of an attribute is, under its name.",
    (
        Key(
            "precision",
            Word("attribute precision", ("scalar", "bound", "contents", "weights")),
            "As that of an operand; `contents`: the elements of the result; `weights`: numbers of which only those that"
            " are too large matter.",
            "precision: scalar",
            required=True,
        ),
        Key("default", Number(), "What it is where an instruction does not say.", "default: 1.0e-5"),
        Key(
            "added_to",
            Whole(0),
            "The index of the operand that it is added to: beside large elements it may be lost.",
            "added_to: 4",
        ),
    ),
)
VERSION = Table(
    "a version of an operator",
    "What holds since a version of the operator set and until the next one that is listed; stated in full.",
    (
        Key("op_kind", OP_KIND, "As in a definition.", "op_kind: elementwise", required=True),
        Key(
            "operands",
            Entries(FreeText(), Section(SLOT)),
            "Those of which something is to be said.",
            "operands: {scales: {at: 1, precision: f32}}",
        ),
        Key(
            "results",
            Entries(FreeText(), Section(SLOT)),
            "Those of which something is to be said.",
            "results: {mask: {at: 1, precision: keep}}",
        ),
        Key(
            "attributes",
            Entries(FreeText(), Section(ATTRIBUTE_FACTS)),
            "Those whose value a pass must look at.",
            "attributes: {epsilon: {precision: scalar, default: 1.0e-5}}",
        ),
        Key(
            "computes",
            Word("arithmetic", ARITHMETIC),
            "The arithmetic that it is, so that small constants can be computed, and cancellations, angles and"
            " thresholds be seen.",
            "computes: subtract",
        ),
        Key(
            "regions",
            Word("kind of regions", REGIONS),
            "How values pass between it and its regions: branches yield its results, a loop or a scan carries them.",
            "regions: loop",
        ),
        *(Key(name, Flag(), FACT_DOCS[name], f"{name}: true", default=False) for name in FACTS),
    ),
)
FACTS_DOCUMENT = Table(
    "a document of facts",
    "What the precision passes need to know of operators that have no definition: `defs/<dialect>/<facts>.yaml`.",
    (
        Key(
            "facts",
            FreeText(),
            "The domain of the operators, which the file is named for.",
            "facts: ai.onnx",
            required=True,
        ),
        Key(
            "source",
            OneOrMore(Section(SOURCE)),
            "The document that it was written from, or a list of them.",
            "source: {document: ONNX operator specification}",
        ),
        Key(
            "operators",
            Entries(OPERATOR_NAME, Entries(Whole(1), Section(VERSION), may_be_empty=False), may_be_empty=True),
            "Operator, then the version of the operator set since which something holds, then what holds.",
            "operators: {Resize: {10: {op_kind: elementwise}}}",
            required=True,
        ),
    ),
)

ENUMERATION = Table(
    "an enumeration",
    "The words that attributes of this type may have.",
    (
        Key("doc", FreeText(), "What the words say.", "doc: Faster modes of the engine."),
        Key("values", OneOrMore(ENUM_WORD), "The words, in order.", "values: [exp, square]", required=True),
    ),
)
ENGINE_MEMORIES = Table(
    "the memories of an engine",
    "Where an engine reads its operands, and where it writes.",
    (
        Key("reads", OneOrMore(Reference("memory space")), "The memories that it reads.", "reads: [sbuf, psum]"),
        Key("writes", OneOrMore(Reference("memory space")), "The memories that it writes.", "writes: psum"),
    ),
)
_GROUPS = Key(
    "dtype_groups",
    Entries(GROUP_NAME, OneOrMore(Reference("data type"))),
    "Short names for lists of data types.",
    "dtype_groups: {integers: [i32]}",
)
_TARGETS = Key(
    "targets",
    Entries(FreeText(), OneOrMore(Reference("engine"))),
    "The targets, oldest first, each with the engines that it has.",
    "targets: {trn1: [tensor, vector]}",
)
_ENUMS = Key(
    "enums",
    Entries(GROUP_NAME, Section(ENUMERATION)),
    "The types of attributes that have a few words each.",
    "enums: {perf_mode: {values: [double_row]}}",
)
VOCABULARY = Table(
    "the vocabulary",
    "`defs/vocabulary.yaml`: the words that definitions, text and BIR may use.",
    (
        Key("dtypes", OneOrMore(FreeText()), "The data types.", "dtypes: [bool, i32, f32]", required=True),
        _GROUPS,
        Key("memories", OneOrMore(FreeText()), "The memory spaces.", "memories: [dram, sbuf]", required=True),
        Key("engines", OneOrMore(FreeText()), "The engines.", "engines: [unknown, tensor]", required=True),
        replace(_TARGETS, required=True),
        Key(
            "engine_memories",
            Entries(Reference("engine"), Section(ENGINE_MEMORIES)),
            "The memory spaces that each engine reads and writes; of an engine that is not listed nothing is known.",
            "engine_memories: {tensor: {reads: sbuf, writes: psum}}",
        ),
        _ENUMS,
    ),
)
VOCABULARY_ADDITION = Table(
    "an addition to the vocabulary",
    "The vocabulary of another repository, where it holds all words of brewer's, and further ones.",
    (
        Key(
            "extends",
            Word("vocabulary", ("brewer",)),
            "All words of brewer's vocabulary are there; without the key, this file states all of them.",
            "extends: brewer",
            required=True,
        ),
        _GROUPS,
        _TARGETS,
        _ENUMS,
    ),
)
