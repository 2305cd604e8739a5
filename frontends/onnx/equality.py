"""Whether two models say the same, and where not.

Equal are models whose messages have the same fields with the same values, in the same order where there are several:
nodes, inputs, attributes and metadata included. What a file may write in two ways counts once:

- a number, text or enumeration that is not set, and one that is set to its default (0, "");
- a list that is not there, and one without elements;
- the elements of a tensor in `raw_data`, and the same bits in the field of their type.

Kept apart is what means something by being set: a message (`shape` without extents is a scalar's, no `shape` is an
unknown rank) and the members of a `oneof` (an extent of 0, and an unknown one). Data beside a model is not read: the
entries that say where it is are compared. Fields that the format does not know are compared as bytes.
"""

from __future__ import annotations

from typing import Any

from onnx import ModelProto, TensorProto

from frontends.onnx.errors import OnnxError
from frontends.onnx.protobuf import unknown_fields
from frontends.onnx.tensors import BITS, typed_bytes

_ELEMENTS = frozenset({"raw_data", "float_data", "int32_data", "int64_data", "double_data", "uint64_data"})


def why_different(a: ModelProto, b: ModelProto) -> str | None:
    """Return the first difference between two models, or None where they are equal.

    It starts with the path to what differs: `graph.node[3].attribute[0].ints[1]: 1 and 2`.
    """
    return _difference("", a, b)


def _difference(path: str, a: Any, b: Any) -> str | None:
    fields, others = _fields(a), _fields(b)
    if fields.keys() != others.keys():
        name = min(fields.keys() ^ others.keys())
        has = "the first has it only" if name in fields else "the second has it only"
        return f"{path}{name}: {has}"
    for name, value in fields.items():
        why = _value_difference(f"{path}{name}", value, others[name])
        if why is not None:
            return why
    left, right = unknown_fields(a), unknown_fields(b)
    if left != right:
        return f"{path.rstrip('.') or 'model'}: fields that the format does not know: {left} and {right}"
    return None


def _value_difference(path: str, a: Any, b: Any) -> str | None:
    if isinstance(a, (str, bytes, int, float)):
        same = a == b or (a != a and b != b)
        return None if same else f"{path}: {_shown(a)} and {_shown(b)}"
    if hasattr(a, "ListFields"):
        return _difference(f"{path}.", a, b)
    if len(a) != len(b):
        return f"{path}: {len(a)} and {len(b)} elements"
    for at, (one, other) in enumerate(zip(a, b, strict=True)):
        why = _value_difference(f"{path}[{at}]", one, other)
        if why is not None:
            return why
    return None


def _fields(message: Any) -> dict[str, Any]:
    """Return the fields that count, by name."""
    fields = {}
    for descriptor, value in message.ListFields():
        is_default = not value and isinstance(value, (str, bytes, int, float))
        if not is_default or descriptor.containing_oneof is not None:
            fields[descriptor.name] = value
    if isinstance(message, TensorProto) and message.data_type in BITS and _ELEMENTS & fields.keys():
        fields = _with_raw_data(message, fields)
    return fields


def _with_raw_data(tensor: TensorProto, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a tensor with its elements in `raw_data`; as they are where they cannot be."""
    held = _ELEMENTS & fields.keys()
    if len(held) > 1 or "raw_data" in held:
        return fields
    try:
        data = typed_bytes(tensor)
    except (OnnxError, ValueError, OverflowError):
        return fields
    kept = {name: value for name, value in fields.items() if name not in held}
    return {**kept, "raw_data": data} if data else fields


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}... ({len(text)} characters)"
