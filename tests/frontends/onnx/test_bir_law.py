"""Models through BIR: what comes back is written as the model that the original is written as. No exceptions."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from onnx import AttributeProto, GraphProto, ModelProto, TensorProto, external_data_helper, helper, numpy_helper

import runtime
from frontends.onnx import BrokenModelError, ExportError, ExternalDataError, load, save, to_proto
from frontends.onnx.equality import why_different
from frontends.onnx.evaluate import evaluator
from runtime.bir import bir_text, read_bir, write_bir
from runtime.constants import Constant
from runtime.dtypes import f32, tf32
from runtime.functions import Module
from runtime.generic import EmptyList
from runtime.instruction_set import standard
from runtime.lazy_tensors import StoredTensor
from runtime.types import Type
from tests.frontends.onnx.models import (
    F32,
    chain,
    check_uses,
    constant,
    graph,
    initializers_of,
    model,
    node,
    nodes_of,
    value,
)
from tests.frontends.onnx.node_cases import cases
from tests.frontends.onnx.test_corpus import FILES
from tests.frontends.onnx.test_lossless import random_graphs
from tests.tree import ROOT


def through_bir(module: Module) -> Module:
    """Return what reads back; it is written again as the same text."""
    text = bir_text(module)
    again = read_bir(text, standard())
    assert bir_text(again) == text
    check_uses(again)
    return again


def why_lost(proto: ModelProto) -> str | None:
    module = load(proto)
    again = through_bir(module)
    named = [[result.name for result in inst.results] for inst in module.insts]
    if named != [[result.name for result in inst.results] for inst in again.insts]:
        return "names"
    return why_different(to_proto(module), to_proto(again))


def lost(models: Iterable[tuple[str, ModelProto]]) -> dict[str, str]:
    return {name: why for name, proto in models if (why := why_lost(proto))}


def corpus() -> list[tuple[str, ModelProto]]:
    """The model files in the installed onnx, and the models of its node tests."""
    files = [(str(path), onnx.load(path, load_external_data=False)) for path in FILES]
    return files + [(case.name, case.model) for case in cases()]


def test_some_models_come_back() -> None:
    chosen = corpus()[::17]
    assert len(chosen) >= 100
    assert lost(chosen) == {}


@pytest.mark.long
def test_all_models_come_back() -> None:
    chosen = corpus()
    assert len(chosen) >= 2000
    assert lost(chosen) == {}


@given(random_graphs())
@settings(max_examples=40)
def test_models_at_random_come_back(proto: GraphProto) -> None:
    assert why_lost(helper.make_model(proto, opset_imports=[helper.make_opsetid("", 17)])) is None


def test_names_of_digits_are_names() -> None:
    proto = model([node("Relu", ["12"], ["13"]), node("Neg", ["13"], ["0"])], [value("12")], [value("0")])
    assert why_lost(proto) is None
    assert [one.name for one in nodes_of(through_bir(load(proto)))] == ["13", "0"]


def test_what_came_from_a_model_is_read_and_judged_without_onnx(tmp_path: Path) -> None:
    path = tmp_path / "model.bir"
    write_bir(load(chain()), path)
    program = (
        "import sys; sys.modules.update(onnx=None)\n"
        "import pathlib, runtime, runtime.bir, runtime.instruction_set as table\n"
        "path = pathlib.Path(sys.argv[1])\n"
        "module = runtime.read_bir(path, table.standard())\n"
        "assert runtime.verify(module) == [] and runtime.bir.bir_text(module) == path.read_text()"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], cwd=ROOT, check=True, timeout=60)


# Tensors: each kind of elements, and what stands beside them.


def odd_tensors() -> list[TensorProto]:
    """Tensors of which the IR has no elements, or not each bit."""
    text = TensorProto(name="text", data_type=TensorProto.STRING, dims=[2], string_data=[b"a", b"\xff"])
    complex_ = constant("complex", np.array([1 + 2j], np.complex64))
    finite = TensorProto(name="finite", data_type=TensorProto.FLOAT8E4M3FNUZ, dims=[2], raw_data=b"\x01\x80")
    flags = TensorProto(name="flags", data_type=TensorProto.BOOL, dims=[3], raw_data=b"\x00\x01\x07")
    nibbles = TensorProto(name="nibbles", data_type=TensorProto.INT4, dims=[3], raw_data=b"\x21\xf8")
    return [text, complex_, finite, flags, nibbles]


def tensors() -> list[TensorProto]:
    documented = constant("documented", np.ones(2, np.float32))
    documented.doc_string = "doc"
    documented.metadata_props.add(key="k", value="v")
    documented.segment.begin = 1
    typed = TensorProto(name="typed", data_type=TensorProto.FLOAT16, dims=[3], int32_data=[1, 2, 0x7E01])
    signed = TensorProto(name="signed", data_type=TensorProto.INT4, dims=[3], raw_data=b"\xf1\x08")
    unknown = TensorProto()
    unknown.ParseFromString(constant("unknown", np.float32(1)).SerializeToString() + b"\xba\x3e\x01!")
    nothing = constant("", np.zeros((0, 2), np.int64))
    flag = constant("flag", np.bool_(True))
    return [documented, typed, signed, unknown, nothing, flag, *odd_tensors()]


@pytest.mark.parametrize("tensor", tensors(), ids=lambda tensor: tensor.name)
def test_a_tensor_comes_back_from_an_attribute_an_initializer_and_a_default(tensor: TensorProto) -> None:
    sparse = helper.make_sparse_tensor(constant("v", np.ones(1, np.float32)), constant("i", np.zeros(1, np.int64)), [4])
    attributes = {"t": tensor, "several": [tensor, constant("c", np.ones(2, np.float32))], "s": sparse, "ss": [sparse]}
    operands = [tensor.name, "v", "given"] if tensor.name else ["v"]
    given_tensor = TensorProto()
    given_tensor.CopyFrom(tensor)
    given_tensor.name = "given"
    kept = [tensor, given_tensor] if tensor.name else []
    proto = model(
        [node("Op", operands, ["y"], domain="d", **attributes)],
        [value("given", tensor.data_type, tensor.dims)] if tensor.name else [],
        [value("y")],
        kept,
        domains=["d"],
    )
    proto.graph.sparse_initializer.append(sparse)
    onnx.checker.check_model(proto)
    assert why_lost(proto) is None
    for mine, theirs in zip(_arrays(load(proto)), _arrays(through_bir(load(proto))), strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)


def _arrays(module: Module) -> list[Any]:
    """The elements of all initializers that the IR has a type for."""
    return [inst.value.array for inst in initializers_of(module) if inst.value.dtype is not None]


def test_a_default_of_an_argument_of_a_region_comes_back() -> None:
    inner = graph([node("Relu", ["r"], ["s"])], [value("r")], [value("s")], [constant("r", np.ones(2, np.float32))])
    proto = model([node("Op", [], ["y"], domain="d", body=inner)], [], [value("y")], domains=["d"])
    assert why_lost(proto) is None


def test_elements_that_only_the_front_end_reads_can_be_computed_with() -> None:
    text = TensorProto(name="text", data_type=TensorProto.STRING, dims=[2], string_data=[b"b", b"a"])
    nodes = [node("Constant", [], ["k"], value=text), node("StringConcat", ["text", "k"], ["y"])]
    module = through_bir(load(model(nodes, [], [value("y", TensorProto.STRING)], [text], opset=20)))
    (held,) = initializers_of(module)
    with pytest.raises(ValueError, match="only by the front end that it came from"):
        _ = held.value.array
    (result,) = runtime.run(module, {}, evaluator=evaluator(module)).values()
    assert result.tolist() == ["bb", "aa"]


# Data beside a model.


def external_model(folder: Path) -> Path:
    """Write a model with its weights beside it."""
    weights = [constant("w", np.arange(2, dtype=np.float32)), constant("v", np.arange(3, dtype=np.int64))]
    complex_ = constant("z", np.array([1 + 2j], np.complex64))
    operator = node("Op", ["w", "v", "z"], ["y"], domain="d")
    proto = model([operator], [], [value("y")], [*weights, complex_], domains=["d"])
    external_data_helper.convert_model_to_external_data(proto, location="data", size_threshold=0)
    path = folder / "model.onnx"
    onnx.save(proto, path)
    return path


def test_data_from_beside_a_model_is_in_the_file_and_in_the_model_afterwards(tmp_path: Path) -> None:
    path = external_model(tmp_path)
    module = through_bir(load(path))
    inner = tmp_path / "elsewhere"
    inner.mkdir()
    save(module, inner / "model.onnx")
    assert [each.name for each in inner.iterdir()] == ["model.onnx"]
    expected = onnx.load(path)  # with its data
    for tensor in expected.graph.initializer:
        del tensor.external_data[:]
        tensor.ClearField("data_location")
    assert why_different(expected, onnx.load(inner / "model.onnx")) is None


def test_data_that_is_not_there_is_an_error_and_no_half_a_file(tmp_path: Path) -> None:
    module = load(external_model(tmp_path))
    (tmp_path / "data").unlink()
    with pytest.raises(ExternalDataError, match='tensor "w".*"data"'):
        bir_text(module)


def test_a_tensor_with_too_few_bytes_is_an_error() -> None:
    broken = TensorProto(name="w", data_type=F32, dims=[3], raw_data=b"1234")
    with pytest.raises(BrokenModelError, match='tensor "w" of shape .3. holds 4 bytes, not 12'):
        bir_text(load(model([node("Relu", ["w"], ["y"])], [], [value("y")], [broken])))


# What is carried is a stranger's bytes when it comes from a file.


def with_weight(shape: tuple[int, ...], contents: Constant | None, carried: bytes) -> Module:
    module = load(chain())
    (weight,) = initializers_of(module)
    weight.value = StoredTensor(shape, contents, carried)
    return module


ONES = Constant.of([1.0, 1.0], f32)
OTHER_TYPE = AttributeProto(t=constant("w", np.ones(2, np.float16))).SerializeToString()
OTHER_SHAPE = AttributeProto(t=constant("w", np.ones(3, np.float32))).SerializeToString()


@pytest.mark.parametrize(
    ("contents", "carried", "why"),
    [
        (ONES, b"\xff", "carries is no tensor of a model"),
        (ONES, OTHER_TYPE, "carries one of the element type 10"),
        (ONES, OTHER_SHAPE, r"carries one of the element type 1 and of shape \[3\]"),
        (None, b"", "@main: .* holds elements of None|carries one of the element type 0"),
    ],
)
def test_carried_bytes_that_are_no_tensor(contents: Constant | None, carried: bytes, why: str) -> None:
    with pytest.raises(ExportError, match=why):
        to_proto(with_weight((2,), contents, carried))


def test_a_type_that_onnx_does_not_have() -> None:
    contents = Constant.of([1.0, 1.0], tf32)
    with pytest.raises(ExportError, match="ONNX has no element type tf32"):
        to_proto(with_weight((2,), contents, b""))


def test_a_kind_of_empty_list_that_onnx_does_not_have() -> None:
    module = load(chain())
    nodes_of(module)[0].attributes["axes"] = EmptyList("map")
    with pytest.raises(ExportError, match='attribute "axes" is an empty list of the unknown kind "map"'):
        to_proto(through_bir(module))


def test_a_tensor_without_anything_beside_it_is_written() -> None:
    proto = to_proto(with_weight((2,), ONES, b""))
    assert numpy_helper.to_array(proto.graph.initializer[0]).tolist() == [1, 1]
    assert proto.graph.initializer[0].name == "w"


# Memory.


def test_one_tensor_at_a_time_is_in_memory(tmp_path: Path) -> None:
    size = 4 << 20
    weights = [constant(f"w{at}", np.arange(at, at + size // 4, dtype=np.int32)) for at in range(6)]
    weights[5].name = "x"  # an argument with a default
    operator = node("Op", [weight.name for weight in weights], ["y"], domain="d", w=weights[0])
    module = load(model([operator], [value("x", F32, None)], [value("y")], weights, domains=["d"]))
    module.root_function.args[0].type = Type.unknown()
    tracemalloc.start()
    write_bir(module, tmp_path / "model.bir")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (tmp_path / "model.bir").stat().st_size > 7 * size * 4 / 3
    assert peak < 2 * size  # one tensor, and pieces of its text
