"""What a record looks like, by hand."""

import json
from base64 import b64encode
from typing import Any

import numpy as np
import pytest

from generated.neuron.TensorCopyDynamicSrcGen import TensorCopyDynamicSrcGen
from runtime.access import APIndex, NeuronAP
from runtime.affine import Affine
from runtime.bir import bir_text, read_bir
from runtime.bir.base64_text import PIECE
from runtime.bir.records import BirWriter
from runtime.builder import Builder
from runtime.builtin import Yield
from runtime.constants import Constant
from runtime.dtypes import bf16, f32, i32
from runtime.engines import NeuronEngine
from runtime.functions import Function, Module
from runtime.generic import EmptyList, Initializer, OnnxNode, Region
from runtime.lazy_tensors import StoredTensor
from runtime.types import Type
from tests.runtime.sample_instructions import SAMPLES, SampleActivation, SampleGather, SampleMatMul, SampleStore


def main() -> Builder:
    return Builder(Module().add_function(Function("main")))


def program(builder: Builder) -> Any:
    module = builder.function.module
    assert module is not None
    return json.loads(bir_text(module))


def body(builder: Builder) -> Any:
    return program(builder)["functions"][0]["body"]


def test_a_program_without_functions() -> None:
    assert bir_text(Module("trn2")) == ('{"format": "brewer-bir", "version": 1, "target": "trn2", "functions": [\n]}\n')


def test_a_gather_has_the_fields_of_the_source_document() -> None:
    """Data operand, index operand, address indices, then dimension, scale, shape and dtype.

    Source: seed document on the TensorCopyDynamic generators, serialize.
    """
    builder = main()
    src = builder.function.body.add_argument(Type.tensor(bf16, (4, 8)), "x")
    addrs = builder.function.body.add_argument(Type.tensor(i32, (1,)), "i")
    inst = builder.insert(TensorCopyDynamicSrcGen(src, 0, 8, addrs, [APIndex("k")]))
    assert inst.serialize(BirWriter()) == {
        "op": "dynamic_copy_src",
        "version": 1,
        "results": [["%0", "bf16[4,8]"]],
        "args": ["%x", "%i"],
        "fields": {"addr_free_indices": ["k"], "generic_dim": 0, "offset_scale": 8, "shape": [4, 8], "dtype": "bf16"},
    }
    static = builder.insert(TensorCopyDynamicSrcGen(src, 0, 8))
    assert static.serialize(BirWriter())["args"] == ["%x", "none"]


def test_a_field_that_equals_its_default_is_left_out() -> None:
    builder = main()
    src = builder.function.body.add_argument(Type.tensor(f32, (4,)), "x")
    for scale in (1.0, 2.0, -0.0, float("inf")):
        builder.insert(SampleActivation(src, "gelu", scale=scale))
    assert [record["fields"] for record in body(builder)] == [
        {"kind": "gelu"},
        {"kind": "gelu", "scale": 2.0},
        {"kind": "gelu", "scale": 0.0},  # the sign is checked below: in Python 0.0 == -0.0
        {"kind": "gelu", "scale": {"float": "0x7ff0000000000000"}},
    ]
    assert str(body(builder)[2]["fields"]["scale"]) == "-0.0"


def test_an_access() -> None:
    builder = main()
    src = builder.function.body.add_argument(Type.tensor(f32, (4, 8)), "a")
    x = builder.tensor("x", f32, (128, 512), "sbuf")
    with builder.loop("i", 4, lower=1, step=2) as axis:
        access = NeuronAP(
            x, ((512, 4), (1, 8)), Affine.of(axis) * 512 + 3, indices=(None, APIndex("k")), reinterpret=f32
        )
        builder.insert(SampleStore(src, dst=access, engine=NeuronEngine.DMA, loc="m.py:3"))
    assert body(builder) == [
        {
            "loop": "%i",
            "lower": 1,
            "step": 2,
            "times": 4,
            "body": [
                {
                    "op": "store",
                    "version": 1,
                    "dst": {
                        "tensor": "%x",
                        "offset": [3, ["%i", 512]],
                        "pairs": [[512, 4], [1, 8]],
                        "indices": [None, "k"],
                        "as": "f32",
                    },
                    "args": ["%a"],
                    "engine": "dma",
                    "loc": "m.py:3",
                }
            ],
        }
    ]


