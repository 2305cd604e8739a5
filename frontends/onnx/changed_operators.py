"""Operators whose meaning changed in a later operator set, of which the library's conversion knows nothing.

    %y = Hardmax %x {axis = 1}        %x: f32[2,3,4]; before 13 one of 12 elements is 1, since then one of 3

Whoever raises a model with one of them is refused, since the library would leave the node as it is.

Deliberately absent: what the library converts (Softmax, Upsample, ...) or refuses itself, and Resize, which
`frontends/onnx/operator_sets.py` completes.

Source: the ONNX operator specification, `docs/Changelog.md`: Hardmax-13, GroupNormalization-21, Scan-9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Final

from onnx import GraphProto, ModelProto, NodeProto, ValueInfoProto, helper, shape_inference

from frontends.onnx.errors import OperatorSetError

_CHANGED: Final[Mapping[str, tuple[int, str]]] = {
    "GroupNormalization": (21, "has a scale and a bias for each channel since operator set 21, and not for each group"),
    "Hardmax": (13, "goes along one axis since operator set 13, and not along all from that one on"),
    "Scan": (9, "has no batch since operator set 9"),
}
"""By operator: since when it means something else, and what."""


def refuse_changed(model: ModelProto, found: int, version: int) -> None:
    """Refuse to raise a model from an operator set to another one where the meaning of a node would change.

    Raises: OperatorSetError.
    """
    changed = {name: why for name, (since, why) in _CHANGED.items() if found < since <= version}
    if not any(node.op_type in changed for node in nodes_of(model.graph)):
        return
    with suppress(shape_inference.InferenceError, RuntimeError, ValueError):  # then fewer ranks are known
        model = shape_inference.infer_shapes(model)
    graphs = [model.graph, *(graph for node in nodes_of(model.graph) for graph in graphs_in(node))]
    infos = {one.name: one for graph in graphs for one in (*graph.input, *graph.value_info, *graph.output)}
    for node in nodes_of(model.graph):
        if node.domain in ("", "ai.onnx") and node.op_type in changed and not _stays(node, infos):
            called = node.name or next(iter(node.output), "")
            raise OperatorSetError(f"{node.op_type} {called} {changed[node.op_type]}")


def nodes_of(graph: GraphProto) -> Iterator[NodeProto]:
    """Yield the nodes of a graph and of those inside."""
    for node in graph.node:
        yield node
        for inner in graphs_in(node):
            yield from nodes_of(inner)


def graphs_in(node: NodeProto) -> Iterator[GraphProto]:
    """Yield the graphs that are attributes of a node."""
    for attribute in node.attribute:
        yield from (*(attribute.graphs), *([attribute.g] if attribute.HasField("g") else []))


def _stays(node: NodeProto, infos: Mapping[str, ValueInfoProto]) -> bool:
    """Whether a node means the same in both operator sets: a Hardmax along the last axis."""
    if node.op_type != "Hardmax":
        return False
    axis = next((helper.get_attribute_value(one) for one in node.attribute if one.name == "axis"), 1)
    info = infos.get(node.input[0])
    rank = None if info is None else len(info.type.tensor_type.shape.dim) or None
    return bool(axis == -1 or (rank is not None and axis == rank - 1))
