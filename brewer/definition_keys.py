"""Every key of a definition, stated once: its value, what it means, an example.

Deliberately absent: what other files must confirm, and what two keys say together; that is in check_*.py.
"""

from __future__ import annotations

from brewer.field_keys import (
    AP_INDICES,
    ATTRIBUTE,
    CONSTRAINT,
    DST,
    DST_USE,
    FIELD_NAME,
    LABEL,
    OPERAND,
    REGION,
    REGION_NAME,
    RESULT,
    RESULT_NAME,
    flag_key,
)
from brewer.kinds import (
    Either,
    Entries,
    Flag,
    FreeText,
    Key,
    Kind,
    OfType,
    OneOrMore,
    Pattern,
    Reference,
    Section,
    Table,
    Whole,
    Word,
)

OP_KINDS = ("compute", "reduction", "elementwise", "data_movement", "boundary")
# How `BirWriter` writes a field: the names of its methods, and `list` for a list of them.
BIR_KINDS = ("var", "number", "word", "flag", "dtype", "shape", "type", "constant", "indices", "list")
SENTENCE = Pattern(
    "sentence",
    r"\s*[^a-z\s](.|\n)*\.\s*",
    "it starts with a capital letter and ends with a full stop",
    "D029",
    refusal="the summary is not a sentence",
)

OP_KIND = Word("kind of operation", OP_KINDS)
ENGINE = Word("engine", "engines", "D016")
SOURCE = Table(
    "a source",
    "The public document that a definition was written from. There may be a list of them.",
    (
        Key("document", FreeText(), "Its title.", "document: AWS Neuron documentation", required=True),
        Key("section", FreeText(), "Where in it.", "section: nki.isa.activation"),
    ),
)

CAPABILITY = Table(
    'the mapping "capabilities"',
    "What is true of every instance; a wrapper may override the property where it depends on the instance.",
    (
        flag_key(
            "can_mutate_dst_ty",
            "The data type of the result may be changed; it converts as it writes. `eliminate-casts` changes it of"
            " activation, tensor_scalar and tensor_copy only, a closed list of the pass.",
        ),
        flag_key("can_vectorize", "Neighbouring instances may become one."),
        flag_key("is_barrier", "Nothing is moved over it."),
        flag_key("side_effects", "It stays, although nobody uses its result."),
        flag_key("terminator", "It ends a block."),
        flag_key("commutative", "Its first two operands may be swapped."),
    ),
)
CAPABILITIES = CAPABILITY.names

_FACT: Kind = Either((Flag(), Entries(Reference("enum attribute"), OneOrMore(FreeText()))))
FACT_DOCS = {
    "force_f32": "It runs in f32 only.",
    "precision_intact": "No pass changes the data types of anything about it.",
    "keeps_dtype": "The data type of its result is what it is for: a cast, a constant.",
    "wide_range": "Its result may leave the range of f16 although the operands are within it.",
    "range_safe": "Its first result usually is within the range of f16 although an operand may not be: a root, a norm.",
    "follow": "It runs in the data type of its data operands; data movement does so without saying it.",
}
FACTS = tuple(FACT_DOCS)


def _fact(name: str) -> Key:
    return Key(name, _FACT, FACT_DOCS[name], f"{name}: {{function: [exp, square]}}", default=False)


def _named(names: Pattern, table: Table) -> Entries:
    return Entries(names, Section(table))


