"""A model as nodes and values: sub-graphs flattened, names resolved by scope, and the type of each value.

Written on `onnx` only, so that what it says about a converted model does not rest on the code that converted it.

Deliberately absent: types of values inside local functions, which a function does not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, shape_inference


@dataclass(frozen=True)
class ValueId:
    """A value by its name and by the graph that defines it, numbered in the order of the model."""

    graph: int
    name: str


@dataclass(frozen=True, eq=False)
class NodeView:
    """A node, its operands and results resolved; None where one is left out."""

    proto: NodeProto
    operands: tuple[ValueId | None, ...]
    results: tuple[ValueId | None, ...]


@dataclass(frozen=True)
class ModelView:
    """All nodes of a model, and what is known about its values; types are codes of `TensorProto.DataType`."""

    nodes: tuple[NodeView, ...]
    producers: Mapping[ValueId, NodeView]
    types: Mapping[ValueId, int]
    declared: Mapping[ValueId, int]  # only what the model states about results of nodes


def view_of(model: ModelProto) -> ModelView:
    """Return the view of a model; types are inferred anew, what it states about results is not believed."""
    stated = _Walk(model)
    bare = ModelProto()
    bare.CopyFrom(model)
    _forget_types(bare.graph)
    _sort(bare.graph)
    inferred = _Walk(_inferred(bare))
    producers = {result: node for node in inferred.nodes for result in node.results if result is not None}
    declared = {value: code for value, code in stated.types.items() if value in producers}
    return ModelView(tuple(inferred.nodes), producers, inferred.types, declared)


class _Walk:
    """Collects the nodes of a model in its order, and the types that it states."""

    def __init__(self, model: ModelProto) -> None:
        self.nodes: list[NodeView] = []
        self.types: dict[ValueId, int] = {}
        self._graphs = 0
        self._graph(model.graph, {})
        for function in model.functions:
            self._function(function)

    def _graph(self, graph: GraphProto, outer: Mapping[str, ValueId]) -> None:
        number = self._next_graph()
        scope = dict(outer)
        stated = [(each.name, each.type.tensor_type.elem_type) for each in (*graph.input, *graph.value_info)]
        stated += [(each.name, each.type.tensor_type.elem_type) for each in graph.output]
        stated += [(each.name, each.data_type) for each in graph.initializer]
        stated += [(each.values.name, each.values.data_type) for each in graph.sparse_initializer]
        own = {name for node in graph.node for name in node.output if name}
        own |= {each.name for each in (*graph.input, *graph.initializer)}
        own |= {each.values.name for each in graph.sparse_initializer}
        scope.update((name, ValueId(number, name)) for name in own)
        self.types.update((ValueId(number, name), code) for name, code in stated if code and name in own)
        self._nodes(graph.node, scope)

    def _function(self, function: FunctionProto) -> None:
        number = self._next_graph()
        names = {*function.input, *(name for node in function.node for name in node.output if name)}
        self._nodes(function.node, {name: ValueId(number, name) for name in names})

    def _nodes(self, nodes: Iterable[NodeProto], scope: Mapping[str, ValueId]) -> None:
        for node in nodes:
            operands = tuple(scope.get(name) for name in node.input)
            self.nodes.append(NodeView(node, operands, tuple(scope.get(name) for name in node.output)))
            for attribute in node.attribute:
                for graph in graphs_of(attribute):
                    self._graph(graph, scope)

    def _next_graph(self) -> int:
        self._graphs += 1
        return self._graphs - 1


def graphs_of(attribute: AttributeProto) -> list[GraphProto]:
    """Return the graphs that an attribute holds."""
    return [attribute.g, *attribute.graphs] if attribute.HasField("g") else [*attribute.graphs]


def all_nodes(model: ModelProto) -> Iterator[NodeProto]:
    """Yield the nodes of a model, those of sub-graphs behind the node that has them, local functions last."""
    stack = [iter([*model.graph.node, *(node for function in model.functions for node in function.node)])]
    while stack:
        node = next(stack[-1], None)
        if node is None:
            stack.pop()
            continue
        yield node
        inside = [each for attribute in node.attribute for graph in graphs_of(attribute) for each in graph.node]
        stack.append(iter(inside))


def name_nodes(model: ModelProto) -> None:
    """Give each node that has no name, or one that was there before, a name of its own."""
    taken = {node.name for node in all_nodes(model)}
    seen = {""}
    for number, node in enumerate(all_nodes(model)):
        if node.name in seen:
            node.name = next(
                name for name in (f"node_{number}", f"corpus_node_{number}") if name not in taken and name not in seen
            )
        seen.add(node.name)


def _sort(graph: GraphProto) -> None:
    """Order the nodes of a graph, which those of a peer may not be: nothing is inferred behind one out of order."""
    makers = {name: at for at, node in enumerate(graph.node) for name in node.output if name}
    needs = {at: [makers[name] for name in _names_read(node) if name in makers] for at, node in enumerate(graph.node)}
    if all(maker < at for at, needed in needs.items() for maker in needed):
        return
    with suppress(CycleError):  # which no order helps
        nodes = [graph.node[at] for at in TopologicalSorter(needs).static_order()]
        ordered = [NodeProto.FromString(node.SerializeToString()) for node in nodes]
        del graph.node[:]
        graph.node.extend(ordered)


def _names_read(node: NodeProto) -> set[str]:
    """Return the names that a node reads, those of its sub-graphs included, whoever defines them."""
    inside = (each for attribute in node.attribute for graph in graphs_of(attribute) for each in graph.node)
    outputs = {each.name for attribute in node.attribute for graph in graphs_of(attribute) for each in graph.output}
    return {*node.input, *outputs}.union(*map(_names_read, inside))


def _inferred(model: ModelProto) -> ModelProto:
    """Return the model with types inferred; one that contradicts itself at its ends is given none there first."""
    for forget in (None, _forget_ends):
        if forget is not None:
            forget(model.graph)
        with suppress(shape_inference.InferenceError):
            return shape_inference.infer_shapes(model, data_prop=True)
    return model


def _forget_ends(graph: GraphProto) -> None:
    """Remove what a graph states about outputs, and about inputs that an initializer defines."""
    defined = {each.name for each in graph.initializer}
    inputs = [each for each in graph.input if each.name not in defined]
    del graph.input[:]
    graph.input.extend(inputs)
    for output in graph.output:
        output.ClearField("type")


def _forget_types(graph: GraphProto) -> None:
    del graph.value_info[:]
    for node in graph.node:
        for attribute in node.attribute:
            for inner in graphs_of(attribute):
                _forget_types(inner)
