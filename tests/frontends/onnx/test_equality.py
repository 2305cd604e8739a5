"""Two models are the same, or it is said where they differ."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from onnx import ModelProto, TensorProto

from frontends.onnx.equality import why_different
from tests.frontends.onnx.models import F16, F32, chain, constant


def changed(change: Callable[[ModelProto], object]) -> ModelProto:
    proto = chain()
    change(proto)
    return proto


@pytest.mark.parametrize(
    "change",
    [
        lambda m: setattr(m, "doc_string", ""),
        lambda m: setattr(m.graph.node[0], "domain", ""),
        lambda m: setattr(m.graph.node[0], "overload", ""),
        lambda m: setattr(m.graph.initializer[0], "data_location", TensorProto.DEFAULT),
        lambda m: m.graph.initializer[0].CopyFrom(TensorProto(name="w", data_type=F32, dims=[2], float_data=[1, 1])),
    ],
)
def test_two_ways_to_say_the_same(change: Callable[[ModelProto], object]) -> None:
    assert why_different(chain(), changed(change)) is None
    assert why_different(changed(change), chain()) is None


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda m: setattr(m.graph.node[0], "op_type", "Sub"), "graph.node[0].op_type: 'Add' and 'Sub'"),
        (lambda m: m.graph.node.add(), "graph.node: 2 and 3 elements"),
        (lambda m: m.graph.node[1].input.append(""), "graph.node[1].input: 1 and 2 elements"),
        (lambda m: setattr(m, "doc_string", "d"), "doc_string: the second has it only"),
        (lambda m: m.graph.ClearField("value_info"), "graph.value_info: the first has it only"),
        (lambda m: setattr(m.graph.initializer[0], "raw_data", b"12345678"), "graph.initializer[0].raw_data: b"),
        (lambda m: setattr(m.graph.initializer[0], "data_type", F16), "graph.initializer[0].data_type: 1 and 10"),
        (
            lambda m: m.graph.input[0].type.tensor_type.ClearField("shape"),
            "graph.input[0].type.tensor_type.shape: the first has it only",
        ),
        (
            lambda m: m.graph.input[0].type.tensor_type.shape.dim[0].ClearField("dim_value"),
            "graph.input[0].type.tensor_type.shape.dim[0].dim_value: the first has it only",
        ),
        (
            lambda m: m.graph.node[0].MergeFromString(b"\xfa\x3e\x03new"),
            "graph.node[0]: fields that the format does not know: [] and [(1007, b'new')]",
        ),
    ],
)
def test_what_differs_is_named(change: Callable[[ModelProto], object], expected: str) -> None:
    why = why_different(chain(), changed(change))
    assert why is not None and why.startswith(expected)
    assert why_different(changed(change), chain()) is not None
    assert why_different(changed(change), changed(change)) is None


def test_an_extent_of_zero_is_no_unknown_one() -> None:
    def set_zero(proto: ModelProto) -> None:
        proto.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 0

    def clear(proto: ModelProto) -> None:
        proto.graph.input[0].type.tensor_type.shape.dim[0].ClearField("dim_value")

    assert why_different(changed(set_zero), changed(clear)) is not None


def test_numbers_that_are_none_are_equal_to_themselves() -> None:
    def add(proto: ModelProto) -> None:
        proto.graph.node[0].attribute.add(name="f", type="FLOAT", f=float("nan"))

    assert why_different(changed(add), changed(add)) is None


@pytest.mark.parametrize(
    ("code", "typed", "raw"),
    [
        (TensorProto.INT32, {"int32_data": [-1, 2]}, np.array([-1, 2], "<i4")),
        (TensorProto.INT8, {"int32_data": [-1, 2]}, np.array([-1, 2], np.int8)),
        (TensorProto.UINT16, {"int32_data": [65535, 2]}, np.array([65535, 2], "<u2")),
        (TensorProto.BOOL, {"int32_data": [1, 0]}, np.array([True, False])),
        (TensorProto.FLOAT16, {"int32_data": [0x3C00, 0xBC00]}, np.array([1, -1], "<f2")),
        (TensorProto.BFLOAT16, {"int32_data": [0x3F80, 0xBF80]}, np.array([0x3F80, 0xBF80], "<u2")),
        (TensorProto.INT4, {"int32_data": [0x21]}, np.array([0x21], np.uint8)),
        (TensorProto.INT64, {"int64_data": [-(2**63), 2]}, np.array([-(2**63), 2], "<i8")),
        (TensorProto.UINT64, {"uint64_data": [2**64 - 1, 2]}, np.array([2**64 - 1, 2], "<u8")),
        (TensorProto.UINT32, {"uint64_data": [2**32 - 1, 2]}, np.array([2**32 - 1, 2], "<u4")),
        (TensorProto.DOUBLE, {"double_data": [0.1, -0.0]}, np.array([0.1, -0.0], "<f8")),
        (TensorProto.COMPLEX64, {"float_data": [1, 2, 3, 4]}, np.array([1 + 2j, 3 + 4j], "<c8")),
    ],
)
def test_elements_in_the_field_of_their_type_are_those_in_raw_data(
    code: int, typed: dict[str, list[float]], raw: np.ndarray
) -> None:
    a, b = chain(), chain()
    a.graph.initializer[0].CopyFrom(TensorProto(name="w", data_type=code, dims=[2], **typed))  # type: ignore[arg-type]
    b.graph.initializer[0].CopyFrom(TensorProto(name="w", data_type=code, dims=[2], raw_data=raw.tobytes()))
    assert why_different(a, b) is None


def test_text_is_compared() -> None:
    a, b = chain(), chain()
    a.graph.initializer[0].CopyFrom(constant("w", np.array(["a", "b"], object)))
    b.graph.initializer[0].CopyFrom(constant("w", np.array(["a", "c"], object)))
    assert why_different(a, b) == "graph.initializer[0].string_data[1]: b'b' and b'c'"
