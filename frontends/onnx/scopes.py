"""Which value a name stands for, while a graph is read.

A name is looked up in the graph, then in the graphs around it. In one graph it stands for what is defined before its
use; a graph whose nodes are out of order is found out here, and is read again in another order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from onnx import FunctionProto, GraphProto, NodeProto

from frontends.onnx.errors import BrokenModelError
from frontends.onnx.schemas import domain_in_ir
from frontends.onnx.sorting import CircleError, stable_order
from runtime.diagnostics import did_you_mean
from runtime.values import Value


class Scope:
    """The names of one graph or function."""

    __slots__ = ("_produced", "graph", "label", "outer", "shadows", "values")

    def __init__(self, graph: GraphProto | FunctionProto, label: str, outer: Scope | None) -> None:
        self.graph = graph
        self.label = label
        self.outer = outer
        self.values: dict[str, Value] = {}
        self.shadows: list[str] = []
        self._produced: frozenset[str] | None = None

    def define(self, name: str, value: Value, what: str, *node: Any) -> None:
        """Let `name` stand for `value`, which is a `what`: of `node`, a node and its position, or of the graph.

        Raises: BrokenModelError where it is no name, or stands for something else in this graph.
        """
        if name.__class__ is not str or not name or name in self.values:
            place = ", ".join([self.label, *([described(*node)] if node else [])])
            if name.__class__ is not str or not name:
                why = "none" if name.__class__ is str else "no UTF-8"
                raise BrokenModelError(f"{place}: {what} has the name {name!r}, which is {why}")
            raise BrokenModelError(f'{place}: {what} "{name}": the graph has another value of that name')
        outer = self.outer
        while outer is not None:
            if name in outer.values:
                self.shadows.append(name)
                break
            outer = outer.outer
        self.values[name] = value

    def find(self, name: str) -> Value | None:
        """Return what a name stands for, or None where it is not defined (yet)."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.values.get(name)
            if found is not None:
                return found
            scope = scope.outer
        return None

    def missing(self, name: str, user: str) -> Exception:
        """Return what to raise where `user` uses a name that is not defined: UnsortedError if it will be."""
        known: list[str] = []
        scope: Scope | None = self
        while scope is not None:
            if name in scope.produced:
                return UnsortedError(scope)
            known.extend(value for value in scope.values if isinstance(value, str))
            scope = scope.outer
        help_text = did_you_mean(str(name), known)
        return BrokenModelError(f'{user} uses "{name}", which is not defined' + (f"; {help_text}" if help_text else ""))

    @property
    def produced(self) -> frozenset[str]:
        """The names of all that the nodes of the graph give, read yet or not."""
        if self._produced is None:
            self._produced = frozenset(name for node in self.graph.node for name in node.output if name)
        return self._produced


class UnsortedError(Exception):
    """A node of the graph of `scope` stands after one that uses it."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope.label)
        self.scope = scope


def sorted_nodes(scope: Scope) -> list[int]:
    """Return the positions of a graph's nodes in an order in which each comes after what it uses.

    Raises: BrokenModelError where there is none.
    """
    nodes = scope.graph.node
    producer = {name: at for at, node in enumerate(nodes) for name in node.output if name}
    needs = [{producer[name] for name in _used(node) if name in producer} for node in nodes]
    try:
        return stable_order(needs)
    except CircleError as error:
        named = " -> ".join(described(nodes[at], at) for at in [*error.circle, error.circle[0]])
        raise BrokenModelError(f"{scope.label}: nodes need each other in a circle: {named}") from None


def described(node: NodeProto, at: int) -> str:
    """Return what messages call a node: its name, or its position, and its operator."""
    operator = f"{domain_in_ir(node.domain)}::{node.op_type}"
    return f'node "{node.name}" ({operator})' if node.name else f"node {at} ({operator})"


def _used(node: NodeProto) -> Iterable[str]:
    """Yield the names of outer values that a node uses, by itself or in a graph inside."""
    yield from node.input
    for attribute in node.attribute:
        for graph in [attribute.g] if attribute.HasField("g") else attribute.graphs:
            own = {value.name for value in graph.input}
            own.update(tensor.name for tensor in graph.initializer)
            own.update(tensor.values.name for tensor in graph.sparse_initializer)
            own.update(name for inner in graph.node for name in inner.output)
            used = {name for inner in graph.node for name in _used(inner)} | {value.name for value in graph.output}
            yield from used - own
