"""Random programs over the sample instructions, and random instructions of any class, made from its `INFO` alone.

Each strategy is made once, here or by a cached function: making one anew for each draw takes longer than drawing.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

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
Thing = TypeVar("Thing")

_booleans = st.booleans()
_up_to_2, _up_to_3, _up_to_4, _up_to_8 = (st.integers(0, largest) for largest in (2, 3, 4, 8))
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
plain = _booleans | st.integers() | st.floats() | st.text(max_size=5)


_shapes_of_constants = st.sampled_from([(), (0,), (1,), (3,), (2, 3), (4, 4)])
_bits = {
    dtype: st.lists(st.integers(0, 2 ** min(dtype.bits, 63) - 1), min_size=16, max_size=16).map(
        lambda bits: np.array(bits, np.uint64)
    )
    for dtype in DTYPES
}


@st.composite
def constants(draw: Draw) -> Constant:
    """Any bits of any dtype that are elements of it."""
    dtype = draw(dtypes)
    shape, bits = draw(_shapes_of_constants), draw(_bits[dtype])
    if draw(_booleans):
        bits[:] = bits[0]
    elements = (bits % 2 if dtype.is_bool else bits)[: int(np.prod(shape))].astype(f"u{dtype.itemsize}")
    array = elements.view(dtype.numpy)
    return Constant((array.astype("f4").astype(dtype.numpy) if dtype.bits < 8 else array).reshape(shape), dtype)


_constants = constants()


@cache
def attribute_values(info: AttributeInfo) -> st.SearchStrategy[Any]:
    """Values of the kind that an attribute has; bounds are not kept, since BIR does not know them."""
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "int": st.integers(),
        "float": st.floats(),
        "bool": st.booleans(),
        "str": st.text(max_size=8),
        "dtype": dtypes,
        "shape": shapes,
        "tensor": _constants,
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


_lists_of_indices = st.lists(indices, max_size=3).map(tuple)
_engines = st.none() | st.sampled_from(NeuronEngine)
_lists_of_types = st.lists(types, max_size=3).map(lambda all: [t for t in all if t.kind.value != "none"])
# A known shape and element type, since derived fields need them.
_known_types = st.builds(Type.tensor, dtypes, st.lists(_up_to_4, max_size=2).map(tuple))


def _draw_instruction(draw: Draw, cls: type[Instruction], builder: Builder) -> Instruction:
    """An instruction of a class, over what is there already; nothing is asked but that its fields are of their kind."""
    fields: dict[str, Any] = {}
    values = _values(builder)
    for operand in cls.INFO.operands:
        fields[operand.name] = _draw_slot(draw, operand, builder, values)
    for attribute in cls.INFO.attributes:
        fields[attribute.name] = draw(attribute_values(attribute))
    for name in cls.INFO.ap_indices:
        fields[name] = draw(_lists_of_indices)
    plan = RecordPlan.of(cls)
    if plan.takes_dst and draw(_booleans):
        fields["dst"] = _draw_access(draw, builder)
    if plan.takes_engine:
        fields["engine"] = draw(_engines)
    if cls.INFO.many_results:
        fields["result_types"] = draw(_lists_of_types)
    else:
        fields["result_type"] = draw(_known_types)
    made = cls(**fields, loc=draw(locs))
    if draw(_booleans):
        made.rounding = "user"
    return made


_pairs = st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 9)), max_size=3).map(tuple)
_offsets = st.integers(-9, 9)
_factors = st.integers(-3, 3)
_dtype_or_none = st.none() | dtypes
_index_or_none = st.none() | indices


def _draw_access(draw: Draw, builder: Builder, axes: tuple[Axis, ...] = ()) -> NeuronAP:
    """An access to one of the tensors; whether it stays within is not asked."""
    tensor = _draw_one(draw, list(builder.function.tensors.values()))
    if draw(_booleans):
        return NeuronAP(tensor)
    pairs = draw(_pairs)
    terms = tuple((axis, draw(_factors)) for axis in axes)
    access = NeuronAP(tensor, pairs, Affine(draw(_offsets), terms), reinterpret=draw(_dtype_or_none))
    if draw(_booleans):
        access.indices = tuple(draw(_index_or_none) for _ in pairs)
    return access


def _draw_one(draw: Draw, things: Sequence[Thing]) -> Thing:
    return things[draw(_up_to(len(things) - 1))]


@cache
def _up_to(largest: int) -> st.SearchStrategy[int]:
    return st.integers(0, largest)


_targets = st.none() | st.sampled_from(["trn1", "trn2"])


@st.composite
def programs_of(draw: Draw, classes: tuple[type[Instruction], ...]) -> Module:
    """A program with a few instructions of the given classes."""
    module = Module(draw(_targets))
    builder = _function(draw, module, "main")
    for _ in range(draw(_up_to_3) + 1):
        inst = builder.insert(_draw_instruction(draw, _draw_one(draw, classes), builder))
        _name(draw, inst)
        for block in inst.blocks:
            if draw(_booleans):
                block.add_argument(draw(types), draw(names))
            with builder.at(block):
                builder.insert(Yield(_draw_up_to_2(draw, _values(builder))))
    builder.insert(Return(_draw_up_to_2(draw, _values(builder))))
    return module


_function_names = st.lists(st.sampled_from(["main", "f", "a b", ""]), unique=True, max_size=2)
_kinds_of_statements = st.lists(_up_to_8, max_size=4)
_trip_counts, _lowers, _steps = st.integers(0, 5), st.integers(-5, 5), st.integers(-5, 5)
_loop_names = st.sampled_from(["i", "j", "0", ""])
_lists_of_tensor_types = st.lists(tensor_types, max_size=2)
_open_attributes = st.dictionaries(st.text(max_size=3), plain | st.lists(plain, max_size=2), max_size=2)
_labels = st.text(max_size=4)
_samples = st.sampled_from([SampleActivation, SampleConstant, SampleGather, SampleMatMul])


@st.composite
def programs(draw: Draw) -> Module:
    """A program with several functions, loops, regions, and all sample instructions."""
    module = Module(draw(_targets))
    for name in draw(_function_names):
        builder = _function(draw, module, name)
        _statements(draw, builder, (), 2)
        if draw(_booleans):
            builder.insert(Return(_draw_up_to_2(draw, _values(builder))))
    return module


def _statements(draw: Draw, builder: Builder, axes: tuple[Axis, ...], depth: int) -> None:
    for what in draw(_kinds_of_statements):
        if what == 0 and depth:
            trip_count, lower, step = draw(_trip_counts), draw(_lowers), draw(_steps)
            with builder.loop(draw(_loop_names), trip_count, lower, step) as axis:
                _statements(draw, builder, (*axes, axis), depth - 1)
        elif what == 1 and depth:
            condition = _draw_one(draw, _values(builder))
            made: Instruction = SampleIf(condition, result_types=draw(_lists_of_tensor_types))
            _name(draw, builder.insert(made))
            for block in made.blocks:
                with builder.at(block):
                    _statements(draw, builder, axes, depth - 1)
                    builder.insert(Yield(_draw_up_to_2(draw, _values(builder))))
        elif what == 2:
            values = _values(builder)
            operands = [_draw_operand(draw, builder, values, axes) for _ in range(draw(_up_to_2))]
            results = [Type.unknown()] * draw(_up_to_2)
            opaque = Opaque(draw(_labels), operands, draw(_open_attributes), result_types=results)
            _name(draw, builder.insert(opaque))
        elif what == 3:
            stored, dst = _draw_one(draw, _values(builder)), _draw_access(draw, builder, axes)
            builder.insert(SampleStore(stored, dst=dst, loc=draw(locs)))
        else:
            _name(draw, builder.insert(_draw_instruction(draw, draw(_samples), builder)))


_tensor_names = st.lists(st.sampled_from(["x", "y", "7", "t t"]), unique=True, min_size=1)
_memories = st.sampled_from(sorted(TENSOR_CLASSES))
_constant_or_none = st.none() | _constants


def _function(draw: Draw, module: Module, name: str) -> Builder:
    builder = Builder(module.add_function(Function(name)))
    for at, tensor_name in enumerate(draw(_tensor_names)):
        memory = draw(_memories)
        tensor = builder.tensor(tensor_name, draw(dtypes), (128, 4)[: at + 1], memory, isInput=draw(_booleans))
        tensor.isOutput = draw(_booleans)
        tensor.init = draw(_constant_or_none)
    builder.function.body.add_argument(Type.tensor(f32, (4, 4)), draw(names))
    builder.function.body.add_argument(Type.tensor(bool_, ()), draw(names))
    builder.function.body.add_argument(Type.tensor(i32, (2,)), draw(names))
    return builder


def _name(draw: Draw, inst: Instruction) -> None:
    for result in inst.results:
        result.name = draw(names)


def _values(builder: Builder) -> list[Value]:
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
            return found
        block, inside = owner.parent, owner


def _draw_up_to_2(draw: Draw, values: Sequence[Value]) -> list[Value]:
    return [_draw_one(draw, values) for _ in range(draw(_up_to_2))]


def _draw_operand(draw: Draw, builder: Builder, values: Sequence[Value], axes: tuple[Axis, ...] = ()) -> Operand:
    return _draw_access(draw, builder, axes) if draw(_booleans) else _draw_one(draw, values)


def _draw_slot(draw: Draw, info: OperandInfo, builder: Builder, values: Sequence[Value]) -> Any:
    if info.variadic:
        return tuple(_draw_operand(draw, builder, values) for _ in range(draw(_up_to_3)))
    return None if info.optional and draw(_booleans) else _draw_operand(draw, builder, values)
