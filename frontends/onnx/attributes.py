"""From `AttributeProto` to attribute values and back.

An attribute that a value cannot stand for to the full keeps the rest (a doc string, a missing type, fields of a later
version) in its node's shell; one that makes no sense by itself (several values, none) is carried whole, as `Encoded`.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from onnx import AttributeProto, GraphProto, SparseTensorProto, TensorProto, TypeProto

from frontends.onnx.errors import BrokenModelError, ExportError
from frontends.onnx.protobuf import DecodeError, encoded, fields_of, has_unknown_fields
from frontends.onnx.stored_tensors import is_sparse
from frontends.onnx.tensors import OnnxTensor, SparseOnnxTensor, tensor_of, write_tensor
from frontends.onnx.type_protos import code_of, type_of, write_type
from runtime.constants import Constant
from runtime.dtypes import DType
from runtime.generic import AttributeReference, EmptyList, Encoded, Region
from runtime.lazy_tensors import LazyTensor, StoredTensor
from runtime.types import Type

# The field that holds the value, and what a value is called, by the number of the type.
_SINGLE: dict[int, tuple[str, str]] = {
    AttributeProto.FLOAT: ("f", "float"),
    AttributeProto.INT: ("i", "int"),
    AttributeProto.STRING: ("s", "string"),
    AttributeProto.TENSOR: ("t", "tensor"),
    AttributeProto.GRAPH: ("g", "graph"),
    AttributeProto.SPARSE_TENSOR: ("sparse_tensor", "sparse_tensor"),
    AttributeProto.TYPE_PROTO: ("tp", "type_proto"),
}
_LISTS: dict[int, tuple[str, str]] = {
    AttributeProto.FLOATS: ("floats", "float"),
    AttributeProto.INTS: ("ints", "int"),
    AttributeProto.STRINGS: ("strings", "string"),
    AttributeProto.TENSORS: ("tensors", "tensor"),
    AttributeProto.GRAPHS: ("graphs", "graph"),
    AttributeProto.SPARSE_TENSORS: ("sparse_tensors", "sparse_tensor"),
    AttributeProto.TYPE_PROTOS: ("type_protos", "type_proto"),
}
_FIELDS = {code: field for code, (field, _) in (_SINGLE | _LISTS).items()}
_CODES_OF_FIELDS = {field: code for code, field in _FIELDS.items()}
_LIST_CODES = {kind: code for code, (_, kind) in _LISTS.items()}
_KINDS = {code: kind for code, (_, kind) in _SINGLE.items()} | {code: f"{kind}s" for code, (_, kind) in _LISTS.items()}
_CODES_OF_KINDS = {kind: code for code, kind in _KINDS.items()}
_INTEGERS = frozenset({AttributeProto.INT, AttributeProto.INTS})
_PLAIN = _INTEGERS | {AttributeProto.FLOAT, AttributeProto.FLOATS}
_ONLY_INT = {int}
SHARED = _PLAIN | {AttributeProto.STRING, AttributeProto.STRINGS}
"""The types of attributes of which many nodes have the same: numbers and texts."""
_DEFAULTS: dict[int, Any] = {AttributeProto.FLOAT: 0.0, AttributeProto.INT: 0, AttributeProto.STRING: ""}


def read_attribute(proto: AttributeProto, folder: Path | None) -> tuple[Any, bool]:
    """Return the value of an attribute, and whether the node's shell must keep the rest of it."""
    if proto.type == AttributeProto.TENSOR:
        listed = proto.ListFields()
        if len(listed) == 3 and listed[1][0] is _T and not has_unknown_fields(proto):  # name, value and type
            return OnnxTensor(listed[1][1], folder), False
    fields = fields_of(proto)
    code: int = fields.pop("type", 0)
    fields.pop("name", None)
    shelled = has_unknown_fields(proto)
    if fields.pop("doc_string", ""):
        shelled = True
    reference = fields.pop("ref_attr_name", "")
    if reference and not fields:
        return AttributeReference(reference, kind_word(code)), shelled
    if not code and len(fields) == 1:  # files of the first versions of the format have no types
        code, shelled = _CODES_OF_FIELDS[next(iter(fields))], True
    field = _FIELDS.get(code)
    if reference or field is None or fields.keys() - {field}:
        return _encoded(proto), False
    if field not in fields:
        if code in _LISTS:
            return EmptyList(_LISTS[code][1]), shelled
        return (_DEFAULTS[code], shelled) if code in _DEFAULTS else (_encoded(proto), False)
    held = fields[field]
    if code in _PLAIN:
        return (held if code in _SINGLE else tuple(held)), shelled
    convert = _CONVERT[code]
    if code in _SINGLE:
        value = convert(held, folder)
        return (_encoded(proto), False) if value is None else (value, shelled)
    values = tuple([convert(one, folder) for one in held])
    return (_encoded(proto), False) if None in values else (values, shelled)


