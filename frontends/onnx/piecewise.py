"""Reading and writing a model in pieces, so that its large tensors are in memory once, but for the one on its way.

    ModelProto { ... graph { ... initializer { dims data_type name } initializer { ... } } }

The model is one protobuf message as ever. When it is read, each initializer is a message by itself; when it is written,
what is large is left out of the proto, its bytes are counted, and written where they belong.

Deliberately absent: leaving tensors of attributes and of regions out, which are small as a rule. Files that consist of
many small fields, or that libraries do not write, are read as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Final, TypeGuard

from onnx import GraphProto, ModelProto, TensorProto

from frontends.onnx.tensors import OnnxTensor
from runtime.constants import Constant
from runtime.lazy_tensors import LazyTensor

LeftOut = dict[str, Constant | OnnxTensor]
"""Tensors that are not in the proto of a model, by name."""
LARGE: Final = 1 << 20
"""Bytes of a tensor that is left out of the proto."""
_LONGEST_NUMBER: Final = 10  # bytes
_LONGEST_KEY: Final = 5  # bytes of the number of a field, and of a length
_LEAST: Final = 1024  # bytes that a field takes on average; of many small ones, each would take longer than its parsing
_FIXED: Final = {1: 8, 5: 4}  # bytes of a field by its wire type
_BYTES: Final = 2  # the wire type of what has a length

_GRAPH, _NODE, _INITIALIZER, _RAW_DATA = (
    message.DESCRIPTOR.fields_by_name[field].number << 3 | _BYTES
    for message, field in (
        (ModelProto, "graph"),
        (GraphProto, "node"),
        (GraphProto, "initializer"),
        (TensorProto, "raw_data"),
    )
)


def read_pieces(file: IO[bytes], size: int) -> ModelProto | None:
    """Return the model that a file of this size holds; None where it must be read as a whole, if it is one.

    Raises: DecodeError where a part of it is no message.
    """
    model, rest, graphs = ModelProto(), bytearray(), 0
    for key, start, end in _fields(file, 0, size):
        if key == _GRAPH:
            graphs += 1
            if graphs > 1:
                return None
            if not _read_graph(file, start, end, model.graph):
                return None
        elif key is None:
            return None
        else:
            rest += _field(file, key, start, end)
    model.MergeFromString(bytes(rest))
    return model


def _read_graph(file: IO[bytes], start: int, end: int, graph: GraphProto) -> bool:
    """Read a graph, and return whether it could be read in pieces."""
    rest = bytearray()
    for key, first, last in _fields(file, start, end):
        if key is None:
            return False
        if key == _INITIALIZER:
            graph.initializer.add().MergeFromString(_read(file, first, last))
        elif key == _NODE and last - first >= LARGE:  # a constant; nodes stay in order
            graph.MergeFromString(bytes(rest))
            rest.clear()
            graph.node.add().MergeFromString(_read(file, first, last))
        else:
            rest += _field(file, key, first, last)
    graph.MergeFromString(bytes(rest))
    return True


def _fields(file: IO[bytes], start: int, end: int) -> Iterator[tuple[int | None, int, int]]:
    """Yield the key of each field of a message with where its contents start and end; None for what has no such place.

    The contents of a number are the number itself.
    """
    at, left = start, (end - start) // _LEAST + 1000
    while at < end:
        left -= 1
        file.seek(at)
        head = file.read(min(2 * _LONGEST_NUMBER, end - at))
        key, used = _number_in(head, 0, _LONGEST_KEY)
        wire = None if key is None else key & 7
        if wire == _BYTES:
            length, used = _number_in(head, used, _LONGEST_KEY)
            first, last = at + used, None if length is None else at + used + length
        elif wire == 0:
            number, after = _number_in(head, used, _LONGEST_NUMBER)
            first, last = at + used, None if number is None else at + after
        else:
            first, last = at + used, at + used + _FIXED[wire] if wire in _FIXED else None
        if key is None or last is None or last > end or left < 0:
            yield None, at, end
            return
        yield key, first, last
        at = last


def _number_in(head: bytes, at: int, longest: int) -> tuple[int | None, int]:
    """Return the number that stands at a place, and the place behind it; None where none of that length does."""
    value = 0
    for index, byte in enumerate(head[at : at + longest]):
        value |= (byte & 127) << 7 * index
        if byte < 128:
            return value, at + index + 1
    return None, at


def _field(file: IO[bytes], key: int, start: int, end: int) -> bytes:
    """Return a field as it stands in a message, from where its contents start to where they end."""
    return _number(key) + (_number(end - start) if key & 7 == _BYTES else b"") + _read(file, start, end)


def _read(file: IO[bytes], start: int, end: int) -> bytes:
    file.seek(start)
    return file.read(end - start)


def is_left_out(value: LazyTensor | Constant, name: str) -> TypeGuard[OnnxTensor | Constant]:
    """Whether a tensor of a name is one that is written from where it is."""
    if isinstance(value, OnnxTensor):
        return value.proto.name == name and value.place is None and value.proto.ByteSize() >= LARGE
    return isinstance(value, Constant) and value.dtype.bits >= 8 and value.array.nbytes >= LARGE


def fill(model: ModelProto, left_out: LeftOut) -> None:
    """Put what is left out into the proto, for whoever needs all of it."""
    for tensor in model.graph.initializer:
        value = left_out.get(tensor.name)
        if isinstance(value, OnnxTensor):
            tensor.CopyFrom(value.proto)
        elif value is not None:
            tensor.raw_data = value.array.tobytes()


def size_of(model: ModelProto, left_out: LeftOut) -> int:
    """Return how many bytes a model takes at most with what is left out of it."""
    return int(model.ByteSize()) + sum(
        _size(tensor, left_out[tensor.name]) + 2 * _LONGEST_KEY
        for tensor in model.graph.initializer
        if tensor.name in left_out
    )


def write_pieces(file: IO[bytes], model: ModelProto, left_out: LeftOut) -> None:
    """Write a model with what is left out of it, and take its graph apart on the way."""
    nodes, tensors = [*model.graph.node], [*model.graph.initializer]
    del model.graph.node[:], model.graph.initializer[:]
    graph = model.graph.SerializeToString()
    node_sizes = [node.ByteSize() for node in nodes]
    sizes = [_size(tensor, left_out.get(tensor.name)) for tensor in tensors]
    keyed = [(_NODE, size) for size in node_sizes] + [(_INITIALIZER, size) for size in sizes]
    total = len(graph) + sum(len(_number(key) + _number(size)) + size for key, size in keyed)
    model.ClearField("graph")
    file.write(model.SerializeToString())
    file.write(_number(_GRAPH) + _number(total) + graph)
    for node, size in zip(nodes, node_sizes, strict=True):
        file.write(_number(_NODE) + _number(size))
        file.write(node.SerializeToString())
    for tensor, size in zip(tensors, sizes, strict=True):
        file.write(_number(_INITIALIZER) + _number(size))
        for piece in _pieces(tensor, left_out.get(tensor.name)):
            file.write(piece)


def _pieces(tensor: TensorProto, value: Constant | OnnxTensor | None) -> Iterator[bytes]:
    yield value.proto.SerializeToString() if isinstance(value, OnnxTensor) else tensor.SerializeToString()
    if isinstance(value, Constant):
        yield _number(_RAW_DATA) + _number(value.array.nbytes)
        yield value.array.tobytes()


def _size(tensor: TensorProto, value: Constant | OnnxTensor | None) -> int:
    own: int = (value.proto if isinstance(value, OnnxTensor) else tensor).ByteSize()
    if not isinstance(value, Constant):
        return own
    return own + len(_number(_RAW_DATA) + _number(value.array.nbytes)) + value.array.nbytes


def _number(value: int) -> bytes:
    """Return a number as protobuf has it: seven bits a byte, the lowest first."""
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)
