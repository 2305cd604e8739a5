"""Random programs over any table of instruction classes, drawn from what each class says of itself.

The programs are well formed (values are defined before their uses, blocks nest), but their types are random.

A test spends most of its time in drawing, and half of that in strategies that are made anew for each draw: hypothesis
checks each, names it and asks what it may give. So all are made once, here or by a cached function, and the parts of a
program are drawn by plain functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import prod
from typing import Any, TypeVar

import numpy as np
from hypothesis import strategies as st

from runtime.access import APIndex, NeuronAP
from runtime.affine import Affine, Axis
from runtime.blocks import Block, Loop
from runtime.builtin import Opaque
from runtime.constants import Constant
from runtime.dependencies import EdgeKind
from runtime.dtypes import DTYPES, DType
from runtime.engines import NeuronEngine
from runtime.functions import Function, Module
from runtime.generic import AttributeReference, EmptyList, Encoded, GenericInst, Initializer, Region
from runtime.info import AttributeInfo, OperandInfo
from runtime.instructions import Instruction, NeuronInst
from runtime.lazy_tensors import StoredTensor
from runtime.predicates import AffinePredicate
from runtime.tensors import TENSOR_CLASSES, Tensor
from runtime.types import Shape, Type
from runtime.values import Value

Draw = st.DrawFn
Thing = TypeVar("Thing")

_DEEPEST = 2  # blocks in blocks

_booleans = st.booleans()
_from_0_to_2 = st.integers(0, 2)
_from_0_to_3 = st.integers(0, 3)
_from_0_to_4 = st.integers(0, 4)

dtypes = st.sampled_from(DTYPES)
texts = st.text(max_size=6) | st.sampled_from(("", "a b", '"', "\\", "\n", "\u2028", "\ud800", "//", "é", "%x"))
names = st.none() | st.sampled_from(("a", "b", "a_1", "x.y-$", "12", "none", "a b", '"', "", "é")) | texts
whole_numbers = st.integers(-(10**20), 10**20) | st.integers(-3, 9)
_words = st.sampled_from(
    ("k", "loc", "rounding", "engine", "values", "label", "node_name", "carried", "body", "else", "mark", "predicates")
)
_indices = st.sampled_from(("k", "p", "a b", "0")).map(APIndex)
doubles = st.floats(allow_nan=False) | st.just(float("nan"))  # no NaN with a payload: `rhs_str` has no bits
shapes: st.SearchStrategy[Shape] = st.lists(
    st.integers(0, 600) | st.none() | st.sampled_from(("N", "batch_1")) | texts, max_size=3
).map(tuple)
tensor_types = st.builds(Type.tensor, st.none() | dtypes, st.none() | shapes)
types = st.recursive(
    tensor_types | st.just(Type.unknown()),
    lambda inner: inner.map(Type.sequence) | inner.map(Type.optional) | st.just(Type.optional(Type.none())),
    max_leaves=2,
)
open_values = st.recursive(
    whole_numbers | doubles | st.booleans() | texts, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=4
)


carried = st.none() | st.binary(max_size=3)
_short_shapes = st.lists(_from_0_to_3, max_size=2).map(tuple)
_small_shapes = st.lists(_from_0_to_3, max_size=3).map(tuple)
_bytes_beside = st.binary(min_size=1, max_size=3)


@st.composite
def constants(draw: Draw) -> Constant:
    """Any constant of a random dtype, made of random bits that are values of the dtype."""
    return _draw_constant(draw, draw(dtypes), draw(_small_shapes))


@st.composite
def tensors_of_front_ends(draw: Draw) -> StoredTensor:
    """A tensor with something beside its elements, or with elements that only its front end can read."""
    kept = draw(_bytes_beside)
    if draw(_booleans):
        return StoredTensor(draw(_short_shapes), None, kept)
    contents = draw(_constants)
    return StoredTensor(contents.shape, contents, kept)


_constants = constants()
_contents = _constants | tensors_of_front_ends()
_defaults = st.none() | st.none() | _contents
_kinds = st.sampled_from(("int", "float", "string", "graph")) | texts
_foreign_values = (
    st.binary(max_size=3)
    | dtypes
    | tensor_types
    | types
    | _contents
    | st.builds(AttributeReference, texts, _kinds)
    | st.builds(EmptyList, _kinds)
    | st.builds(Encoded, st.binary(max_size=3))
)
foreign_values = open_values | _foreign_values | st.lists(_foreign_values, max_size=2).map(tuple)


_targets = st.sampled_from((None, "inf1", "trn2"))
_function_names = st.lists(st.sampled_from(("main", "f", "a b", "0")), max_size=2, unique=True)
_argument_names = st.lists(names, min_size=1, max_size=3)
_tensor_names = st.lists(st.sampled_from(("t", "a", "7", "u v")), max_size=2, unique=True)
_operator_sets = st.dictionaries(st.just("ai.onnx") | texts, st.integers(-1, 30), max_size=2)
_known_shapes = st.lists(_from_0_to_4, max_size=3).map(tuple)
_tensor_classes = st.sampled_from([TENSOR_CLASSES[memory] for memory in sorted(TENSOR_CLASSES)])


@st.composite
def modules(draw: Draw, classes: Mapping[str, type[Instruction]], mnemonics: tuple[str, ...] = ()) -> Module:
    """A module of up to two functions, with instructions of the classes named, or of all."""
    chosen = [classes[mnemonic] for mnemonic in (mnemonics or tuple(classes))]
    module = Module(draw(_targets))
    for name in draw(_function_names):
        module.add_function(_draw_function(draw, name, chosen))
    module.carried = draw(carried)
    return module


def _draw_function(draw: Draw, name: str, chosen: list[type[Instruction]]) -> Function:
    """A function with arguments, tensors, and instructions of the chosen classes."""
    function = Function(name)
    for argument_name in draw(_argument_names):
        argument = function.body.add_argument(draw(types), argument_name)
        argument.default = draw(_defaults)
    function.operator_sets = draw(_operator_sets)
    function.body.carried = draw(carried)
    for tensor_name in draw(_tensor_names):
        function.add_tensor(_draw_tensor(draw, tensor_name))
    scope = _Scope(list(function.args), list(function.tensors.values()))
    _fill(draw, function.body, chosen, scope, depth=0)
    return function


@dataclass
class _Scope:
    values: list[Value]
    tensors: list[Tensor]
    axes: list[Axis] = field(default_factory=list)
    above: list[Instruction] = field(default_factory=list)  # visible or not, an instruction may come after them

    def inner(self) -> _Scope:
        return _Scope(list(self.values), self.tensors, list(self.axes), self.above)


def _draw_tensor(draw: Draw, name: str) -> Tensor:
    dtype, shape = draw(dtypes), draw(_known_shapes)
    init = _draw_constant(draw, dtype, shape) if draw(_booleans) else None
    made = draw(_tensor_classes)
    return made(name, dtype, shape, isInput=draw(_booleans), isOutput=draw(_booleans), init=init)


def _draw_constant(draw: Draw, dtype: DType, shape: tuple[int, ...]) -> Constant:
    return Constant(_elements(draw(_bytes(prod(shape) * dtype.itemsize)), dtype).reshape(shape), dtype)


@cache
def _bytes(size: int) -> st.SearchStrategy[bytes]:
    return st.binary(min_size=size, max_size=size)


def _fill(draw: Draw, block: Block, chosen: list[type[Instruction]], scope: _Scope, depth: int) -> None:
    if depth >= _DEEPEST:
        chosen = [cls for cls in chosen if not cls.INFO.regions]
    if not scope.tensors:
        chosen = [cls for cls in chosen if not _needs_dst(cls)]
    for _ in range(draw(_from_0_to_2 if depth else _from_0_to_4)):
        if depth < _DEEPEST and draw(_from_0_to_4) == 0:
            _append_loop(draw, block, chosen, scope, depth)
        elif chosen:
            _append_instruction(draw, block, chosen, scope, depth)


_loop_numbers = st.integers(-9, 300)
_trip_counts = st.integers(0, 9)
_locations = st.none() | texts


def _append_loop(draw: Draw, block: Block, chosen: list[type[Instruction]], scope: _Scope, depth: int) -> None:
    axis = Axis(draw(names) or "i", draw(_trip_counts), draw(_loop_numbers), draw(_loop_numbers))
    loop = Loop(axis, draw(_locations))
    block.append(loop)
    inner = scope.inner()
    inner.axes.append(axis)
    _fill(draw, loop.body, chosen, inner, depth + 1)


_lists_of_indices = st.lists(_indices, max_size=2).map(tuple)
_open_attributes = st.dictionaries(texts | _words, open_values, max_size=3)
_engines = st.none() | st.sampled_from(NeuronEngine)
_roundings = st.sampled_from((None, None, "user"))


def _append_instruction(draw: Draw, block: Block, chosen: list[type[Instruction]], scope: _Scope, depth: int) -> None:
    cls = draw(_one_of(tuple(chosen)))
    info = cls.INFO
    fields: dict[str, Any] = {}
    for operand in info.operands:
        _draw_operand(draw, operand, scope, fields)
    for attribute in info.attributes:
        if attribute.required and not attribute.optional or draw(_booleans):
            fields[attribute.name] = draw(attribute_values(attribute))
    for name in info.ap_indices:
        fields[name] = draw(_lists_of_indices)
    if cls is Opaque:
        fields |= {"label": draw(texts), "attributes": draw(_open_attributes)}
    if issubclass(cls, GenericInst):
        fields |= _draw_attributes(draw, depth)
    if cls is Initializer:
        fields["value"] = draw(_contents)
    fields["loc"] = draw(_locations)
    if issubclass(cls, NeuronInst):
        fields["engine"] = draw(_engines)
    inst = cls(**fields, **_draw_results(draw, cls, scope))
    inst.rounding = draw(_roundings)
    if isinstance(inst, GenericInst):
        inst.carried = draw(carried)
    _draw_conditions(draw, inst, scope)
    for result in inst.results:
        result.name = draw(names)
    for region in inst.blocks:
        inner = scope.inner()
        inner.values += [region.add_argument(draw(types), draw(names)) for _ in range(draw(_from_0_to_2))]
        region.carried = draw(carried)
        _fill(draw, region, chosen, inner, depth + 1)
    block.append(inst)
    scope.values += inst.results
    scope.above.append(inst)


_factors = st.integers(-200, 200)
_edge_kinds = st.sampled_from(EdgeKind)


def _draw_conditions(draw: Draw, inst: Instruction, scope: _Scope) -> None:
    """Predicates over any of the axes around, and edges from any instructions above."""
    if draw(_from_0_to_3):
        return
    for _ in range(draw(_from_0_to_2)):
        inst.addPredicate(AffinePredicate(_draw_affine(draw, scope), draw(_booleans)))
    for _ in range(draw(_from_0_to_2) if scope.above else 0):
        inst.addDependency(_draw_one(draw, scope.above), draw(_edge_kinds))


def _draw_affine(draw: Draw, scope: _Scope) -> Affine:
    terms = tuple((axis, draw(_factors)) for axis in scope.axes if draw(_booleans))
    return Affine(draw(_factors), terms)


_foreign_attributes = st.dictionaries(texts | _words, foreign_values, max_size=3)
_region_names = {n: st.lists(texts | _words, min_size=n, max_size=n, unique=True) for n in range(4)}
_numbers_of_regions = st.sampled_from((0, 0, 1, 2, 3))


def _draw_attributes(draw: Draw, depth: int) -> dict[str, Any]:
    """The open attributes of a generic instruction, in any order, regions and lists of regions among them."""
    values: dict[str, Any] = draw(_foreign_attributes)
    n_regions = 0 if depth >= _DEEPEST else draw(_numbers_of_regions)
    left = draw(st.permutations(range(n_regions))) if n_regions > 1 else [*range(n_regions)]
    for name in draw(_region_names[n_regions]):
        count = draw(st.integers(1, len(left))) if len(left) > 1 else len(left)
        taken, left = [Region(index) for index in left[:count]], left[count:]
        if taken:
            values.pop(name, None)  # so that it comes last
            values[name] = taken[0] if count == 1 and draw(_booleans) else tuple(taken)
    if len(values) > 1 and draw(_booleans):
        values = dict(draw(st.permutations(list(values.items()))))
    return {"attributes": values, "n_regions": n_regions}


def _draw_operand(draw: Draw, operand: OperandInfo, scope: _Scope, fields: dict[str, Any]) -> None:
    if operand.variadic:
        value = _draw_value if not operand.optional else _draw_value_or_none
        fields[operand.name] = tuple(value(draw, scope) for _ in range(draw(_from_0_to_3)))
    elif not operand.optional or draw(_booleans):
        fields[operand.name] = _draw_value(draw, scope)


def _draw_value(draw: Draw, scope: _Scope) -> Value | NeuronAP:
    if draw(_booleans) and scope.tensors:
        return _draw_access(draw, scope)
    return _draw_one(draw, scope.values)


def _draw_one(draw: Draw, things: Sequence[Thing]) -> Thing:
    return things[draw(_up_to(len(things) - 1))]


@cache
def _up_to(largest: int) -> st.SearchStrategy[int]:
    return st.integers(0, largest)


@cache
def _one_of(classes: tuple[type[Instruction], ...]) -> st.SearchStrategy[type[Instruction]]:
    return st.sampled_from(classes)


def _draw_value_or_none(draw: Draw, scope: _Scope) -> Value | NeuronAP | None:
    return _draw_value(draw, scope) if draw(_from_0_to_3) else None


_pairs = st.lists(st.tuples(_factors, _trip_counts), max_size=3)
_index_or_none = st.none() | _indices
_dtype_or_none = st.none() | dtypes


def _draw_access(draw: Draw, scope: _Scope) -> NeuronAP:
    tensor = _draw_one(draw, scope.tensors)
    if draw(_booleans):
        return NeuronAP(tensor)
    pairs = draw(_pairs)
    indices = [draw(_index_or_none) for _ in pairs] if draw(_booleans) else ()
    return NeuronAP(tensor, pairs, _draw_affine(draw, scope), reinterpret=draw(_dtype_or_none), indices=indices)


_lists_of_types = st.lists(types, max_size=3)
_type_or_no_result = types | st.just(Type.none())
_tensor_type_or_none = st.none() | tensor_types


def _draw_results(draw: Draw, cls: type[Instruction], scope: _Scope) -> dict[str, Any]:
    info = cls.INFO
    if info.has_any_number_of_results:
        return {"result_types": draw(_lists_of_types)}
    if info.many_results:
        further = [draw(_type_or_no_result) for _ in info.results[1:]]
        return {"result_types": [draw(types), *further][: draw(_up_to(len(info.results)))]}
    takes_dst = issubclass(cls, NeuronInst) and (info.dst is None or info.dst.is_allowed)
    if takes_dst and scope.tensors and (_needs_dst(cls) or draw(_booleans)):
        return {"dst": _draw_access(draw, scope), "result_type": draw(_tensor_type_or_none)}
    return {"result_type": draw(types) if info.results else Type.none()}


def _needs_dst(cls: type[Instruction]) -> bool:
    return cls.INFO.dst is not None and cls.INFO.dst.is_required


@cache
def attribute_values(attribute: AttributeInfo) -> st.SearchStrategy[Any]:
    """Values of the kind of an attribute, within its bounds where it has any."""
    kind = attribute.type
    if kind.startswith("list["):
        values: st.SearchStrategy[Any] = st.lists(_plain_values(kind[len("list[") : -1], attribute), max_size=3).map(
            tuple
        )
    else:
        values = _plain_values(kind, attribute)
    return st.none() | values if attribute.optional else values


def _plain_values(kind: str, attribute: AttributeInfo) -> st.SearchStrategy[Any]:
    if attribute.one_of:
        return st.sampled_from(attribute.one_of)
    if kind == "int":
        step = attribute.multiple_of or 1
        low = None if attribute.min is None else -(-int(attribute.min) // step)
        high = None if attribute.max is None else int(attribute.max) // step
        return st.integers(low, high).map(lambda number: number * step)
    if kind == "float":
        bounded = attribute.min is not None or attribute.max is not None
        return st.floats(attribute.min, attribute.max) if bounded else doubles
    strategies: dict[str, st.SearchStrategy[Any]] = {
        "bool": st.booleans(),
        "str": texts if attribute.min is None else texts.filter(lambda text: len(text) >= (attribute.min or 0)),
        "dtype": dtypes,
        "shape": shapes,
        "tensor": _constants,
        "type": types,
    }
    return strategies[kind]


def _elements(data: bytes, dtype: DType) -> Any:
    """Elements with these bits, those bits of a byte that are no part of an element aside."""
    array = np.frombuffer(data, f"u{dtype.itemsize}")
    if dtype.is_bool:
        return (array & 1).astype(np.bool_)
    return array.view(dtype.numpy) if dtype.bits >= 8 else _narrow(array & 15, dtype)


def _narrow(codes: Any, dtype: DType) -> Any:
    """The elements that four bits each stand for."""
    if dtype.is_float:
        return codes.view(dtype.numpy)
    numbers = np.where(codes > 7, codes.astype(np.int64) - 16, codes) if dtype.is_signed else codes
    return numbers.astype(dtype.numpy)
