"""What a record looks like, by hand."""

import json
from typing import Any

from generated.neuron.TensorCopyDynamicSrcGen import TensorCopyDynamicSrcGen
from runtime.access import APIndex, NeuronAP
from runtime.affine import Affine
from runtime.bir import bir_text, read_bir
from runtime.bir.records import BirWriter
from runtime.builder import Builder
from runtime.dtypes import bf16, f32, i32
from runtime.engines import NeuronEngine
from runtime.functions import Function, Module
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