def type_code_of(proto: AttributeProto) -> int:
    """Return the number of the type of an attribute, 0 where it has none; of files without types, that of its value."""
    if proto.type or proto.ref_attr_name:
        return proto.type
    return next((code for field, code in _CODES_OF_FIELDS.items() if field in fields_of(proto)), 0)


def kind_word(code: int) -> str:
    """Return what a type of attributes is called: `int`, `ints`, `tensor` ..."""
    return _KINDS.get(code, _UNTYPED)


def shell_of(proto: AttributeProto) -> AttributeProto:
    """Return an attribute without its value, and without the name of what it refers to."""
    shell = AttributeProto()
    if proto.type not in (AttributeProto.GRAPH, AttributeProto.GRAPHS, AttributeProto.TENSOR, AttributeProto.TENSORS):
        shell.CopyFrom(proto)
        for field in (*_CODES_OF_FIELDS, "ref_attr_name"):
            shell.ClearField(field)
        return shell
    shell.name, shell.type, shell.doc_string = proto.name, proto.type, proto.doc_string
    return shell


def write_attribute(
    proto: AttributeProto,
    name: str,
    value: Any,
    shell: AttributeProto | None,
    write_graph: Callable[[GraphProto, Region], None],
) -> None:
    """Fill an empty `AttributeProto`; `shell`: what the node carries of it.

    Raises: ExportError where ONNX has no such attribute.
    """
    if shell is None and _write_plain(proto, name, value):
        return
    if isinstance(value, Encoded):
        _decode(proto, name, value)
        return
    if shell is not None:
        proto.CopyFrom(shell)
    else:
        proto.name = name
    if isinstance(value, AttributeReference):
        proto.ref_attr_name = value.name
        if value.kind != _UNTYPED:
            proto.type = _code(name, value.kind)
        return
    code = _code_of_empty(name, value) if isinstance(value, EmptyList) else _code_of(name, value)
    if shell is None or (proto.type and proto.type != code):
        proto.type = code  # type: ignore[assignment]  # the stubs have an enumeration
    if isinstance(value, EmptyList):
        return
    field = _FIELDS[code]
    if code in _PLAIN:
        number = code_of if isinstance(value, DType) else int if code in _INTEGERS else float
        if code in _SINGLE:
            setattr(proto, field, number(value))
        else:
            getattr(proto, field).extend(map(number, value))
        return
    many = code in _LISTS
    for one in value if many else (value,):
        _write_value(proto, field, one, many, write_graph)


def _write_plain(proto: AttributeProto, name: str, value: Any) -> bool:
    """Fill an empty `AttributeProto` with a value of the kinds that most have; return whether it was one."""
    kind = value.__class__
    if kind is int:
        proto.type, proto.i = AttributeProto.INT, value
    elif kind is float:
        proto.type, proto.f = AttributeProto.FLOAT, value
    elif kind is str:
        proto.type, proto.s = AttributeProto.STRING, value.encode()
    elif kind is tuple and set(map(type, value)) == _ONLY_INT:
        proto.type = AttributeProto.INTS
        proto.ints.extend(value)
    elif kind is OnnxTensor or kind is Constant:
        proto.type = AttributeProto.TENSOR
        write_tensor(proto.t, value)
    else:
        return False
    proto.name = name
    return True


def _write_value(
    proto: AttributeProto, field: str, value: Any, many: bool, write_graph: Callable[[GraphProto, Region], None]
) -> None:
    if isinstance(value, (str, bytes)):
        data = value.encode() if isinstance(value, str) else value
        if many:
            proto.strings.append(data)
        else:
            proto.s = data
        return
    target = getattr(proto, field)
    if many:
        target = target.add()
    else:
        target.SetInParent()
    if isinstance(value, StoredTensor):
        value = tensor_of(value)
    if isinstance(value, SparseOnnxTensor):
        target.CopyFrom(value.proto)
    elif isinstance(value, (LazyTensor, Constant)):
        write_tensor(target, value)
    elif isinstance(value, Region):
        write_graph(target, value)
    else:
        assert isinstance(value, Type), f"no attribute value: {value!r}"
        write_type(target, value)


