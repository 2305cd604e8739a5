"""From graphs and functions of a model to blocks.

    graph input                         block argument (an initializer of that name is its `default`)
    initializer, sparse initializer     `onnx.initializer` at the head of the block
    node                                `onnx.node`; a graph attribute is a region, what it captures a direct use
    graph output                        operand of `return` or `yield`

Types are those that the model declares; which values have none is recorded for `frontends/onnx/inference.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any, TypeVar

from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto, SparseTensorProto, TensorProto, ValueInfoProto

from frontends.onnx import shells
from frontends.onnx.errors import BrokenModelError, OnnxError
from frontends.onnx.node_forms import Form, form_of
from frontends.onnx.protobuf import encoded, has_unknown_fields
from frontends.onnx.scopes import Scope, UnsortedError, described, sorted_nodes
from frontends.onnx.tensors import OnnxTensor, SparseOnnxTensor
from frontends.onnx.type_protos import TypesByBytes, contradicts, declared_type
from runtime.blocks import Block
from runtime.builtin import Return, Yield
from runtime.functions import Function
from runtime.generic import Initializer, OnnxNode, Region
from runtime.types import Type
from runtime.values import Value

_T = TypeVar("_T", bound=OnnxTensor | SparseOnnxTensor)
GraphPath = tuple[tuple[int, int, int], ...]
"""From the main graph to one inside: position of the node, of its attribute, of the graph in that, again and again."""
_UNKNOWN = Type.unknown()
_PLAIN = frozenset({int, float, str, bytes})  # most values of attributes
_Graphs = list[tuple[tuple[int, int], GraphProto]]
_Attributes = tuple[Mapping[str, Any], Sequence[tuple[tuple[int, int], GraphProto]], Sequence[int]]
_NO_ATTRIBUTES: _Attributes = ({}, (), ())
HEAVY = 1024
"""Elements; a tensor with more is a weight, of which no type depends."""
_FEW = 1 << 18  # elements in a model that are handed over rather than left out
_FEW_A_NODE = 512  # with more, handing them over takes longer than copying the nodes


@dataclass(slots=True)
class GraphRecord:
    """A graph or function that has been read, and what is still to do about it."""

    proto: GraphProto | FunctionProto
    path: GraphPath | None  # None in a local function
    declared: list[tuple[str, Type]] = field(default_factory=list)  # by `value_info`, then by the outputs
    order: list[str] = field(default_factory=list)  # of initializers, where it is not the usual one
    untyped: list[tuple[str, Value]] = field(default_factory=list)  # what the model declares no type for
    heavy: list[int] = field(default_factory=list)  # positions of the nodes that hold weights, in graphs inside as well
    heavy_initializers: list[int] = field(default_factory=list)  # positions; those beside the model as well


class GraphReader:
    """Reads the graphs of one model; collects what is looked at when all are read."""

    def __init__(self, folder: Path | None, local: frozenset[str] = frozenset()) -> None:
        """Take the folder of the model, and the names of its local functions."""
        self.folder = folder
        self._local = local
        self.records: list[GraphRecord] = []
        self._open: list[tuple[GraphRecord, Scope, Block]] = []
        self.casts: list[OnnxNode] = []
        self.calls: set[str] = set()  # of local functions, since the last one was read
        self.types: TypesByBytes = {}
        self._versions: Mapping[str, int] = {}  # of the operator sets of what is read
        self._forms: dict[tuple[str, str, str], Form] = {}  # by operator, domain and overload as the file has them
        self._n_nodes = 0
        self._n_heavy = 0  # tensors
        self._n_elements = 0
        self._has_data_beside = False

    @property
    def is_small(self) -> bool:
        """Whether the model has all of its tensors inside, and they are few bytes."""
        return self._n_elements <= min(_FEW, _FEW_A_NODE * self._n_nodes) and not self._has_data_beside

    def read_main(self, proto: GraphProto, function: Function) -> None:
        """Fill a function with the graph of the model."""
        self._versions = function.operator_sets
        self.read_graph(proto, function.body, None, ())

    def read_function(self, proto: FunctionProto, function: Function) -> None:
        """Fill a function with a local function of the model."""
        self._versions, self._forms = function.operator_sets, {}
        scope = Scope(proto, f"function {function.name}", None)
        self._fill(scope, function.body, lambda scope, order: self._fill_function(scope, proto, function, order))

    def read_graph(self, proto: GraphProto, block: Block, outer: Scope | None, path: GraphPath | None) -> None:
        """Fill a block with a graph; `outer`: the names around it."""
        scope = Scope(proto, f'graph "{proto.name}"' if outer is None else f'{outer.label} > "{proto.name}"', outer)
        self._fill(scope, block, lambda scope, order: self._fill_graph(scope, proto, block, path, order))

    def _fill(self, scope: Scope, block: Block, fill: Callable[[Scope, Iterable[int]], None]) -> None:
        """Let `fill` read the nodes at the positions given; where they are out of order, afresh in another one."""
        n_records = len(self.records)
        try:
            fill(scope, range(len(scope.graph.node)))
        except UnsortedError as error:
            if error.scope is not scope:
                raise
            order = sorted_nodes(scope)
            block.clear()
            block.arguments.clear()
            del self.records[n_records:], self._open[n_records:]
            fill(Scope(scope.graph, scope.label, scope.outer), order)

    def finish(self) -> None:
        """Give each block its shell, when all types are known."""
        for record, scope, block in self._open:
            shell = shells.make_shell(record.proto)
            values = scope.values
            names = [name for name, _ in record.declared[: len(record.proto.value_info)]]
            shells.note(shell, shells.ORDER, record.order)
            shells.note(shell, shells.LOOSE, [name for name in names if name not in values])
            shells.note(shell, shells.SHADOWS, scope.shadows)
            terminator = block.terminator
            outputs = terminator.operands() if terminator is not None else ()
            meant = [*map(values.get, names), *outputs]
            pairs = zip(record.declared, meant, strict=False)  # a function declares no types for its outputs
            odd = [name for (name, type), value in pairs if value is not None and contradicts(type, value.type)]
            shells.note(shell, shells.ODD, odd)
            block.carried = encoded(shell)

    def _record(
        self, scope: Scope, proto: GraphProto | FunctionProto, block: Block, path: GraphPath | None
    ) -> GraphRecord:
        record = GraphRecord(proto, path)
        self.records.append(record)
        self._open.append((record, scope, block))
        return record

    def _fill_function(self, scope: Scope, proto: FunctionProto, function: Function, order: Iterable[int]) -> None:
        body = function.body
        record = self._record(scope, proto, body, None)
        record.declared = self._declared(scope, proto.value_info)
        types = _first_of_each(record.declared)
        for name in proto.input:
            scope.define(name, body.add_argument(types.get(name, _UNKNOWN), name), "input")
        self._read_nodes(scope, body, types, order, record)
        body.append(Return([self._output(scope, name) for name in proto.output]))

    def _fill_graph(
        self, scope: Scope, proto: GraphProto, block: Block, path: GraphPath | None, order: Iterable[int]
    ) -> None:
        record = self._record(scope, proto, block, path)
        for info in proto.input:
            argument = block.add_argument(self._declared_type(scope, info), info.name)
            scope.define(info.name, argument, "input")
            if argument.type is _UNKNOWN:
                record.untyped.append((info.name, argument))
        record.order = self._read_initializers(scope, proto, block, record)
        record.declared = self._declared(scope, (*proto.value_info, *proto.output))
        self._read_nodes(scope, block, _first_of_each(record.declared), order, record)
        outputs = [self._output(scope, info.name) for info in proto.output]
        block.append(Yield(outputs) if scope.outer is not None else Return(outputs))

    def _read_initializers(self, scope: Scope, proto: GraphProto, block: Block, record: GraphRecord) -> list[str]:
        """Read the initializers, and return their names if their order is not the usual one."""
        arguments = {argument.name: argument for argument in block.arguments}
        names = []
        known, is_outermost = scope.values, scope.outer is None
        for at, tensor in enumerate((*proto.initializer, *proto.sparse_initializer)):
            n_heavy = self._n_heavy
            value = self._count(self._tensor(scope, tensor))
            if isinstance(value, OnnxTensor):
                name = value.proto.name
                if self._n_heavy > n_heavy or value.place is not None:
                    record.heavy_initializers.append(at)
            else:
                name = value.proto.values.name
            names.append(name)
            argument = arguments.get(name)
            if argument is None:
                initializer = Initializer(value)
                initializer.name = name
                block.append(initializer)
                if is_outermost and name and name.__class__ is str and name not in known:
                    known[name] = initializer  # as `define` does, which takes longer
                else:
                    scope.define(name, initializer, "initializer")
            elif argument.default is None:
                argument.default = value
            else:
                raise BrokenModelError(f'{scope.label}: there are two initializers "{name}"')
        usual = [name for name in names if name not in arguments]
        usual += [name for name, argument in arguments.items() if name is not None and argument.default is not None]
        return names if names != usual else []

    def _tensor(self, scope: Scope, proto: TensorProto | SparseTensorProto) -> OnnxTensor | SparseOnnxTensor:
        try:
            if isinstance(proto, SparseTensorProto):
                return SparseOnnxTensor(proto, self.folder)
            return OnnxTensor(proto, self.folder, named=False)
        except BrokenModelError as error:
            raise BrokenModelError(f"{scope.label}: {error}") from None

    def _read_nodes(
        self, scope: Scope, block: Block, types: dict[str, Type], order: Iterable[int], record: GraphRecord
    ) -> None:
        nodes = scope.graph.node[:]
        self._n_nodes += len(nodes)
        known, forms, untyped, is_outermost = scope.values, self._forms, record.untyped, scope.outer is None
        type_of = types.get
        for at in order:
            proto = nodes[at]
            values: list[Value | None] = [*map(known.get, proto.input[:])]
            if None in values:
                values = [self._used(scope, name, proto, at) for name in proto.input]
            domain, overload, node_name = proto.domain, proto.overload, proto.name
            form = forms.get((proto.op_type, domain, overload)) or self._form(scope, proto, at)
            if node_name.__class__ is not str:
                raise BrokenModelError(f"{scope.label}, node {at}: {node_name!r} is no UTF-8")
            held, n_heavy = proto.attribute[:], self._n_heavy
            attributes, graphs, shelled = self._attributes(scope, proto, at, held, form) if held else _NO_ATTRIBUTES
            outputs = proto.output[:]
            node = OnnxNode(
                form.op_type,
                values,
                attributes,
                result_types=[type_of(name, _UNKNOWN) for name in outputs],
                domain=form.domain,
                overload=overload,
                node_name=node_name,
                absent=[index for index, name in enumerate(outputs) if not name] if "" in outputs else (),
                n_regions=len(graphs),
            )
            block.append(node)
            for (where, graph), region in zip(graphs, node.blocks, strict=True) if graphs else ():
                path = None if record.path is None else (*record.path, (at, *where))
                self.read_graph(graph, region, scope, path)
            if self._n_heavy > n_heavy:
                record.heavy.append(at)
            for name, result in zip(outputs, (node,) if len(outputs) == 1 else node.results, strict=True):
                if is_outermost and name and name.__class__ is str and name not in known:
                    known[name] = result  # as `define` does, which takes longer
                elif name:
                    scope.define(name, result, "result", proto, at)
                else:
                    continue
                result.name = name
                if result.type is _UNKNOWN:
                    untyped.append((name, result))
            has_rest = proto.doc_string or proto.metadata_props or proto.device_configurations
            if has_rest or shelled or form.is_spelled_out or has_unknown_fields(proto):
                node.carried = shells.node_shell(proto, shelled)
            if form.is_cast:
                self.casts.append(node)
            if form.callee is not None:
                self.calls.add(form.callee)

    def _form(self, scope: Scope, proto: NodeProto, at: int) -> Form:
        """Return the form of a node, the first of its kind."""
        key = proto.op_type, proto.domain, proto.overload
        try:
            form = self._forms[key] = form_of(*key, self._versions, self._local)
            return form
        except BrokenModelError as error:
            raise BrokenModelError(f"{scope.label}, node {at}: {error}") from None

    def _used(self, scope: Scope, name: str, proto: NodeProto, at: int) -> Value | None:
        """Return what a node uses under a name; None where an operand is left out."""
        if not name:
            return None
        value = scope.find(name)
        if value is None:
            raise scope.missing(name, f"{scope.label}, {described(proto, at)}")
        return value

    def _attributes(
        self, scope: Scope, proto: NodeProto, at: int, held: Iterable[AttributeProto], form: Form
    ) -> _Attributes:
        """Return the attributes, the graphs among them with their places, and which ones leave a rest to the shell."""
        attributes: dict[str, Any] = {}
        graphs: _Graphs = []
        shelled: list[int] = []
        for index, attribute in enumerate(held):
            try:
                name, value, leaves_rest = form.read(attribute, self.folder)
            except OnnxError as error:
                place = f'{scope.label}, {described(proto, at)}, attribute "{attribute.name}"'
                raise type(error)(f"{place}: {error}") from None
            if name.__class__ is not str or name in attributes:
                raise BrokenModelError(f"{scope.label}, {described(proto, at)}: has two attributes {name!r}")
            first = value[0] if value.__class__ is tuple else value
            if first.__class__ not in _PLAIN:
                value = self._taken_in(value, first, index, graphs)
            attributes[name] = value
            if leaves_rest:
                shelled.append(index)
        return attributes, graphs, shelled

    def _taken_in(self, value: Any, first: Any, index: int, graphs: _Graphs) -> Any:
        """Return an attribute's value with regions for graphs, which are listed; note how large tensors are."""
        many = value if value.__class__ is tuple else (value,)
        if isinstance(first, GraphProto):
            n_graphs = len(graphs)
            graphs.extend(((index, place), graph) for place, graph in enumerate(many))
            regions = tuple([Region(n_graphs + place) for place in range(len(many))])
            return regions if many is value else regions[0]
        if isinstance(first, (OnnxTensor, SparseOnnxTensor)):
            for tensor in many:
                self._count(tensor)
        return value

    def _count(self, tensor: _T) -> _T:
        """Note how large a tensor is, and return it."""
        size = prod(tensor.shape)
        self._n_elements += size
        self._n_heavy += size > HEAVY
        if isinstance(tensor, SparseOnnxTensor) or tensor.place is not None:
            self._has_data_beside = True  # or maybe: of sparse ones it is not known here
        return tensor

    def _output(self, scope: Scope, name: str) -> Value:
        value = scope.find(name)
        if value is None:
            raise scope.missing(name, f"{scope.label}: the list of outputs")
        return value

    def _declared(self, scope: Scope, infos: Iterable[ValueInfoProto]) -> list[tuple[str, Type]]:
        known = self.types.get
        return [(info.name, known(info.type.SerializeToString()) or self._declared_type(scope, info)) for info in infos]

    def _declared_type(self, scope: Scope, info: ValueInfoProto) -> Type:
        try:
            return declared_type(info, self.types)
        except BrokenModelError as error:
            raise BrokenModelError(f'{scope.label}, value "{info.name}": {error}') from None


def _first_of_each(declared: Iterable[tuple[str, Type]]) -> dict[str, Type]:
    """Return the types by name; of two declarations the first that says anything."""
    types: dict[str, Type] = {}
    for name, type in declared:
        if type is not _UNKNOWN:
            types.setdefault(name, type)
    return types
