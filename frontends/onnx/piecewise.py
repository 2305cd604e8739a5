"""Writing a model in pieces: large tensors that passes made go from memory to the file, and never all into a proto.

    ModelProto { ... graph { ... initializer { dims data_type name } initializer { ... } } }

The model is one protobuf message as ever: what is large is left out of the proto, its bytes are counted, and written
where they belong.

Deliberately absent: tensors of attributes and of regions, which are small.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import IO, Final

from onnx import GraphProto, ModelProto, TensorProto

from runtime.constants import Constant

LARGE: Final = 1 << 20
"""Bytes of a tensor that is left out of the proto."""

_GRAPH, _INITIALIZER, _RAW_DATA = (
    message.DESCRIPTOR.fields_by_name[field].number << 3 | 2  # 2: bytes, after their number
    for message, field in ((ModelProto, "graph"), (GraphProto, "initializer"), (TensorProto, "raw_data"))
)


def is_left_out(value: object) -> bool:
    """Whether a tensor is one that is written from memory."""
    return isinstance(value, Constant) and value.dtype.bits >= 8 and value.array.nbytes >= LARGE


def fill(model: ModelProto, left_out: Mapping[str, Constant]) -> None:
    """Put what is left out into the proto, for whoever needs all of it."""
    for tensor in model.graph.initializer:
        if tensor.name in left_out:
            tensor.raw_data = left_out[tensor.name].array.tobytes()


def write_pieces(file: IO[bytes], model: ModelProto, left_out: Mapping[str, Constant]) -> None:
    """Write a model with what is left out of it, and take its graph apart on the way."""
    tensors = [*model.graph.initializer]
    del model.graph.initializer[:]
    graph = model.graph.SerializeToString()
    sizes = [_size(tensor, left_out) for tensor in tensors]
    total = len(graph) + sum(len(_number(_INITIALIZER) + _number(size)) + size for size in sizes)
    model.ClearField("graph")
    file.write(model.SerializeToString())
    file.write(_number(_GRAPH) + _number(total) + graph)
    for tensor, size in zip(tensors, sizes, strict=True):
        file.write(_number(_INITIALIZER) + _number(size))
        for piece in _pieces(tensor, left_out):
            file.write(piece)


def _pieces(tensor: TensorProto, left_out: Mapping[str, Constant]) -> Iterator[bytes | memoryview]:
    yield tensor.SerializeToString()
    value = left_out.get(tensor.name)
    if value is not None:
        yield _number(_RAW_DATA) + _number(value.array.nbytes)
        yield value.array.tobytes()


def _size(tensor: TensorProto, left_out: Mapping[str, Constant]) -> int:
    value = left_out.get(tensor.name)
    own: int = tensor.ByteSize()
    return own if value is None else own + len(_number(_RAW_DATA) + _number(value.array.nbytes)) + value.array.nbytes


def _number(value: int) -> bytes:
    """Return a number as protobuf has it: seven bits a byte, the lowest first."""
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)
