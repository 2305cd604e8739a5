"""A program with every part that a BIR file may have, and what spoils one."""

from typing import Any

from hypothesis import strategies as st

from runtime.access import APIndex, NeuronAP
from runtime.affine import Affine
from runtime.bir import bir_text
from runtime.builder import Builder
from runtime.builtin import Opaque, Return, Yield
from runtime.constants import Constant
from runtime.dtypes import bf16, bool_, f32, i32
from runtime.engines import NeuronEngine
from runtime.functions import Function, Module
from runtime.generic import AttributeReference, EmptyList, Encoded, Initializer, OnnxNode, Region
from runtime.lazy_tensors import StoredTensor
from runtime.types import Type
from runtime.values import Value
from tests.runtime.sample_instructions import (
    SAMPLES,
    SampleActivation,
    SampleConstant,
    SampleGather,
    SampleIf,
    SampleStore,
)

junk = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3)
    | st.sampled_from(
        ["%a", "%x", "none", "f32", "f32[2]", "load", "gelu", "op", "loop", "%i", "%12", "AAA=", -1, 2**70]
    ),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["tensor", "op", "loop", "region", "bytes"]), inner),
    max_leaves=4,
)


def everything() -> str:
    """A program with every part that a file may have."""
    builder = Builder(Module("trn2").add_function(Function("main")))
    argument = builder.function.body.add_argument(Type.tensor(f32, (4, 8)), "a")
    condition = builder.function.body.add_argument(Type.tensor(bool_, ()))
    addrs = builder.function.body.add_argument(Type.tensor(i32, (2,)))
    x = builder.tensor("x", f32, (128, 512), "sbuf", isInput=True)
    x.init = Constant.of([1.0, 2.0], bf16)
    with builder.loop("i", 4, step=2) as axis:
        access = NeuronAP(x, ((512, 4), (1, 8)), Affine.of(axis) * 8, reinterpret=bf16, indices=(None, APIndex("k")))
        builder.insert(SampleStore(argument, dst=access, loc="model.py:1"))
    gathered = SampleGather(argument, 0, addrs, [APIndex("k")], engine=NeuronEngine.DMA)
    builder.insert(gathered, "h").rounding = "user"
    builder.insert(SampleActivation(gathered, "gelu", NeuronAP(x), 2.0), "h")
    builder.insert(Opaque("o", [gathered], {"k": [1.5, "w"]}, result_types=[Type.unknown()] * 2))
    constant = builder.insert(SampleConstant(Constant.of([1.0, 2.0], bf16), f32, Type.unknown(), (1, "N"), (1, 2)))
    branch = builder.insert(SampleIf(condition, result_types=[constant.type]))
    for block in branch.blocks:
        block.add_argument(Type.tensor(f32, ()))
        with builder.at(block):
            builder.insert(Yield([constant]))
    _insert_generic(builder, constant)
    builder.insert(Return([branch]))
    module = builder.function.module
    assert module is not None
    module.carried = b"model"
    return bir_text(module)


def _insert_generic(builder: Builder, value: Value) -> None:
    builder.function.operator_sets = {"ai.onnx": 17}
    builder.function.body.carried = b"graph"
    builder.function.args[0].default = Constant.of([[1.0] * 8] * 4, f32)
    tensor = StoredTensor((2,), Constant.of([1.0, 2.0], f32), b"w")
    weight = builder.insert(Initializer(tensor), "12")
    attributes = {
        "numbers": (1, 2.5, float("inf")),
        "text": ("a", b"\xff"),
        "to": f32,
        "type": Type.unknown(),
        "tensors": (tensor, StoredTensor((2,), None, b"text")),
        "body": Region(0),
        "others": (Region(1),),
        "alpha": AttributeReference("slope", "float"),
        "none": EmptyList("int"),
        "odd": Encoded(b"o"),
    }
    node = OnnxNode("Op", [weight, None, value], attributes, result_types=[Type.unknown()] * 2, absent=[0], n_regions=2)
    builder.insert(node).carried = b"node"
    for block in node.blocks:
        block.carried = b"graph"
        block.add_argument(Type.tensor(f32, ()), "r").default = Constant.of(1.0, f32)
        with builder.at(block):
            builder.insert(Yield([weight]))


TEXT = everything()
CLASSES = {**SAMPLES, "onnx.node": OnnxNode, "onnx.initializer": Initializer}


def spoil(data: st.DataObject, found: Any) -> None:
    """Replace, remove, repeat or rename a random part."""
    holder = found
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        inner = holder[key]
        if not isinstance(inner, (dict, list)) or data.draw(st.integers(0, 3)) == 0:
            break
        holder = inner
    match data.draw(st.integers(0, 3)):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[f"{key}s"] = holder.pop(key)
        case 2 if isinstance(holder, list):
            holder.insert(key, inner)
        case _:
            holder[key] = data.draw(junk)
