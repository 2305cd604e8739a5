"""The figures of a conversion: casts, what is computed low, and what contradicts itself.

Written on `onnx` only, like `graph_view.py`. A cast is the source's *own* where the source has a Cast of the same
result, and *new* otherwise.

Deliberately absent: errors of results (`tests/corpus/accuracy.py`), and operators outside `work.HEAVY`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final

from onnx import ModelProto, TensorProto

from tests.corpus.graph_view import ModelView, NodeView, ValueId, view_of
from tests.corpus.work import HEAVY, Execution, multiply_adds

LOW: Final = frozenset({TensorProto.FLOAT16, TensorProto.BFLOAT16})
_FLOATS: Final = LOW | {TensorProto.FLOAT}


@dataclass(frozen=True)
class Figures:
    """What was counted in a converted model, beside its source."""

    nodes: int
    casts: int
    own_casts: int
    new_casts: int
    lost_casts: int
    """Casts of the source that are not there any more."""
    joins: int
    """New casts that give a value the type that it had before another cast, or has already."""
    repeated_casts: int
    """Casts of a value to a type beyond the first, where a new one is among them."""
    idle_casts: int
    """New casts to or from low values that no heavy node is connected with: they cost, and nothing is gained."""
    mistyped_casts: int
    """Casts whose `to` is not what the model states about the result."""
    heavy_nodes: int
    low_nodes: int
    heavy_work: int
    """Multiply-adds of all heavy nodes that compute floats."""
    low_work: int
    high_nodes: tuple[str, ...]
    """The heavy nodes that are computed in f32, by name."""

    @property
    def low_share_of_nodes(self) -> float:
        """Return the share of the heavy nodes that are computed low; 1 where there are none."""
        return self.low_nodes / self.heavy_nodes if self.heavy_nodes else 1.0

    @property
    def low_share_of_work(self) -> float:
        """Return the share of the multiply-adds that are computed low; 1 where there are none."""
        return self.low_work / self.heavy_work if self.heavy_work else 1.0

    def __str__(self) -> str:
        """Return a line for each figure that is not zero."""
        lines = []
        for field in fields(self):
            value = getattr(self, field.name)
            shown = ", ".join(value) if isinstance(value, tuple) else str(value)
            if value:
                lines.append(f"{field.name.replace('_', ' ')} {shown}")
        return "\n".join(lines)


def measure(source: ModelProto, converted: ModelProto, executions: Mapping[str, Sequence[Execution]]) -> Figures:
    """Return the figures of a converted model; `executions` are those of the source's nodes, by their names."""
    view = view_of(converted)
    before = Counter(_cast_results(view_of(source)))
    casts = [node for node in view.nodes if _is_cast(node)]
    own = []
    for cast in casts:
        key = cast.proto.output[0]
        if before[key]:
            before[key] -= 1
            own.append(cast)
    mine = set(own)
    new = [cast for cast in casts if cast not in mine]
    heavy = [node for node in view.nodes if node.proto.op_type in HEAVY and _type(view, node) in _FLOATS]
    low = {node for node in heavy if _type(view, node) in LOW}
    work = {node: _work(node, executions) for node in heavy}
    return Figures(
        nodes=len(view.nodes),
        casts=len(casts),
        own_casts=len(own),
        new_casts=len(new),
        lost_casts=sum(before.values()),
        joins=sum(_is_join(view, cast) for cast in new),
        repeated_casts=_repeated(casts, mine),
        idle_casts=_idle(view, new, mine),
        mistyped_casts=sum(_is_mistyped(view, cast) for cast in casts),
        heavy_nodes=len(heavy),
        low_nodes=len(low),
        heavy_work=sum(work.values()),
        low_work=sum(work[node] for node in low),
        high_nodes=tuple(node.proto.name for node in heavy if node not in low),
    )


def _work(node: NodeView, executions: Mapping[str, Sequence[Execution]]) -> int:
    return sum(multiply_adds(node.proto, each) for each in executions.get(node.proto.name, ()))


def _is_cast(node: NodeView) -> bool:
    return node.proto.op_type == "Cast" and node.proto.domain in ("", "ai.onnx")


def _cast_results(view: ModelView) -> list[str]:
    return [node.proto.output[0] for node in view.nodes if _is_cast(node)]


def _to(cast: NodeView) -> int:
    return next((attribute.i for attribute in cast.proto.attribute if attribute.name == "to"), 0)


def _type(view: ModelView, node: NodeView) -> int | None:
    """Return the type of a heavy node's first operand, which is that of its arithmetic."""
    operand = node.operands[0]
    return None if operand is None else view.types.get(operand)


def _is_join(view: ModelView, cast: NodeView) -> bool:
    """Return whether a cast gives back a type that its operand, or what that was cast from, has."""
    value = cast.operands[0]
    while value is not None:
        if view.types.get(value) == _to(cast):
            return True
        producer = view.producers.get(value)
        if producer is None or not _is_cast(producer):
            return False
        value = producer.operands[0]
    return False


def _repeated(casts: list[NodeView], own: set[NodeView]) -> int:
    groups: dict[object, list[NodeView]] = {}
    for cast in casts:
        groups.setdefault((cast.operands[0], _to(cast)), []).append(cast)
    return sum(len(group) - 1 for group in groups.values() if not own.issuperset(group))


def _idle(view: ModelView, new: list[NodeView], own: set[NodeView]) -> int:
    """Return how many new casts end or begin in low values of an island of nodes without a heavy one."""
    island: dict[ValueId, ValueId] = {}

    def root(value: ValueId) -> ValueId:
        while island.setdefault(value, value) != value:
            island[value] = value = island[island[value]]
        return value

    useful = []
    for node in view.nodes:
        low = [value for value in (*node.operands, *node.results) if value is not None and view.types.get(value) in LOW]
        if not low or (_is_cast(node) and node not in own):
            continue
        for value in low:
            island[root(value)] = root(low[0])
        if node.proto.op_type in HEAVY or node in own:  # what the program itself made low is no conversion's fault
            useful.append(low[0])
    roots = {root(value) for value in useful}
    ends = (_low_end(view, cast) for cast in new)
    return sum(end is not None and root(end) not in roots for end in ends)


def _low_end(view: ModelView, cast: NodeView) -> ValueId | None:
    ends = (*cast.operands, *cast.results)
    return next((end for end in ends if end is not None and view.types.get(end) in LOW), None)


def _is_mistyped(view: ModelView, cast: NodeView) -> bool:
    result = cast.results[0]
    declared = None if result is None else view.declared.get(result)
    return declared is not None and declared != _to(cast)
