"""The text of open attributes of generic instructions; every kind of value is told by its looks.

    1  1.0  true  "text"  bytes<"ff00">      numbers, truth values, text, and text that is no UTF-8
    f16  f32[2,N]  f32[2] dense<1.0>         an element type, a type, a tensor
    [1, 2]  empty<int>                       a list; one without elements, and what they would be
    @slope: float                            what the caller of the function gave as `slope`
    region                                   the region of this name, which follows the instruction
    encoded<"0a01">                          what only the front end can read

Deliberately absent: the regions themselves, which the printer and the reader of instructions know.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Final

from runtime.constants import Constant
from runtime.dtypes import DType
from runtime.generic import AttributeReference, EmptyList, Encoded, GenericInst, Region
from runtime.info import InstructionInfo
from runtime.lazy_tensors import LazyTensor
from runtime.quoting import quoted, spelled_name, word_or_quoted
from runtime.text.common_fields import COMMON
from runtime.text.contents import tensor_text
from runtime.text.hexadecimal import hex_text
from runtime.text.numbers import float_text
from runtime.types import Type

REGION: Final = "region"
"""The word that says where among the attributes a region has its place."""


def entries_of(inst: GenericInst, own_names: frozenset[str], elide: int | None) -> list[str]:
    """Return the entries of the trailing dictionary for the open attributes, in their order.

    Regions have one only where their place would not be known: it is behind all else, in the order of the regions.
    """
    attributes = inst.attributes
    names = [name for name, value in attributes.items() if is_region(value)] if inst.blocks else []
    in_order = list(dict.fromkeys(name for name, _ in inst.region_keys)) if names else []
    shows_regions = bool(names) and not (names == in_order == list(attributes)[-len(names) :])
    return [
        f"{word_or_quoted(name, own_names)} = {value_text(value, elide)}"
        for name, value in attributes.items()
        if shows_regions or not is_region(value)
    ]


def own_names(info: InstructionInfo) -> frozenset[str]:
    """Return the names that mean a field of the instruction itself where they stand without quotes."""
    return frozenset({*info.fields, "carried", *COMMON})


def region_label(name: str, position: int | None) -> str:
    """Return what stands in front of a region: `then_branch`, `bodies[0]`."""
    label = word_or_quoted(name)
    return label if position is None else f"{label}[{position}]"


def is_region(value: object) -> bool:
    """Whether the value of an attribute is a region, or a list of them."""
    return isinstance(value, Region) or (isinstance(value, tuple) and any(isinstance(one, Region) for one in value))


def value_text(value: Any, elide: int | None = None) -> str:
    """Return the text of one value."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, (tuple, list)) and not is_region(value):
        return f"[{', '.join(value_text(one, elide) for one in value)}]"
    if isinstance(value, (Constant, LazyTensor)):
        return tensor_text(value, elide=elide)
    return _number_text(value) or _foreign_text(value, elide)


def _number_text(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Integral):
        return str(int(value))
    return float_text(float(value)) if isinstance(value, Real) else None


def _foreign_text(value: object, elide: int | None) -> str:
    match value:
        case DType() | Type():
            return str(value)
        case bytes():
            return f"bytes<{hex_text(value, elide)}>"
        case Encoded():
            return f"encoded<{hex_text(value.data, elide)}>"
        case EmptyList():
            return f"empty<{word_or_quoted(value.kind)}>"
        case AttributeReference():
            return f"@{spelled_name(value.name)}: {word_or_quoted(value.kind)}"
    assert is_region(value), f"no attribute value: {value!r}"
    return REGION