def _decode(proto: AttributeProto, name: str, value: Encoded) -> None:
    try:
        proto.ParseFromString(value.data)
    except DecodeError:
        raise ExportError(f'attribute "{name}" carries bytes that are no attribute') from None
    if proto.name != name:
        proto.name = name


def _code_of_empty(name: str, value: EmptyList) -> int:
    if value.kind not in _LIST_CODES:
        raise ExportError(f'attribute "{name}" is an empty list of the unknown kind "{value.kind}"')
    return _LIST_CODES[value.kind]


def _code_of(name: str, value: Any) -> int:
    """Return the number of the type that a value has as an attribute."""
    if not isinstance(value, (tuple, list)):
        return _CODES_OF_NUMBERS.get(type(value)) or _single_code(name, value)
    classes = set(map(type, value))
    if len(classes) == 1 and classes <= _CODES_OF_NUMBERS.keys():
        return _LIST_CODES[_SINGLE[_CODES_OF_NUMBERS[classes.pop()]][1]]
    codes = {_single_code(name, one) for one in value}
    if codes == {AttributeProto.INT, AttributeProto.FLOAT}:
        codes = {AttributeProto.FLOAT}
    if len(codes) != 1:
        raise ExportError(f'attribute "{name}": a list of {len(codes)} kinds of elements, {list(value)!r}')
    return _LIST_CODES[_SINGLE[codes.pop()][1]]


def _single_code(name: str, value: Any) -> int:
    if isinstance(value, Integral):
        return AttributeProto.INT
    if isinstance(value, Real):
        return AttributeProto.FLOAT
    if isinstance(value, StoredTensor):
        return AttributeProto.SPARSE_TENSOR if is_sparse(value) else AttributeProto.TENSOR
    for cls, code in _CODES_OF_CLASSES:
        if isinstance(value, cls):
            return code
    raise ExportError(f'attribute "{name}": ONNX has none like {value!r}')


def _encoded(proto: AttributeProto) -> Encoded:
    if proto.HasField("g") or len(proto.graphs):
        raise BrokenModelError(f'attribute "{proto.name}" has a graph beside another value')
    return Encoded(encoded(proto))


def _text(held: bytes, *_: object) -> str | bytes:
    try:
        return held.decode()
    except UnicodeDecodeError:
        return held


def _type(held: TypeProto, *_: object) -> Type | None:
    """Return a type that stands for all that the proto says, or None."""
    found = type_of(held)
    written = TypeProto()
    write_type(written, found)
    return found if encoded(written) == encoded(held) else None


def _tensor(held: TensorProto, folder: Path | None) -> OnnxTensor:
    return OnnxTensor(held, folder)


def _sparse(held: SparseTensorProto, folder: Path | None) -> SparseOnnxTensor:
    return SparseOnnxTensor(held, folder)


def _graph(held: GraphProto, folder: Path | None) -> GraphProto:
    return held


def _code(name: str, kind: str) -> Any:
    if kind not in _CODES_OF_KINDS:
        raise ExportError(f'attribute "{name}" refers to one of the unknown kind "{kind}"')
    return _CODES_OF_KINDS[kind]


_UNTYPED = "undefined"
_T = AttributeProto.DESCRIPTOR.fields_by_name["t"]
_CONVERT: dict[int, Callable[..., Any]] = {
    AttributeProto.STRING: _text,
    AttributeProto.TENSOR: _tensor,
    AttributeProto.GRAPH: _graph,
    AttributeProto.SPARSE_TENSOR: _sparse,
    AttributeProto.TYPE_PROTO: _type,
    AttributeProto.STRINGS: _text,
    AttributeProto.TENSORS: _tensor,
    AttributeProto.GRAPHS: _graph,
    AttributeProto.SPARSE_TENSORS: _sparse,
    AttributeProto.TYPE_PROTOS: _type,
}
_CODES_OF_NUMBERS: dict[type, int] = {int: AttributeProto.INT, float: AttributeProto.FLOAT}  # nearly all there are
_CODES_OF_CLASSES: tuple[tuple[Any, int], ...] = (
    ((str, bytes), AttributeProto.STRING),
    (DType, AttributeProto.INT),
    (SparseOnnxTensor, AttributeProto.SPARSE_TENSOR),
    ((LazyTensor, Constant), AttributeProto.TENSOR),
    (Region, AttributeProto.GRAPH),
    (Type, AttributeProto.TYPE_PROTO),
)
