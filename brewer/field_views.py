"""Constructor fields as the templates need them: what each is called, takes, holds, and whether it may be absent."""

from __future__ import annotations

import keyword
from functools import cache
from typing import Literal

from brewer.frozen import frozen
from brewer.model import ApIndices, Attribute, AttributeType, Definition, Operand, Value
from brewer.python_text import Code, docstring, flat

_PYTHON_TYPE = {"dtype": "DType", "shape": "Shape", "tensor": "Constant", "type": "Type"}


@frozen
class FieldView:
    """One constructor field of a generated class."""

    name: str
    kind: Literal["operand", "attribute", "indices"]
    own: bool  # declared or overridden here, not inherited as it is
    takes: str  # the type of the constructor's parameter, and of what a setter takes
    holds: str  # the type of the property
    doc: tuple[str, ...]  # lines of the property's docstring
    default: str = ""  # of the parameter; empty where the caller must give a value
    optional: bool = False  # None is legal
    variadic: bool = False  # the slot holds a tuple of operands
    conversion: str = ""  # what constructor and setter make of a value, `float` or `tuple`; empty: they keep it
    mode: str = ""  # the AccessMode member that the constructor gives to accesses; empty where the dialect has none
    loads: bool = False  # whether an access in this slot reads its tensor
    stores: bool = False  # whether it writes it
    settles_dst: bool = False  # whether it decides how the instruction accesses what it writes

    @property
    def slot(self) -> str:
        return f"_{self.name}"


def operand_view(definition: Definition, operand: Operand, in_memory: bool) -> FieldView:
    """`in_memory`: the dialect has access patterns, whose mode the constructor sets."""
    own, access = definition.says(operand.name), operand.access if in_memory else ""
    return _operand_view(operand.name.value, own, access, operand.optional, operand.variadic, operand.doc)


@cache  # many definitions have the same operand, which is looked up in a tenth of the time
def _operand_view(name: str, own: bool, access: str, optional: bool, variadic: bool, doc: str) -> FieldView:
    holds = "tuple[Operand, ...]" if variadic else "Operand | None" if optional else "Operand"
    return FieldView(
        name=name,
        kind="operand",
        own=own,
        takes="Sequence[Operand]" if variadic else holds,
        holds=holds,
        doc=_doc(doc or f"Operand `{name}`."),
        default="None" if optional else "",
        optional=optional,
        variadic=variadic,
        conversion="tuple" if variadic else "",
        mode=access.upper(),
        loads=access in ("load", "load_store"),
        stores=access in ("store", "load_store"),
    )


def attribute_view(definition: Definition, attribute: Attribute) -> FieldView:
    type, name = attribute.type, attribute.name.value
    own, settles_dst = definition.says(attribute.name), str(definition.dst.accumulates) == name
    default, optional = default_text(attribute), attribute.optional
    return _attribute_view(name, own, type.word, type.enum, type.is_list, optional, default, settles_dst, attribute.doc)


@cache
def _attribute_view(
    name: str,
    own: bool,
    word: str,
    enum: str,
    is_list: bool,
    optional: bool,
    default: str,
    settles_dst: bool,
    doc: str,
) -> FieldView:
    item = enum_alias(enum) if enum else _PYTHON_TYPE.get(word, word)
    takes, holds = (f"Sequence[{item}]", f"tuple[{item}, ...]") if is_list else (item, item)
    none = " | None" * optional
    return FieldView(
        name=name,
        kind="attribute",
        own=own,
        takes=takes + none,
        holds=holds + none,
        doc=_doc(doc or f"Attribute `{name}`."),
        default=default,
        optional=optional,
        conversion="tuple" if is_list or word == "shape" else "float" if word == "float" else "",
        settles_dst=settles_dst,
    )


def ap_indices_view(definition: Definition, indices: ApIndices) -> FieldView:
    return FieldView(
        name=indices.name.value,
        kind="indices",
        own=definition.says(indices.name),
        takes="Iterable[APIndex]",
        holds="tuple[APIndex, ...]",
        doc=_doc(indices.doc or f"Access-pattern indices `{indices.name}`."),
        default="()",
        conversion="tuple",
    )


def default_text(attribute: Attribute) -> str:
    """The default as Python text; empty where the attribute is required."""
    if attribute.optional:
        return "None"
    return flat(value_as_held(attribute.type, attribute.default.value)) if attribute.default else ""


def value_as_held(type: AttributeType, value: Value) -> object:
    """A value of an attribute as the generated class holds it: data types are objects there."""
    if type.word != "dtype":
        return value
    return tuple(dtype_code(str(v)) for v in value) if isinstance(value, tuple) else dtype_code(str(value))


def dtype_code(name: str) -> Code:
    """The constant of runtime.dtypes for a data type."""
    return Code(f"{name}_" if name == "bool" else name)


def enum_alias(name: str) -> str:
    """The name of the Literal type that an enumeration has in generated/vocabulary.py."""
    return "".join(part.capitalize() for part in name.split("_"))


def enum_constant(name: str) -> str:
    """The name of the tuple of an enumeration's words in generated/vocabulary.py."""
    return f"{name.upper()}S"


def group_constant(name: str) -> str:
    """The name of the tuple that a group of data types has in generated/vocabulary.py."""
    return name.upper()


def region_name(name: str) -> str:
    """The property of a region; a keyword of Python gets an underscore."""
    return f"{name}_" if keyword.iskeyword(name) else name


def _doc(text: str) -> tuple[str, ...]:
    return tuple(docstring([text], 8))