def test_a_node_of_a_foreign_dialect() -> None:
    builder = main()
    body_of_main = builder.function.body
    x = body_of_main.add_argument(Type.tensor(f32, (2,)), "x")
    builder.function.operator_sets = {"ai.onnx": 17}
    body_of_main.carried = b"graph"
    x.default = Constant.of([1.0, 1.0], f32)
    contents = Constant.of([1.0, 2.0], f32)
    weight = builder.insert(Initializer(StoredTensor((2,), contents, b"w")), "12")
    attributes = {
        "axis": -1,
        "to": f32,
        "t": contents,
        "names": ("a", b"\xff"),
        "body": Region(0),
        "no": EmptyList("int"),
    }
    types = [Type.unknown(), x.type]
    node = OnnxNode("Op", [x, None, weight], attributes, result_types=types, node_name="", absent=[0], n_regions=1)
    builder.insert(node).carried = b"node"
    node.results[1].name = "y"
    with builder.at(node.blocks[0]):
        builder.insert(Yield([x]))
    function = program(builder)["functions"][0]
    assert {name: value for name, value in function.items() if name != "body"} == {
        "name": "main",
        "operator_sets": {"ai.onnx": 17},
        "carried": "Z3JhcGg=",
        "args": [["%x", "f32[2]"]],
        "defaults": [["%x", {"type": "f32[2]", "splat": "AACAPw=="}]],
        "tensors": [],
    }
    held = {"type": "f32[2]", "data": "AACAPwAAAEA="}
    assert function["body"] == [
        {
            "op": "onnx.initializer",
            "version": 1,
            "results": [["%0", "f32[2]", "12"]],
            "fields": {"value": {**held, "carried": "dw=="}},
        },
        {
            "op": "onnx.node",
            "version": 1,
            "results": [["%1", "unknown"], ["%y", "f32[2]"]],
            "args": [["%x", "none", "%0"]],
            "fields": {"op_type": "Op", "absent": [0]},
            "attributes": {
                "axis": -1,
                "to": {"dtype": "f32"},
                "t": {"tensor": held},
                "names": ["a", {"bytes": "/w=="}],
                "body": {"region": 0},
                "no": {"empty": "int"},
            },
            "carried": "bm9kZQ==",
            "regions": [{"args": [], "body": [{"op": "yield", "version": 1, "args": [["%x"]]}]}],
        },
    ]
    record = node.serialize(BirWriter())  # without a file around it, a record has no pieces and no other references
    assert record["attributes"] == function["body"][1]["attributes"] and len(record["regions"]) == 1


def test_what_has_no_form_is_refused() -> None:
    builder = main()
    builder.insert(OnnxNode("Op", [], {"when": {1, 2}}))
    with pytest.raises(TypeError, match=r'the attribute "when" is \{1, 2\}, which has no form in BIR'):
        program(builder)


def test_long_contents_are_written_in_pieces_that_are_one_text() -> None:
    """Source: base64 of the standard library, over all of the bytes at once."""
    builder = main()
    data = np.arange(PIECE // 4 + 5, dtype=np.float32)
    argument = builder.function.body.add_argument(Type.tensor(f32, data.shape), "x")
    argument.default = Constant(data, f32)
    tensor = StoredTensor(data.shape, Constant(data, f32), bytes(PIECE + 1))
    builder.insert(OnnxNode("Op", [], {"a": 1, "t": tensor, "body": Region(0)}, n_regions=1))
    builder.insert(Initializer(tensor))
    function = program(builder)["functions"][0]
    expected = {"type": f"f32[{len(data)}]", "data": b64encode(data.tobytes()).decode()}
    assert function["defaults"] == [["%x", expected]]
    expected["carried"] = b64encode(bytes(PIECE + 1)).decode()
    assert function["body"][0]["attributes"] == {"a": 1, "t": {"tensor": expected}, "body": {"region": 0}}
    assert function["body"][0]["regions"] == [{"args": [], "body": []}]
    assert function["body"][1]["fields"] == {"value": expected}


def test_a_splat_of_more_elements_than_fit_the_memory() -> None:
    builder = main()
    huge = Constant(np.broadcast_to(np.float32(1), (2**20, 2**20)), f32)
    builder.insert(Initializer(huge))
    assert body(builder)[0]["fields"] == {"value": {"type": "f32[1048576,1048576]", "splat": "AACAPw=="}}


def test_names_that_nobody_gave_do_not_stick_and_names_given_twice_do() -> None:
    builder = main()
    a = builder.function.body.add_argument(Type.tensor(f32, (4, 4)), "h")
    first = builder.insert(SampleMatMul(a, a))
    builder.insert(SampleMatMul(first, a), "h")
    assert [record["results"] for record in body(builder)] == [[["%0", "f32[4,4]"]], [["%1", "f32[4,4]", "h"]]]
    module = builder.function.module
    assert module is not None
    assert [inst.name for inst in read_bir(bir_text(module), SAMPLES).insts] == [None, "h"]


def test_fields_of_an_older_version_are_read_under_their_new_name() -> None:
    """The sample's version 2 renamed `dim` to `generic_dim`."""
    builder = main()
    builder.insert(SampleGather(builder.function.body.add_argument(Type.tensor(f32, (4, 8)), "x"), 1))
    found = program(builder)
    record = found["functions"][0]["body"][0]
    record["version"] = 1
    record["fields"]["dim"] = record["fields"].pop("generic_dim")
    (inst,) = read_bir(json.dumps(found), SAMPLES).insts
    assert isinstance(inst, SampleGather) and inst.generic_dim == 1
