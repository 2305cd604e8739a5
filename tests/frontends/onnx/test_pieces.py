"""Reading a file in pieces gives what protobuf gives, or leaves it to protobuf."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import ModelProto

from frontends.onnx import load, save, to_proto
from frontends.onnx.piecewise import read_pieces, size_of, write_pieces
from frontends.onnx.protobuf import DecodeError
from frontends.onnx.write_model import proto_of_module
from tests.frontends.onnx.models import constant, model, node, value
from tests.frontends.onnx.test_hostile_files import rich_model

GRAPH, INITIALIZER = 7 << 3 | 2, 5 << 3 | 2  # onnx.proto: ModelProto.graph, GraphProto.initializer


def read(data: bytes) -> ModelProto | None:
    return read_pieces(BytesIO(data), len(data))


def plain() -> ModelProto:
    weights = [constant(name, np.arange(6, dtype=np.float32).reshape(2, 3)) for name in ("u", "v")]
    proto = model([node("Add", ["u", "v"], ["y"])], [value("x")], [value("y", shape=[2, 3])], weights)
    proto.metadata_props.add(key="k", value="v")
    return proto


@pytest.mark.parametrize("large", [1, 40, 1 << 20])
@pytest.mark.parametrize("proto", [plain(), rich_model()], ids=["plain", "rich"])
def test_a_model_is_read_as_protobuf_reads_it(proto: ModelProto, large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frontends.onnx.piecewise.LARGE", large)
    assert read(proto.SerializeToString()) == proto


@pytest.mark.parametrize("large", [1, 40, 1 << 20])
def test_a_model_is_written_as_protobuf_reads_it(large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frontends.onnx.piecewise.LARGE", large)
    module, left_out, file = load(rich_model()), dict[str, Any](), BytesIO()
    proto = proto_of_module(module, left_out)
    limit = size_of(proto, left_out)
    write_pieces(file, proto, left_out)
    assert ModelProto.FromString(file.getvalue()) == to_proto(module) and len(file.getvalue()) <= limit
    assert len(left_out) > 0 or large > 1


def test_numbers_that_are_longer_than_they_need_to_be() -> None:
    """A length in six bytes, which protobuf does not take, is left to it."""
    data = bytearray(plain().SerializeToString())
    assert data[:2] == bytes([1 << 3, 8])  # ir_version
    assert read(bytes([14 << 3 | 2, 128, 128, 128, 128, 128, 0]) + bytes(data)) is None


def test_fields_that_are_not_known_stay() -> None:
    data = plain().SerializeToString()
    unknown = bytes([99 << 3 & 127 | 128, 99 >> 4, 5]) + bytes([(98 << 3 | 5) & 127 | 128, 98 >> 4, 1, 2, 3, 4])
    found = read(data + unknown)
    assert found is not None and found.SerializeToString() == ModelProto.FromString(data + unknown).SerializeToString()


def test_fields_may_come_in_any_order() -> None:
    """A graph whose tensors stand in front of and behind its other fields, behind what follows it as a rule."""
    proto = plain()
    tensors = [one.SerializeToString() for one in proto.graph.initializer]
    del proto.graph.initializer[:]
    graph = b"".join(
        [bytes([INITIALIZER, len(tensors[0])]), tensors[0], proto.graph.SerializeToString()]
        + [bytes([INITIALIZER, len(tensors[1])]), tensors[1]]
    )
    proto.ClearField("graph")
    data = proto.SerializeToString() + bytes([GRAPH, len(graph) & 127 | 128, len(graph) >> 7]) + graph
    assert read(data) == ModelProto.FromString(data) == plain()


def test_what_protobuf_merges_is_left_to_it() -> None:
    data = plain().SerializeToString()
    assert read(data + data) is None and len(ModelProto.FromString(data + data).graph.initializer) == 4


def test_many_small_fields_are_left_to_protobuf() -> None:
    proto = plain()
    for at in range(1_200):
        proto.graph.value_info.add(name=f"v{at}")
    assert read(proto.SerializeToString()) is None


@given(st.data())
def test_damaged_files_are_read_as_protobuf_reads_them(data: st.DataObject) -> None:
    """Cut off, or with a byte changed: the same model, no model, or left to protobuf; never another model."""
    whole = plain().SerializeToString()
    damaged = bytearray(whole[: data.draw(st.integers(0, len(whole)))])
    if damaged and data.draw(st.booleans()):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    try:
        expected: ModelProto | None = ModelProto.FromString(bytes(damaged))
    except DecodeError:
        expected = None
    try:
        found = read(bytes(damaged))
    except DecodeError:
        assert expected is None
        return
    assert found is None or found.SerializeToString() == (expected and expected.SerializeToString())


def test_a_large_file_is_read_and_written_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proto = plain()
    proto.graph.initializer.append(constant("large", np.arange(5 << 20, dtype=np.float32)))
    onnx.save(proto, tmp_path / "m.onnx")
    monkeypatch.setattr(Path, "read_bytes", None)  # all of it at once
    module = load(tmp_path / "m.onnx")
    save(module, tmp_path / "out.onnx")
    monkeypatch.undo()
    assert to_proto(module) == onnx.load(tmp_path / "out.onnx") == proto
