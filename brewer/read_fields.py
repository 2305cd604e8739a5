"""Operands, attributes, lists of indices and results of a definition: located tree to model."""

from __future__ import annotations

from brewer.attribute_values import read_attribute_type, read_bounds, read_default
from brewer.field_keys import (
    AP_INDICES,
    ATTRIBUTE,
    FIELD_NAME,
    KEYWORDS,
    LETTER,
    OPERAND,
    RESERVED,
    RESULT,
    RESULT_NAME,
)
from brewer.frozen import values_of
from brewer.keys import Keys, is_written_as, kind_of, read_integer, report_twice
from brewer.kinds import Whole
from brewer.model import ApIndices, Attribute, AttributeType, Default, Dim, Operand, Result, Text
from brewer.problems import Problems
from brewer.vocabulary import Vocabulary
from brewer.yaml_tree import Mapping, Node, Scalar, Sequence, content_of
from runtime.diagnostics import Place


def check_field_name(name: Text, problems: Problems) -> None:
    """Reports a name that cannot be a constructor parameter and a property."""
    if not is_written_as(FIELD_NAME, name, problems):
        return
    if name.value in KEYWORDS:
        problems.error("D019", name.place, f'"{name}" is a keyword of Python', help="choose another name")
    elif name.value in RESERVED:
        problems.error("D019", name.place, f'every instruction has "{name}" for itself', help="choose another name")


def read_operand(name: Text, body: Mapping, vocabulary: Vocabulary, problems: Problems) -> Operand:
    """The operand; of one that is like an earlier one, sound and but for its name, nothing is read again."""
    check_field_name(name, problems)
    content, before = (OPERAND.what, content_of(body)), problems.complaints
    known = vocabulary.sound_fields.get(content)
    if known is not None:
        return Operand(name, *known)
    operand = _read_operand(name, body, vocabulary, problems)
    if problems.complaints == before and not body.doubled:
        vocabulary.sound_fields[content] = values_of(operand)[1:]
    return operand


def _read_operand(name: Text, body: Mapping, vocabulary: Vocabulary, problems: Problems) -> Operand:
    keys = Keys(body, OPERAND, problems, vocabulary.lists)
    before = problems.complaints
    keys.check(name.place)
    optional, variadic = keys.flag("optional"), keys.flag("variadic")
    is_sound = problems.complaints == before and not {"optional", "variadic"} & (keys.misspelled | keys.doubled)
    precision = keys.word("precision")
    return Operand(
        name=name,
        access=keys.word_or_default("access"),
        optional=optional,
        variadic=variadic,
        dtypes=vocabulary.dtypes_of(keys.words("dtypes"), problems),
        memory=tuple(word.value for word in keys.words("memory")),
        rank=read_rank(keys, problems),
        shape=_read_dims(keys, problems),
        precision=precision.value if precision else None,
        doc=keys.text_or_empty("doc"),
        is_sound=is_sound,
    )


def read_attribute(name: Text, body: Mapping, vocabulary: Vocabulary, problems: Problems) -> Attribute:
    """The attribute, as `read_operand` has it."""
    check_field_name(name, problems)
    content, before = (ATTRIBUTE.what, content_of(body)), problems.complaints
    known = vocabulary.sound_fields.get(content)
    if known is not None:
        type, optional, default, *others = known
        if default is not None:  # which stands elsewhere
            default = Default(default.value, body.by_name["default"].value.place)
        return Attribute(name, type, optional, default, *others)
    attribute = _read_attribute(name, body, vocabulary, problems)
    if problems.complaints == before and not body.doubled:
        vocabulary.sound_fields[content] = values_of(attribute)[1:]
    return attribute


def _read_attribute(name: Text, body: Mapping, vocabulary: Vocabulary, problems: Problems) -> Attribute:
    keys = Keys(body, ATTRIBUTE, problems, vocabulary.lists)
    before = problems.complaints
    keys.check(name.place)
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
    return ApIndices(name, Keys(body, AP_INDICES, problems).text_or_empty("doc"))


def read_result(name: Text, body: Mapping, vocabulary: Vocabulary, problems: Problems) -> Result:
    """The result, as `read_operand` has it; what it names stands elsewhere."""
    is_written_as(RESULT_NAME, name, problems)
    content, before = (RESULT.what, content_of(body)), problems.complaints
    known = vocabulary.sound_fields.get(content)
    if known is not None:
        return Result(name, *[_moved(value, body, key) for key, value in zip(_NAMED, known, strict=False)], *known[4:])
    result = _read_result(name, body, vocabulary, problems)
    if problems.complaints == before and not body.doubled:
        vocabulary.sound_fields[content] = values_of(result)[1:]
    return result


_NAMED = ("same_as", "dtype", "shape", "infer")  # the first fields of a result after its name


def _moved(value: Text | tuple[Dim, ...] | None, body: Mapping, key: str) -> Text | tuple[Dim, ...] | None:
    return Text(value.value, body.by_name[key].value.place) if isinstance(value, Text) else value


def _read_result(name: Text, body: Mapping, vocabulary: Vocabulary, problems: Problems) -> Result:
    keys = Keys(body, RESULT, problems, vocabulary.lists)
    keys.check(name.place)
    precision = keys.word("precision")
    return Result(
        name=name,
        same_as=keys.text("same_as"),
        dtype=keys.text("dtype"),
        shape=_read_result_shape(keys, problems),
        infer=keys.text("infer"),
        optional=keys.flag("optional"),
        variadic=keys.flag("variadic"),
        free_dtype=keys.flag("free_dtype"),
        dtypes=vocabulary.dtypes_of(keys.words("dtypes"), problems),
        rank=read_rank(keys, problems),
        precision=precision.value if precision else None,
        doc=keys.text_or_empty("doc"),
    )


def read_rank(keys: Keys, problems: Problems) -> tuple[int, ...]:
    node = keys.value("rank")
    if node is None:
        return ()
    ranks: dict[int, Place] = {}
    for item in node.items if isinstance(node, Sequence) else (node,):
        rank = read_integer(item, '"rank"', Whole(0), problems)
        if rank is not None and rank in ranks:
            report_twice(str(rank), item.place, ranks[rank], '"rank"', problems)
        elif rank is not None:
            ranks[rank] = item.place
    return tuple(sorted(ranks))


def _read_result_shape(keys: Keys, problems: Problems) -> Text | tuple[Dim, ...] | None:
    node = keys.value("shape")
    if isinstance(node, Scalar) and isinstance(node.value, str):
        return Text(node.value, node.place)
    return _read_dims(keys, problems)


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
    value = node.value if isinstance(node, Scalar) else None
    is_extent = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if is_extent or (isinstance(value, str) and LETTER.matches(value)):
        assert isinstance(value, (int, str))
        return value
    message = f"an extent is a capital letter or a whole number, not {kind_of(node)}"
    problems.error(LETTER.code, node.place, message, help=LETTER.help)
    return None
