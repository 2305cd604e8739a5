"""Operands, attributes, lists of indices and results of a definition: located tree to model."""

from __future__ import annotations

import keyword
import re

from brewer.attribute_values import read_attribute_type, read_bounds, read_default
from brewer.keys import Keys, kind_of, read_integer
from brewer.model import ApIndices, Attribute, AttributeType, Dim, Operand, Result, Text
from brewer.problems import Problems
from brewer.vocabulary import Vocabulary
from brewer.yaml_tree import Mapping, Node, Scalar, Sequence
from runtime.diagnostics import Note, Place

ACCESS_MODES = ("load", "store", "load_store")
PRECISIONS = ("keep", "f32", "index")
_OPERAND = ("access", "optional", "variadic", "dtypes", "memory", "rank", "shape", "precision", "doc")
_ATTRIBUTE = ("type", "optional", "default", "min", "max", "one_of", "multiple_of", "doc")
_RESULT = ("same_as", "dtype", "shape", "infer", "variadic", "free_dtype", "doc")
_FIELD_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*\Z")
_LETTER = re.compile(r"[A-Z][A-Za-z0-9]*\Z")
# What generated constructors and constraint terms need for something else.
RESERVED = (
    *("self", "dtype", "shape", "rank", "result", "result_type", "result_types", "name", "engine", "types"),
    *("held", "float", "super", "tuple"),
)


def check_field_name(name: Text, problems: Problems) -> None:
    """Reports a name that cannot be a constructor parameter and a property."""
    if not _FIELD_NAME.match(name.value):
        problems.error("D018", name.place, f'"{name}" is not a field name', help="fields are written in snake_case")
    elif keyword.iskeyword(name.value) or keyword.issoftkeyword(name.value):
        problems.error("D019", name.place, f'"{name}" is a keyword of Python', help="choose another name")
    elif name.value in RESERVED:
        problems.error("D019", name.place, f'every instruction has "{name}" for itself', help="choose another name")


def check_label(name: Text, kind: str, problems: Problems) -> None:
    """Reports a name that cannot be part of a method's name; keywords of Python can."""
    if not _FIELD_NAME.match(name.value):
        problems.error("D018", name.place, f'"{name}" is not a {kind}', help="write it in snake_case")


def read_operand(name: Text, body: Mapping, vocabulary: Vocabulary, problems: Problems) -> Operand:
    check_field_name(name, problems)
    keys = Keys(body, "an operand", _OPERAND, problems)
    before = problems.complaints
    keys.exclusive("optional", "variadic")
    optional, variadic = keys.flag("optional"), keys.flag("variadic")
    is_sound = problems.complaints == before and not {"optional", "variadic"} & (keys.misspelled | keys.doubled)
    keys.exclusive("rank", "shape")
    access = keys.word("access", ACCESS_MODES, "access mode")
    precision = keys.word("precision", PRECISIONS, "operand precision")
    return Operand(
        name=name,
        access=access.value if access else "load",
        optional=optional,
        variadic=variadic,
        dtypes=vocabulary.dtypes_of(keys.texts("dtypes"), problems),
        memory=tuple(word.value for word in keys.words("memory", vocabulary.memories, "memory space")),
        rank=_read_rank(keys, problems),
        shape=_read_dims(keys, problems),
        precision=precision.value if precision else None,
        doc=keys.text_or_empty("doc"),
        is_sound=is_sound,
    )


def read_attribute(name: Text, body: Mapping, vocabulary: Vocabulary, problems: Problems) -> Attribute:
    check_field_name(name, problems)
    keys = Keys(body, "an attribute", _ATTRIBUTE, problems)
    before = problems.complaints
    keys.require("type", name.place, "int")
    keys.exclusive("optional", "default")
    optional = keys.flag("optional")
    type = read_attribute_type(keys, vocabulary, problems)
    if type is None:  # said already; bounds and default cannot be judged without it
        return Attribute(name, AttributeType("str"), optional, doc=keys.text_or_empty("doc"), is_sound=False)
    bounds = read_bounds(keys, type, vocabulary, problems)
    default = read_default(keys, name.value, type, bounds, vocabulary, problems)
    decisive = {"type", "optional", "default"} & (keys.misspelled | keys.doubled)
    return Attribute(
        name=name,
        type=type,
        optional=optional,
        default=default,
        min=bounds.min,
        max=bounds.max,
        one_of=bounds.one_of,
        multiple_of=bounds.multiple_of,
        doc=keys.text_or_empty("doc"),
        is_sound=problems.complaints == before and not decisive,
    )


def read_ap_indices(name: Text, body: Mapping, problems: Problems) -> ApIndices:
    check_field_name(name, problems)
    return ApIndices(name, Keys(body, "a list of indices", ("doc",), problems).text_or_empty("doc"))


def read_result(name: Text, body: Mapping, problems: Problems) -> Result:
    keys = Keys(body, "a result", _RESULT, problems)
    check_label(name, "name of a result", problems)
    for key in ("dtype", "infer", "variadic"):
        keys.exclusive("same_as", key)
    for key in ("same_as", "infer", "variadic"):
        keys.exclusive("shape", key)
    for key in ("infer", "dtype", "free_dtype"):
        keys.exclusive("variadic", key)
    if "shape" in keys or ("dtype" in keys and "infer" not in keys):
        keys.require("dtype", name.place, "f32")
        keys.require("shape", name.place, "[M, N]")
    shape = keys.value("shape")
    return Result(
        name=name,
        same_as=keys.text("same_as"),
        dtype=keys.text("dtype"),
        shape=keys.text("shape") if isinstance(shape, Scalar) else _read_dims(keys, problems),
        infer=keys.text("infer"),
        variadic=keys.flag("variadic"),
        free_dtype=keys.flag("free_dtype"),
        doc=keys.text_or_empty("doc"),
    )


def _read_rank(keys: Keys, problems: Problems) -> tuple[int, ...]:
    node = keys.value("rank")
    if node is None:
        return ()
    ranks: dict[int, Place] = {}
    for item in node.items if isinstance(node, Sequence) else (node,):
        rank = read_integer(item, '"rank"', problems)
        if rank is not None and rank < 0:
            problems.error("D014", item.place, f'"rank" is a number of dimensions, not {rank}')
        elif rank is not None and rank in ranks:
            notes = [Note("it stands here first", ranks[rank])]
            problems.error("D024", item.place, f'{rank} stands twice in "rank"', notes=notes)
        elif rank is not None:
            ranks[rank] = item.place
    return tuple(sorted(ranks))


def _read_dims(keys: Keys, problems: Problems) -> tuple[Dim, ...] | None:
    node = keys.value("shape")
    if node is None:
        return None
    if not isinstance(node, Sequence):
        problems.error("D014", node.place, f'"shape" is a list of letters and extents, not {kind_of(node)}')
        return None
    dims = tuple(_read_dim(item, problems) for item in node.items)
    return tuple(dim for dim in dims if dim is not None)


def _read_dim(node: Node, problems: Problems) -> Dim | None:
    if isinstance(node, Scalar) and isinstance(node.value, str) and _LETTER.match(node.value):
        return node.value
    if (
        isinstance(node, Scalar)
        and isinstance(node.value, int)
        and not isinstance(node.value, bool)
        and node.value >= 0
    ):
        return node.value
    help = "a letter such as M binds an extent, a whole number fixes it"
    problems.error(
        "D014", node.place, f"an extent is a capital letter or a whole number, not {kind_of(node)}", help=help
    )
    return None