DEFINITION = Table(
    "a definition",
    "One instruction, or the base of several. The file `defs/<dialect>/<name>.yaml` holds one.",
    (
        Key(
            "name",
            Pattern("name of a definition", "[A-Z][A-Za-z0-9]*", "definitions are written in CamelCase: TensorCopyOp"),
            "The file is `<name>.yaml`, the class `<name>Gen`.",
            "name: TensorCopyOp",
            required=True,
        ),
        Key(
            "base",
            Reference("definition or instruction class", "bases", "D030"),
            "Another definition, or a class of the runtime. Operands, attributes, results, index lists, constraints and"
            " capabilities accumulate, the base's first; an entry of the same name overrides it key by key, and"
            " a key replaces those that it excludes. All other keys are replaced as a whole.",
            "base: NeuronInst",
            required=True,
        ),
        Key("abstract", Flag(), "It only serves as a base, and has no printed form.", "abstract: true", default=False),
        Key(
            "summary",
            SENTENCE,
            "One sentence, the first line of the docstring.",
            "summary: Copies elements.",
            required=True,
        ),
        Key("doc", FreeText(), "What else people must know.", "doc: Equal data types are copied exactly."),
        Key(
            "source",
            OneOrMore(Section(SOURCE)),
            "The document that it was written from, or a list of them.",
            "source: {document: AWS Neuron documentation, section: nki.isa.tensor_copy}",
        ),
        Key("since", FreeText(), "The release that had it first.", 'since: "0.2"'),
        Key("deprecated", FreeText(), "What to use instead.", "deprecated: Use TensorCopyOp."),
        Key(
            "version",
            Whole(1),
            "That of its BIR fields; a new one wherever they are others, or leaving one out means something else.",
            "version: 2",
            default=1,
        ),
        Key(
            "examples",
            OneOrMore(FreeText()),
            "Whole programs that show the instruction, which tests run, or single lines, which are only shown. One with"
            " `semantics` needs a program: tests give its types rank 0, and extents of 0, 1 and `?`.",
            'examples: ["%r: f32[2] = tensor_copy %a"]',
        ),
        Key(
            "wrapper",
            Reference("class of runtime/wrappers/", "wrappers", "D060"),
            "The hand-written class on top of the generated one; it adds behaviour, never `__init__` or slots.",
            "wrapper: TensorCopyOp",
        ),
        Key(
            "dst",
            Either((DST_USE, Section(DST))),
            "Whether it writes a tensor, and which (dialects with memory); `dst: required` says `use` only.",
            "dst: {use: required, memory: sbuf}",
            default="optional",
        ),
        Key("operands", _named(FIELD_NAME, OPERAND), "Its operands, in order.", "operands: {src: {dtypes: floats}}"),
        Key(
            "results",
            _named(RESULT_NAME, RESULT),
            "Its results, the first of which is the instruction itself; `{}` where there is none. Only an abstract"
            " definition may leave it out.",
            "results: {result: {same_as: src}}",
        ),
        Key("attributes", _named(FIELD_NAME, ATTRIBUTE), "Its attributes, in order.", "attributes: {n: {type: int}}"),
        Key(
            "ap_indices",
            _named(FIELD_NAME, AP_INDICES),
            "Extra lists of access-pattern indices.",
            "ap_indices: {free: {}}",
        ),
        Key(
            "regions",
            Either((OneOrMore(REGION_NAME), Entries(REGION_NAME, Section(REGION)))),
            "The blocks that it holds, with what they receive and hand out. Of a list of names each runs at most once,"
            " receives nothing and hands out a value for each result.",
            "regions: [then, else]",
        ),
        Key(
            "constraints",
            _named(LABEL, CONSTRAINT),
            "Rules that the verifier checks, by label.",
            "constraints: {small: {at_most: [src.rank, 2], message: src has at most two dimensions}}",
        ),
        Key("engine", ENGINE, "The engine that it gets where nobody chooses one.", "engine: vector"),
        Key(
            "engines",
            Either((OneOrMore(ENGINE), Entries(Word("target", "targets_and_default"), OneOrMore(ENGINE)))),
            "Where it may run: a list, or lists by target beside the `default`, an empty one for a target without it. "
            "Absent: not said.",
            "engines: {default: [vector, scalar], trn1: [vector]}",
        ),
        Key("capabilities", Section(CAPABILITY), "What passes may do with it.", "capabilities: {commutative: true}"),
        Key(
            "op_kind",
            OP_KIND,
            "What the Autocast policies look at first: `compute` (matrix products, convolutions) and `elementwise` run"
            " in the lower float; `reduction` (sums, means, softmax) and `boundary` (inputs, constants) stay f32;"
            " `data_movement` is in the lower float where all its float operands are. Absent: it stays as it is.",
            "op_kind: elementwise",
        ),
        *(_fact(name) for name in FACTS),
        Key(
            "rhs_str",
            FreeText(),
            "The printed form: the mnemonic, then text with `{field}` and optional groups `(? text {field})`, each with"
            " its own blank in front and none before it.",
            'rhs_str: "tensor_copy {src}"',
        ),
        Key(
            "semantics",
            Reference("function of runtime/semantics/, or none", "semantics", "D062"),
            "What the interpreter runs, as `family.function`.",
            "semantics: none",
            default="none",
        ),
        Key(
            "serialize",
            Entries(Reference("field, shape or dtype"), Word("kind of BIR field", BIR_KINDS)),
            "Order and kind of its BIR fields, if not the declared ones; every field once.",
            "serialize: {src: var}",
        ),
        Key(
            "renames",
            Entries(Whole(2), Entries(FreeText(), Reference("field"))),
            "By version of the BIR fields: the old name of a field, and the one that it has since.",
            "renames: {2: {axis: dim}}",
        ),
        Key(
            "before",
            Entries(Whole(2), Entries(Reference("attribute"), OfType())),
            "By version of the BIR fields: what an attribute is in a record of before that version which leaves it out."
            " For an attribute that came with that version and must be given, or whose default changed then; one that"
            " came with a default, or is optional, needs no entry.",
            "before: {2: {axis: 0}}",
        ),
    ),
    is_inherited=True,
)
