"""What the nodes of one operator have in common, looked up once for all of them: a form.

Deliberately absent: operators that the onnx library does not know, and attributes that an operator does not have: they
are carried as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from onnx import AttributeProto

from frontends.onnx.attributes import SHARED, kind_word, read_attribute, type_code_of
from frontends.onnx.errors import BrokenModelError
from frontends.onnx.schemas import domain_in_ir, schema_of
from runtime.generic import ONNX_DOMAIN, Encoded, function_name

Reading = tuple[str, Any, bool]
"""The name of an attribute, its value, and whether the node's shell must keep the rest of it."""

_CASTS: Final = frozenset({"Cast", "CastLike"})
_LONGEST: Final = 256  # bytes of an attribute that others are compared with


@dataclass(slots=True)
class Form:
    """An operator of one graph, and the attributes that its nodes have had so far."""

    op_type: str
    domain: str  # never empty
    is_cast: bool
    is_spelled_out: bool  # whether the file writes the standard domain, which may be left out
    callee: str | None  # the local function that is called
    expected: Mapping[str, int]  # types of attributes by name, where they are known
    readings: dict[bytes, Reading] = field(default_factory=dict)  # by the bytes of the attribute

    def read(self, attribute: AttributeProto, folder: Path | None) -> Reading:
        """Return what an attribute of a node says; of a graph, or several, the value is the `GraphProto`.

        Most attributes are among few (a kernel of 3 by 3), and to compare bytes takes a third of the time of reading.

        Raises: BrokenModelError where it is of another type than the operator takes; as `read_attribute` does.
        """
        if attribute.type not in SHARED:
            return self._read(attribute, folder)
        text = attribute.SerializeToString()
        found = self.readings.get(text)
        if found is None:
            found = self._read(attribute, folder)
            if len(text) <= _LONGEST:
                self.readings[text] = found
        return found

    def _read(self, attribute: AttributeProto, folder: Path | None) -> Reading:
        name = attribute.name
        value, leaves_rest = read_attribute(attribute, folder)
        expected = self.expected.get(name)
        if expected is not None:
            found = type_code_of(attribute)
            if found != expected:
                raise BrokenModelError(f"is of the type {kind_word(found)}; expected {kind_word(expected)}")
            if expected in SHARED and isinstance(value, Encoded):
                raise BrokenModelError(f"holds another value than that of its type; expected {kind_word(expected)}")
        return name, value, leaves_rest


def form_of(op_type: str, domain: str, overload: str, versions: Mapping[str, int], local: frozenset[str]) -> Form:
    """Return a fresh form; `versions` of the operator sets, `local`: the names of the local functions of the model.

    Raises: BrokenModelError for a text that is no UTF-8.
    """
    for text in (op_type, domain, overload):
        if text.__class__ is not str:
            raise BrokenModelError(f"{text!r} is no UTF-8")
    spelled = domain_in_ir(domain)
    name = function_name(spelled, op_type, overload)
    callee = name if name in local else None
    expected = {} if callee is not None else _attribute_types(spelled, op_type, versions.get(spelled, 0))
    return Form(op_type, spelled, op_type in _CASTS, domain == ONNX_DOMAIN, callee, expected)


@cache
def _attribute_types(domain: str, op_type: str, version: int) -> Mapping[str, int]:
    schema = schema_of(domain, op_type, version)
    if schema is None:
        return {}
    attributes: Mapping[str, Any] = schema.attributes  # whose types have a `value`, which onnx's own types do not say
    return {name: attribute.type.value for name, attribute in attributes.items()}
