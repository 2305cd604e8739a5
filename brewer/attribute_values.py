"""The type of an attribute, its bounds, and whether a default fits them.

A wrong default is a mistake of the definition, so it is found here and not by whoever builds the instruction.
"""

from __future__ import annotations

import math
import re

from brewer.field_keys import PLAIN_TYPES
from brewer.frozen import frozen
from brewer.keys import Keys, kind_of, report_twice
from brewer.model import Attribute, AttributeType, Default, Literal, Value
from brewer.plain_scalars import INFINITIES_SOMEWHERE
from brewer.problems import Problems
from brewer.vocabulary import Vocabulary
from brewer.yaml_tree import Node, Scalar, Sequence
from runtime.diagnostics import Place, did_you_mean

_LIST = re.compile(r"list\[ *([A-Za-z_0-9]+) *\]\Z")
_BOUNDED = ("int", "float")


@frozen
class Bounds:
    min: float | None = None
    max: float | None = None
    one_of: tuple[Literal, ...] = ()
    multiple_of: int | None = None


def read_attribute_type(keys: Keys, vocabulary: Vocabulary, problems: Problems) -> AttributeType | None:
    """`int`, `list[int]`, or the name of an enumeration."""
    text = keys.text("type")
    if text is None:
        return None
    match = _LIST.match(text.value)
    word = match.group(1) if match else text.value
    if word in PLAIN_TYPES:
        return AttributeType(word, is_list=match is not None)
    enum = vocabulary.enum(word)
    if enum is not None:
        return AttributeType("enum", match is not None, word, enum.values)
    help = (
        did_you_mean(word, vocabulary.lists["types"])
        or f"enumerations stand in {vocabulary.where}; a list is written list[int]"
    )
    problems.error("D017", text.place, f'no attribute type or enumeration is called "{word}"', help=help)
    return None


def read_bounds(keys: Keys, type: AttributeType, vocabulary: Vocabulary, problems: Problems) -> Bounds:
    for key in ("min", "max", "multiple_of"):
        if key in keys and type.word not in _BOUNDED:
            problems.error("D052", keys.place(key), f'"{key}" bounds numbers; the attribute is of type {type}')
            return Bounds()
    low, high = keys.number("min"), keys.number("max")
    if low is not None and high is not None and low > high:
        problems.error("D052", keys.place("max"), f'"max" is {high}, below "min", which is {low}')
        return Bounds()
    return Bounds(low, high, _read_one_of(keys, type, vocabulary, problems), keys.integer("multiple_of"))


def read_default(
    keys: Keys, name: str, type: AttributeType, bounds: Bounds, vocabulary: Vocabulary, problems: Problems
) -> Default | None:
    """The default, once it fits the type and the bounds."""
    node = keys.value("default")
    if node is None:
        return None
    value = read_value(node, f'the default of "{name}"', type, vocabulary, problems)
    if value is None:
        return None
    fits = is_within(value, f'the default of "{name}"', type, bounds, node.place, problems)
    return Default(value, node.place) if fits else None


def is_within(
    value: Value, what: str, type: AttributeType, bounds: Bounds | Attribute, place: Place, problems: Problems
) -> bool:
    """Whether a value of the type is within the bounds; False after reporting that it is not."""
    for item in value if isinstance(value, tuple) and type.is_list else (value,):
        reason = _why_out_of_bounds(item, bounds)
        if reason:
            problems.error("D051", place, f"{what} is {shown(item)}, {reason}")
            return False
    return True


def read_value(node: Node, what: str, type: AttributeType, vocabulary: Vocabulary, problems: Problems) -> Value | None:
    """A value of an attribute's type; None after reporting that it is not one."""
    if not type.is_list:
        return _read_item(node, what, type, vocabulary, problems)
    if not isinstance(node, Sequence):
        problems.error("D050", node.place, f"{what} is {kind_of(node)}; its type is {type}")
        return None
    items: list[Literal] = []
    for item in node.items:
        value = _read_item(item, what, type, vocabulary, problems)
        if isinstance(value, tuple):
            _report_unwritable(item, what, type, problems)
        if isinstance(value, tuple) or value is None:
            return None
        items.append(value)
    return tuple(items)


