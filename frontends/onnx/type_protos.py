"""From `TypeProto` to `Type` and back.

Deliberately absent: types that the IR has no word for (maps, sparse tensors, opaque types), which are unknown there,
and element types such as text, which leave a tensor's dtype open. A file keeps its own types where they do not
contradict the IR, so nothing is lost.
"""

from __future__ import annotations

from onnx import TensorShapeProto, TypeProto, ValueInfoProto

from frontends.onnx.errors import BrokenModelError
from runtime.dtypes import DType
from runtime.onnx_codes import CODE_OF_DTYPE, DTYPE_OF_CODE
from runtime.types import Dim, Shape, Type, TypeKind

_UNKNOWN = Type.unknown()
_DTYPE_OF_CODE = DTYPE_OF_CODE.get


def type_of(proto: TypeProto) -> Type:
    """Return the IR's type for a declared one.

    A negative extent is refused, but for -1, which some exporters write where they mean an unknown one.
    """
    # Tried in the order of how common they are; `WhichOneof` costs three times as much.
    if proto.HasField("tensor_type"):
        tensor = proto.tensor_type
        shape = _shape(tensor.shape) if tensor.HasField("shape") else None
        return Type.tensor(_DTYPE_OF_CODE(tensor.elem_type), shape)
    if proto.HasField("sequence_type"):
        return Type.sequence(type_of(proto.sequence_type.elem_type))
    if proto.HasField("optional_type"):
        return Type.optional(type_of(proto.optional_type.elem_type))
    return _UNKNOWN


TypesByBytes = dict[bytes, Type]
"""Types that were found, by the bytes of their protos: types are few, values are many."""


def declared_type(info: ValueInfoProto, known: TypesByBytes) -> Type:
    """Return the IR's type for what is declared of a value, unknown where nothing is; `known` is filled.

    Raises: as `type_of` does.
    """
    text = info.type.SerializeToString()
    found = known.get(text)
    if found is None:
        found = known[text] = type_of(info.type)
    return found


def contradicts(declared: Type, actual: Type) -> bool:
    """Whether no value can be of both types. Whatever one of them leaves open, or names, is no contradiction."""
    if declared is actual or declared is _UNKNOWN or actual is _UNKNOWN:
        return False
    if declared.kind is not actual.kind:
        return True
    if declared.kind is not TypeKind.TENSOR:
        a, b = declared.element, actual.element
        return a is not None and b is not None and contradicts(a, b)
    if declared.dtype is not actual.dtype and declared.dtype is not None and actual.dtype is not None:
        return True
    if declared.shape is None or actual.shape is None:
        return False
    return len(declared.shape) != len(actual.shape) or any(
        isinstance(a, int) and isinstance(b, int) and a != b for a, b in zip(declared.shape, actual.shape, strict=True)
    )


def write_type(proto: TypeProto, type: Type) -> None:
    """Make `proto` say `type`; what it says already, and what the IR does not model, stays.

    Raises: ValueError where ONNX has no number for an element type.
    """
    if type.kind is TypeKind.TENSOR:
        tensor = proto.tensor_type
        if type.dtype is not None and _DTYPE_OF_CODE(tensor.elem_type) is not type.dtype:
            tensor.elem_type = code_of(type.dtype)
        if type.shape is None:
            tensor.ClearField("shape")
        else:
            _write_shape(tensor.shape, type.shape)
        tensor.SetInParent()
    elif type.kind is TypeKind.SEQUENCE:
        proto.sequence_type.SetInParent()
        _write_element(proto.sequence_type.elem_type, type.element)
    elif type.kind is TypeKind.OPTIONAL:
        proto.optional_type.SetInParent()
        _write_element(proto.optional_type.elem_type, type.element)


def is_sayable(type: Type) -> bool:
    """Whether a file can say this type: the element type of each tensor in it is known and has a number."""
    if type.kind is TypeKind.TENSOR:
        return type.dtype in CODE_OF_DTYPE
    return type.element is not None and is_sayable(type.element)


def code_of(dtype: DType) -> int:
    """Return the number of an element type.

    Raises: ValueError where ONNX has none.
    """
    code = CODE_OF_DTYPE.get(dtype)
    if code is None:
        raise ValueError(f"ONNX has no element type {dtype}")
    return code


def _shape(proto: TensorShapeProto) -> Shape:
    return tuple([_dim(dim) for dim in proto.dim])


def _dim(proto: TensorShapeProto.Dimension) -> Dim:
    if proto.HasField("dim_value"):
        value = proto.dim_value
        if value < -1:
            raise BrokenModelError(f"its type has the negative extent {value}")
        return None if value < 0 else value
    name = proto.dim_param
    if name.__class__ is not str:
        raise BrokenModelError(f"an extent of its type has the name {name!r}, which is no UTF-8")
    return name if _is_name(name) else None


def _is_name(text: str) -> bool:
    """Whether a text names an extent: of two that are called "?", "-1" or "None" nobody says that they are equal."""
    return text != "None" and any(character.isalpha() or character == "_" for character in text)


def _write_shape(proto: TensorShapeProto, shape: Shape) -> None:
    if len(proto.dim) != len(shape):
        del proto.dim[:]
        for _ in shape:
            proto.dim.add()
    proto.SetInParent()
    for dim, extent in zip(proto.dim, shape, strict=True):
        if _dim(dim) == extent:
            continue
        if isinstance(extent, int):
            dim.dim_value = extent
        elif isinstance(extent, str):
            dim.dim_param = extent
        else:
            dim.ClearField("dim_value")
            dim.ClearField("dim_param")


def _write_element(proto: TypeProto, type: Type | None) -> None:
    if type is not None and type_of(proto) is not type:
        write_type(proto, type)
