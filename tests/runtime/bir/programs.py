"""Random programs over the sample instructions, and random instructions of any class, made from its `INFO` alone."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from runtime.access import APIndex, NeuronAP
from runtime.affine import Affine, Axis
from runtime.bir.plans import RecordPlan
from runtime.builder import Builder
from runtime.builtin import Opaque, Return, Yield
from runtime.constants import Constant
from runtime.dtypes import DTYPES, bool_, f32, i32
from runtime.engines import NeuronEngine
from runtime.functions import Function, Module
from runtime.info import AttributeInfo, OperandInfo
from runtime.instructions import Instruction
from runtime.tensors import TENSOR_CLASSES
from runtime.types import Type
from runtime.values import Operand, Value
from tests.runtime.sample_instructions import (
    SampleActivation,
    SampleConstant,
    SampleGather,
    SampleIf,
    SampleMatMul,
    SampleStore,
)

Draw = Callable[[st.SearchStrategy[Any]], Any]

dtypes = st.sampled_from(DTYPES)
names = st.none() | st.sampled_from(["h", "x", "%", "0", "12", "", "h_1", "a b", "é"]) | st.text(max_size=3)
locs = st.none() | st.text(max_size=8)
dims = st.integers(0, 9) | st.none() | st.sampled_from(["N", "M"]) | st.text(max_size=3)
shapes = st.lists(dims, max_size=3).map(tuple)
tensor_types = st.builds(Type.tensor, st.none() | dtypes, st.none() | shapes)
types = st.recursive(
    tensor_types | st.sampled_from([Type.none(), Type.unknown()]),
    lambda inner: inner.map(Type.sequence) | inner.map(Type.optional),
    max_leaves=3,
)
indices = st.builds(APIndex, st.text(max_size=3))
plain = st.booleans() | st.integers() | st.floats() | st.text(max_size=5)


@st.composite
def constants(draw: Draw) -> Constant:
    """Any bits of any dtype that are elements of it."""
    dtype = draw(dtypes)
    shape = draw(st.sampled_from([(), (0,), (1,), (3,), (2, 3), (4, 4)]))
    bits = np.array(draw(st.lists(st.integers(0, 2 ** min(dtype.bits, 63) - 1), min_size=16, max_size=16)), np.uint64)
    if draw(st.booleans()):
        bits[:] = bits[0]
    elements = (bits % 2 if dtype.is_bool else bits)[: int(np.prod(shape))].astype(f"u{dtype.itemsize}")
    array = elements.view(dtype.numpy)
    return Constant((array.astype("f4").astype(dtype.numpy) if dtype.bits < 8 else array).reshape(shape), dtype)


def attribute_values(info: AttributeInfo) -> st.SearchStrategy[Any]:
    """Values of the kind that an attribute has; bounds are not kept, since BIR does not know them."""
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "int": st.integers(),
        "float": st.floats(),
        "bool": st.booleans(),
        "str": st.text(max_size=8),
        "dtype": dtypes,
        "shape": shapes,
        "tensor": constants(),
        "type": types,
        "enum": st.sampled_from(info.one_of or ("word",)),
    }
    inner = info.type.removeprefix("list[").removesuffix("]")
    values = kinds[inner]
    if inner != info.type:
        values = st.lists(values, max_size=3).map(tuple)
    if not info.required and info.default is not None and inner != "dtype":
        values |= st.just(info.default)
    return values | st.none() if info.optional else values


@st.composite
def instructions(draw: Draw, cls: type[Instruction], builder: Builder) -> Instruction:
    """An instruction of a class, over what is there already; nothing is asked but that its fields are of their kind."""
    fields: dict[str, Any] = {}
    for operand in cls.INFO.operands:
        fields[operand.name] = draw(_slot_contents(operand, builder))
    for attribute in cls.INFO.attributes:
        fields[attribute.name] = draw(attribute_values(attribute))
    for name in cls.INFO.ap_indices:
        fields[name] = draw(st.lists(indices, max_size=3).map(tuple))
    plan = RecordPlan.of(cls)
    if plan.takes_dst and draw(st.booleans()):
        fields["dst"] = draw(accesses(builder))
    if plan.takes_engine:
        fields["engine"] = draw(st.none() | st.sampled_from(NeuronEngine))
    # A known shape and element type, since derived fields need them.
    result = st.builds(Type.tensor, dtypes, st.lists(st.integers(0, 4), max_size=2).map(tuple))
    if cls.INFO.many_results:
        fields["result_types"] = draw(
            st.lists(types, max_size=3).map(lambda all: [t for t in all if t.kind.value != "none"])
        )
    else:
        fields["result_type"] = draw(result)
    made = cls(**fields, loc=draw(locs))
    if draw(st.booleans()):
        made.rounding = "user"
    return made


@st.composite
def accesses(draw: Draw, builder: Builder, axes: tuple[Axis, ...] = ()) -> NeuronAP:
    """An access to one of the tensors; whether it stays within is not asked."""
    tensor = draw(st.sampled_from(list(builder.function.tensors.values())))
    if draw(st.booleans()):
        return NeuronAP(tensor)
    pairs = draw(st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 9)), max_size=3).map(tuple))
    terms = tuple((axis, draw(st.integers(-3, 3))) for axis in axes)
    access = NeuronAP(tensor, pairs, Affine(draw(st.integers(-9, 9)), terms), reinterpret=draw(st.none() | dtypes))
    if draw(st.booleans()):
        access.indices = tuple(draw(st.none() | indices) for _ in pairs)
    return access


@st.composite
def programs_of(draw: Draw, classes: tuple[type[Instruction], ...]) -> Module:
    """A program with a few instructions of the given classes."""
    module = Module(draw(st.none() | st.sampled_from(["trn1", "trn2"])))
    builder = _function(draw, module, "main")
    for cls in draw(st.lists(st.sampled_from(classes), min_size=1, max_size=4)):
        inst = builder.insert(draw(instructions(cls, builder)))
        _name(draw, inst)
        for block in inst.blocks:
            if draw(st.booleans()):
                block.add_argument(draw(types), draw(names))
            with builder.at(block):
                builder.insert(Yield(draw(st.lists(_values(builder), max_size=2))))
    builder.insert(Return(draw(st.lists(_values(builder), max_size=2))))
    return module


@st.composite
def programs(draw: Draw) -> Module:
    """A program with several functions, loops, regions, and all sample instructions."""
    module = Module(draw(st.none() | st.sampled_from(["trn1", "trn2"])))
    for name in draw(st.lists(st.sampled_from(["main", "f", "a b", ""]), unique=True, max_size=2)):
        builder = _function(draw, module, name)
        _statements(draw, builder, (), 2)
        if draw(st.booleans()):
            builder.insert(Return(draw(st.lists(_values(builder), max_size=2))))
    return module


def _statements(draw: Draw, builder: Builder, axes: tuple[Axis, ...], depth: int) -> None:
    for what in draw(st.lists(st.integers(0, 8), max_size=4)):
        value, access = _values(builder), accesses(builder, axes)
        if what == 0 and depth:
            trip_count, lower, step = (draw(st.integers(low, 5)) for low in (0, -5, -5))
            with builder.loop(draw(st.sampled_from(["i", "j", "0", ""])), trip_count, lower, step) as axis:
                _statements(draw, builder, (*axes, axis), depth - 1)
        elif what == 1 and depth:
            made: Instruction = SampleIf(draw(value), result_types=draw(st.lists(tensor_types, max_size=2)))
            _name(draw, builder.insert(made))
            for block in made.blocks:
                with builder.at(block):
                    _statements(draw, builder, axes, depth - 1)
                    builder.insert(Yield(draw(st.lists(_values(builder), max_size=2))))
        elif what == 2:
            attributes = draw(st.dictionaries(st.text(max_size=3), plain | st.lists(plain, max_size=2), max_size=2))
            operands = draw(st.lists(value | access, max_size=2))
            opaque = Opaque(
                draw(st.text(max_size=4)), operands, attributes, result_types=[Type.unknown()] * draw(st.integers(0, 2))
            )
            _name(draw, builder.insert(opaque))
        elif what == 3:
            builder.insert(SampleStore(draw(value), dst=draw(access), loc=draw(locs)))
        else:
            cls = draw(st.sampled_from([SampleActivation, SampleConstant, SampleGather, SampleMatMul]))
            _name(draw, builder.insert(draw(instructions(cls, builder))))


def _function(draw: Draw, module: Module, name: str) -> Builder:
    builder = Builder(module.add_function(Function(name)))
    for at, tensor_name in enumerate(draw(st.lists(st.sampled_from(["x", "y", "7", "t t"]), unique=True, min_size=1))):
        memory = draw(st.sampled_from(sorted(TENSOR_CLASSES)))
        tensor = builder.tensor(tensor_name, draw(dtypes), (128, 4)[: at + 1], memory, isInput=draw(st.booleans()))
        tensor.isOutput = draw(st.booleans())
        tensor.init = draw(st.none() | constants())
    builder.function.body.add_argument(Type.tensor(f32, (4, 4)), draw(names))
    builder.function.body.add_argument(Type.tensor(bool_, ()), draw(names))
    builder.function.body.add_argument(Type.tensor(i32, (2,)), draw(names))
    return builder


def _name(draw: Draw, inst: Instruction) -> None:
    for result in inst.results:
        result.name = draw(names)


def _values(builder: Builder) -> st.SearchStrategy[Value]:
    """The values with a known type that may be used at the insertion point."""
    found: list[Value] = list(builder.function.args)
    block, inside = builder.block, None
    while True:
        for statement in block:
            if statement is inside:
                break
            found += [r for r in statement.results if r.type.dtype is not None and r.type.shape is not None]
        owner = block.owner
        if owner is None or isinstance(owner, Function) or owner.parent is None:
            return st.sampled_from(found)
        block, inside = owner.parent, owner


def _slot_contents(info: OperandInfo, builder: Builder) -> st.SearchStrategy[Any]:
    one: st.SearchStrategy[Operand] = _values(builder) | accesses(builder)
    if info.variadic:
        return st.lists(one, max_size=3).map(tuple)
    return one | st.none() if info.optional else one