def shown(value: object) -> str:
    """A value as a definition writes it."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, float) and math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    return str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else str(value)


def _read_item(node: Node, what: str, type: AttributeType, vocabulary: Vocabulary, problems: Problems) -> Value | None:
    if type.word in ("tensor", "type"):
        _report_unwritable(node, what, type, problems)
        return None
    if type.word == "shape":
        return _read_shape(node, what, type, problems)
    value = node.value if isinstance(node, Scalar) else None
    if type.word == "float" and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    python = {"int": int, "float": float, "bool": bool}.get(type.word, str)
    if not isinstance(value, python) or (python is int and isinstance(value, bool)):
        problems.error(
            "D050", node.place, f"{what} is {kind_of(node)}; its type is {type}", help=_infinity(value, type)
        )
        return None
    if type.word == "dtype" and value not in vocabulary.dtypes:
        problems.unknown("D005", node.place, "data type", str(value), vocabulary.dtypes)
        return None
    if type.word == "enum" and value not in type.values:
        help = did_you_mean(str(value), type.values) or f"its words: {', '.join(type.values)}"
        problems.error("D050", node.place, f'{what} is "{value}", no word of {type.enum}', help=help)
        return None
    assert value is not None
    return value


def _infinity(value: object, type: AttributeType) -> str:
    """How to write what is meant by `-inf`, and by what else other readers take for an infinity."""
    text = value.lower() if isinstance(value, str) else ""
    if type.word != "float" or text.lstrip("+-") not in INFINITIES_SOMEWHERE:
        return ""
    return f"infinity is written without quotes and with a point: {'-' * text.startswith('-')}.inf"


def _report_unwritable(node: Node, what: str, type: AttributeType, problems: Problems) -> None:
    message = f"{what} cannot be written down: its type is {type}"
    problems.error("D050", node.place, message, help="make it optional" if "default" in what else "leave it out")


def _read_shape(node: Node, what: str, type: AttributeType, problems: Problems) -> Value | None:
    extents = [item.value for item in node.items if isinstance(item, Scalar)] if isinstance(node, Sequence) else []
    whole = [extent for extent in extents if isinstance(extent, int) and not isinstance(extent, bool) and extent >= 0]
    if isinstance(node, Sequence) and len(whole) == len(node.items):
        return tuple(whole)
    problems.error("D050", node.place, f"{what} is {kind_of(node)}; its type is {type}, a list of whole numbers")
    return None


def _read_one_of(keys: Keys, type: AttributeType, vocabulary: Vocabulary, problems: Problems) -> tuple[Literal, ...]:
    node = keys.value("one_of")
    if node is None:
        return ()
    if not isinstance(node, Sequence) or not node.items:
        problems.error("D014", node.place, f'"one_of" is a list of values, not {kind_of(node)}')
        return ()
    single = AttributeType(type.word, False, type.enum, type.values)
    choices: dict[Literal, Place] = {}
    for item in node.items:
        value = read_value(item, 'a choice in "one_of"', single, vocabulary, problems)
        if isinstance(value, tuple):
            _report_unwritable(item, 'a choice in "one_of"', single, problems)
        if value is None or isinstance(value, tuple):
            continue
        if first := choices.get(value):
            report_twice(shown(value), item.place, first, '"one_of"', problems)
        else:
            choices[value] = item.place
    return tuple(choices)


def _why_out_of_bounds(value: object, bounds: Bounds | Attribute) -> str:
    if bounds.one_of and value not in bounds.one_of:
        return f"which is not one of {', '.join(shown(choice) for choice in bounds.one_of)}"
    if not isinstance(value, (int, float)):
        return ""
    if bounds.min is not None and value < bounds.min:
        return f"below its minimum {bounds.min}"
    if bounds.max is not None and value > bounds.max:
        return f"above its maximum {bounds.max}"
    if bounds.multiple_of is not None and value % bounds.multiple_of:
        return f"not a multiple of {bounds.multiple_of}"
    return ""
