"""Random programs over any table of instruction classes, drawn from what each class says of itself.

The programs are well formed (values are defined before their uses, blocks nest), but their types are random.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

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

_DEEPEST = 2  # blocks in blocks

dtypes = st.sampled_from(DTYPES)
texts = st.text(max_size=6) | st.sampled_from(("", "a b", '"', "\\", "\n", "\u2028", "\ud800", "//", "é", "%x"))
names = st.none() | st.sampled_from(("a", "b", "a_1", "x.y-$", "12", "none", "a b", '"', "", "é")) | texts
whole_numbers = st.integers(-(10**20), 10**20) | st.integers(-3, 9)
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


@st.composite
def constants(draw: Draw, of: Type | None = None) -> Constant:
    """Any constant of a random dtype, made of random bits that are values of the dtype."""
    dtype = of.dtype if of is not None else draw(dtypes)
    shape = of.shape if of is not None else draw(st.lists(st.integers(0, 3), max_size=3))
    assert dtype is not None and shape is not None
    count = int(np.prod(np.array(shape, dtype=np.int64)))
    data = draw(st.binary(min_size=count * dtype.itemsize, max_size=count * dtype.itemsize))
    return Constant(_elements(data, dtype).reshape(shape), dtype)


@st.composite
def tensors_of_front_ends(draw: Draw) -> StoredTensor:
    """A tensor with something beside its elements, or with elements that only its front end can read."""
    kept = draw(st.binary(min_size=1, max_size=3))
    if draw(st.booleans()):
        return StoredTensor(tuple(draw(st.lists(st.integers(0, 3), max_size=2))), None, kept)
    contents = draw(constants())
    return StoredTensor(contents.shape, contents, kept)


_kinds = st.sampled_from(("int", "float", "string", "graph")) | texts
_foreign_values = (
    st.binary(max_size=3)
    | dtypes
    | tensor_types
    | types
    | constants()
    | tensors_of_front_ends()
    | st.builds(AttributeReference, texts, _kinds)
    | st.builds(EmptyList, _kinds)
    | st.builds(Encoded, st.binary(max_size=3))
)
foreign_values = open_values | _foreign_values | st.lists(_foreign_values, max_size=2).map(tuple)


@st.composite
def modules(draw: Draw, classes: Mapping[str, type[Instruction]], mnemonics: tuple[str, ...] = ()) -> Module:
    """A module of up to two functions, with instructions of the classes named, or of all."""
    module = Module(draw(st.sampled_from((None, "inf1", "trn2"))))
    for name in draw(st.lists(st.sampled_from(("main", "f", "a b", "0")), max_size=2, unique=True)):
        module.add_function(draw(functions(name, classes, mnemonics)))
    module.carried = draw(carried)
    return module


@st.composite
def functions(
    draw: Draw, name: str, classes: Mapping[str, type[Instruction]], mnemonics: tuple[str, ...] = ()
) -> Function:
    """A function with arguments, tensors, and instructions of the classes named, or of all."""
    chosen = [classes[mnemonic] for mnemonic in (mnemonics or tuple(classes))]
    function = Function(name)
    for argument_name in draw(st.lists(names, min_size=1, max_size=3)):
        argument = function.body.add_argument(draw(types), argument_name)
        argument.default = draw(st.none() | st.none() | constants() | tensors_of_front_ends())
    function.operator_sets = draw(st.dictionaries(st.just("ai.onnx") | texts, st.integers(-1, 30), max_size=2))
    function.body.carried = draw(carried)
    for tensor_name in draw(st.lists(st.sampled_from(("t", "a", "7", "u v")), max_size=2, unique=True)):
        function.add_tensor(draw(_tensors(tensor_name)))
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


@st.composite
def _tensors(draw: Draw, name: str) -> Tensor:
    type = Type.tensor(draw(dtypes), tuple(draw(st.lists(st.integers(0, 4), max_size=3))))
    assert type.dtype is not None
    init = draw(st.none() | constants(type))
    made = TENSOR_CLASSES[draw(st.sampled_from(sorted(TENSOR_CLASSES)))]
    shape = tuple(int(str(dim)) for dim in type.shape or ())
    return made(name, type.dtype, shape, isInput=draw(st.booleans()), isOutput=draw(st.booleans()), init=init)


def _fill(draw: Draw, block: Block, chosen: list[type[Instruction]], scope: _Scope, depth: int) -> None:
    if depth >= _DEEPEST:
        chosen = [cls for cls in chosen if not cls.INFO.regions]
    if not scope.tensors:
        chosen = [cls for cls in chosen if not _needs_dst(cls)]
    for _ in range(draw(st.integers(0, 2 if depth else 4))):
        if depth < _DEEPEST and draw(st.integers(0, 4)) == 0:
            _append_loop(draw, block, chosen, scope, depth)
        elif chosen:
            _append_instruction(draw, block, chosen, scope, depth)


def _append_loop(draw: Draw, block: Block, chosen: list[type[Instruction]], scope: _Scope, depth: int) -> None:
    numbers = st.integers(-9, 300)
    axis = Axis(draw(names) or "i", draw(st.integers(0, 9)), draw(numbers), draw(numbers))
    loop = Loop(axis, draw(st.none() | texts))
    block.append(loop)
    inner = scope.inner()
    inner.axes.append(axis)
    _fill(draw, loop.body, chosen, inner, depth + 1)


def _append_instruction(draw: Draw, block: Block, chosen: list[type[Instruction]], scope: _Scope, depth: int) -> None:
    cls = draw(st.sampled_from(chosen))
    info = cls.INFO
    fields: dict[str, Any] = {}
    for operand in info.operands:
        _draw_operand(draw, operand, scope, fields)
    for attribute in info.attributes:
        if attribute.required and not attribute.optional or draw(st.booleans()):
            fields[attribute.name] = draw(attribute_values(attribute))
    for name in info.ap_indices:
        fields[name] = tuple(draw(st.lists(_indices, max_size=2)))
    if cls is Opaque:
        fields |= {"label": draw(texts), "attributes": draw(st.dictionaries(texts | _words, open_values, max_size=3))}
    if issubclass(cls, GenericInst):
        fields |= _draw_attributes(draw, depth)
    if cls is Initializer:
        fields["value"] = draw(constants() | tensors_of_front_ends())
    fields["loc"] = draw(st.none() | texts)
    if issubclass(cls, NeuronInst):
        fields["engine"] = draw(st.none() | st.sampled_from(NeuronEngine))
    inst = cls(**fields, **_draw_results(draw, cls, scope))
    inst.rounding = draw(st.sampled_from((None, None, "user")))
    if isinstance(inst, GenericInst):
        inst.carried = draw(carried)
    _draw_conditions(draw, inst, scope)
    for result in inst.results:
        result.name = draw(names)
    for region in inst.blocks:
        inner = scope.inner()
        inner.values += [region.add_argument(draw(types), draw(names)) for _ in range(draw(st.integers(0, 2)))]
        region.carried = draw(carried)
        _fill(draw, region, chosen, inner, depth + 1)
    block.append(inst)
    scope.values += inst.results
    scope.above.append(inst)


def _draw_conditions(draw: Draw, inst: Instruction, scope: _Scope) -> None:
    """Predicates over any of the axes around, and edges from any instructions above."""
    if draw(st.integers(0, 3)):
        return
    for _ in range(draw(st.integers(0, 2))):
        terms = tuple((axis, draw(st.integers(-200, 200))) for axis in scope.axes if draw(st.booleans()))
        inst.addPredicate(AffinePredicate(Affine(draw(st.integers(-200, 200)), terms), draw(st.booleans())))
    for src in draw(st.lists(st.sampled_from(scope.above), max_size=2)) if scope.above else ():
        inst.addDependency(src, draw(st.sampled_from(EdgeKind)))


def _draw_attributes(draw: Draw, depth: int) -> dict[str, Any]:
    """The open attributes of a generic instruction, in any order, regions and lists of regions among them."""
    values: dict[str, Any] = draw(st.dictionaries(texts | _words, foreign_values, max_size=3))
    n_regions = 0 if depth >= _DEEPEST else draw(st.sampled_from((0, 0, 1, 2, 3)))
    left = draw(st.permutations(range(n_regions)))
    for name in draw(st.lists(texts | _words, min_size=n_regions, max_size=n_regions, unique=True)):
        count = draw(st.integers(1, len(left))) if left else 0
        taken, left = [Region(index) for index in left[:count]], left[count:]
        if taken:
            values.pop(name, None)  # so that it comes last
            values[name] = taken[0] if count == 1 and draw(st.booleans()) else tuple(taken)
    if draw(st.booleans()):
        values = dict(draw(st.permutations(list(values.items()))))
    return {"attributes": values, "n_regions": n_regions}


def _draw_operand(draw: Draw, operand: OperandInfo, scope: _Scope, fields: dict[str, Any]) -> None:
    if operand.variadic:
        value = _draw_value if not operand.optional else _draw_value_or_none
        fields[operand.name] = tuple(value(draw, scope) for _ in range(draw(st.integers(0, 3))))
    elif not operand.optional or draw(st.booleans()):
        fields[operand.name] = _draw_value(draw, scope)


def _draw_value(draw: Draw, scope: _Scope) -> Value | NeuronAP:
    if draw(st.booleans()) and scope.tensors:
        return _draw_access(draw, scope)
    return draw(st.sampled_from(scope.values))


def _draw_value_or_none(draw: Draw, scope: _Scope) -> Value | NeuronAP | None:
    return _draw_value(draw, scope) if draw(st.integers(0, 3)) else None


def _draw_access(draw: Draw, scope: _Scope) -> NeuronAP:
    tensor = draw(st.sampled_from(scope.tensors))
    if draw(st.booleans()):
        return NeuronAP(tensor)
    numbers = st.integers(-200, 200)
    pairs = draw(st.lists(st.tuples(numbers, st.integers(0, 9)), max_size=3))
    terms = tuple((axis, draw(numbers)) for axis in scope.axes if draw(st.booleans()))
    indices = draw(st.tuples(*(st.none() | _indices for _ in pairs))) if draw(st.booleans()) else ()
    offset = Affine(draw(numbers), terms)
    return NeuronAP(tensor, pairs, offset, reinterpret=draw(st.none() | dtypes), indices=indices)


def _draw_results(draw: Draw, cls: type[Instruction], scope: _Scope) -> dict[str, Any]:
    info = cls.INFO
    if info.has_any_number_of_results:
        return {"result_types": draw(st.lists(types, max_size=3))}
    if info.many_results:
        further = [draw(types | st.just(Type.none())) for _ in info.results[1:]]
        return {"result_types": [draw(types), *further][: draw(st.integers(0, len(info.results)))]}
    takes_dst = issubclass(cls, NeuronInst) and (info.dst is None or info.dst.is_allowed)
    if takes_dst and scope.tensors and (_needs_dst(cls) or draw(st.booleans())):
        return {"dst": _draw_access(draw, scope), "result_type": draw(st.none() | tensor_types)}
    return {"result_type": draw(types) if info.results else Type.none()}


def _needs_dst(cls: type[Instruction]) -> bool:
    return cls.INFO.dst is not None and cls.INFO.dst.is_required


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
        "tensor": constants(),
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


_words = st.sampled_from(
    ("k", "loc", "rounding", "engine", "values", "label", "node_name", "carried", "body", "else", "mark", "predicates")
)
_indices = st.sampled_from(("k", "p", "a b", "0")).map(APIndex)
