"""Tensors of a model in files of the IR: what is kept of one beside its elements, and the tensor back from that.

    name, doc string, metadata ...      the bytes of an `AttributeProto` with the tensor, or the sparse tensor, in it
    elements                            the IR's own constant; in those bytes as well where it is not all of them

Deliberately absent: data beside a model. A file of the IR is all there is, so the elements are in it; in the model that
is written from it they are inside too.
"""

from __future__ import annotations

from onnx import AttributeProto, SparseTensorProto, TensorProto

from frontends.onnx.errors import ExportError
from frontends.onnx.protobuf import DecodeError, encoded, has_unknown_fields
from frontends.onnx.type_protos import code_of
from runtime.lazy_tensors import StoredTensor
from runtime.onnx_codes import DTYPE_OF_CODE

_ELEMENTS = ("raw_data", "float_data", "int32_data", "int64_data", "double_data", "uint64_data", "string_data")
_IN_THE_IR = (*_ELEMENTS, "dims", "data_type", "data_location", "external_data")
_REST = tuple(name for name in TensorProto.DESCRIPTOR.fields_by_name if name not in _IN_THE_IR)
_REST_BUT_NAME = tuple(name for name in _REST if name != "name")
_REPEATED = frozenset(name for name, field in TensorProto.DESCRIPTOR.fields_by_name.items() if not field.has_presence)
_MESSAGES = frozenset(name for name, field in TensorProto.DESCRIPTOR.fields_by_name.items() if field.message_type)


def rest_of(proto: TensorProto, *, named: bool) -> bytes:
    """Return what is to be kept of a tensor whose type and elements the IR has; nothing where there is no more to it.

    `named`: whether its name is to be kept, too, which the value has otherwise that it is the contents of.
    """
    held = AttributeProto()
    in_the_ir = _IN_THE_IR if named else (*_IN_THE_IR, "name")
    if has_unknown_fields(proto):  # only a whole copy keeps them
        held.t.CopyFrom(proto)
        for name in in_the_ir:
            held.t.ClearField(name)
        return encoded(held)
    for name in _REST if named else _REST_BUT_NAME:  # by name, since a list of all fields would copy the elements
        if name in _REPEATED:
            listed = getattr(proto, name)
            if listed:
                getattr(held.t, name).extend(listed)
        elif not proto.HasField(name):
            continue
        elif name in _MESSAGES:
            getattr(held.t, name).CopyFrom(getattr(proto, name))
        else:
            setattr(held.t, name, getattr(proto, name))
    return encoded(held)


def whole_of(proto: TensorProto, raw: memoryview | None) -> bytes:
    """Return a whole tensor; `raw`: its elements, where they are beside the model."""
    held = AttributeProto()
    _copy_inside(proto, held.t, raw)
    return encoded(held)


def whole_of_sparse(proto: SparseTensorProto, values: memoryview | None, indices: memoryview | None) -> bytes:
    """Return a whole sparse tensor; `values` and `indices`: those that are beside the model."""
    held = AttributeProto()
    held.sparse_tensor.CopyFrom(proto)
    _copy_inside(proto.values, held.sparse_tensor.values, values)
    _copy_inside(proto.indices, held.sparse_tensor.indices, indices)
    return encoded(held)


def is_sparse(tensor: StoredTensor) -> bool:
    """Whether a tensor was a sparse one in the model."""
    return bool(_carried(tensor).HasField("sparse_tensor"))


def proto_of(tensor: StoredTensor) -> TensorProto | SparseTensorProto:
    """Return a tensor as a model has it.

    Raises: ExportError where the bytes that are carried are no tensor, or one of another type.
    """
    held = _carried(tensor)
    contents, _ = tensor.parts
    if held.HasField("sparse_tensor"):
        sparse = held.sparse_tensor
        _check_type(tensor, sparse.values.name, sparse.values.data_type, tuple(sparse.dims))
        return sparse
    proto = held.t
    if contents is None or proto.data_type:
        _check_type(tensor, proto.name, proto.data_type, tuple(proto.dims))
        return proto
    try:
        proto.data_type = code_of(contents.dtype)
    except ValueError as error:
        raise ExportError(f'tensor "{proto.name}": {error}') from None
    proto.dims.extend(contents.shape)
    proto.raw_data = tensor.raw.tobytes()
    return proto


def _carried(tensor: StoredTensor) -> AttributeProto:
    _, carried = tensor.parts
    held = AttributeProto()
    try:
        held.ParseFromString(carried)
        return held
    except DecodeError:
        raise ExportError(f"what {tensor!r} carries is no tensor of a model") from None


def _check_type(tensor: StoredTensor, name: str, code: int, shape: tuple[int, ...]) -> None:
    if DTYPE_OF_CODE.get(code) is not tensor.dtype or shape != tensor.shape:
        found = f"of the element type {code} and of shape {list(shape)}"
        raise ExportError(f'tensor "{name}": {tensor!r} carries one {found}')


def _copy_inside(proto: TensorProto, to: TensorProto, raw: memoryview | None) -> None:
    to.CopyFrom(proto)
    if raw is not None:
        to.ClearField("external_data")
        to.ClearField("data_location")
        to.raw_data = raw.tobytes()
