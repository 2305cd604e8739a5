"""Types of the values that a model declares none for, as `onnx.shape_inference` finds them.

Deliberately absent: weights. The library serializes what it is given, so it gets a copy of the model in which a large
tensor is its type only. That also makes models of more than 2 GiB, and those with data beside them, like any other.

Best effort: where inference fails, the values stay unknown, and nothing that the model declares is overruled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, shape_inference

from frontends.onnx.errors import OnnxError
from frontends.onnx.read_graph import HEAVY, GraphRecord
from frontends.onnx.type_protos import TypesByBytes, declared_type

_ERRORS = (shape_inference.InferenceError, OnnxError, RuntimeError, ValueError, TypeError)  # protobuf's among them


def fill_types(model: ModelProto, records: Sequence[GraphRecord], types: TypesByBytes, *, is_small: bool) -> None:
    """Give the values of which no type is declared the types that can be inferred; not those in local functions.

    A model that `is_small` is given to the library as it is. `types` is filled.
    """
    untyped = [record for record in records if record.untyped and record.path is not None]
    if not untyped:
        return
    inferred = _infer(model) if is_small else None
    if inferred is None:
        inferred = _infer_without_weights(model, records, untyped)
    if inferred is not None:
        for graph in untyped:
            _fill(_find(inferred.graph, graph), graph, types)


def _infer_without_weights(
    model: ModelProto, records: Sequence[GraphRecord], untyped: Sequence[GraphRecord]
) -> ModelProto | None:
    try:
        skeleton = _skeleton(model, records)
    except _ERRORS:  # a text that is no UTF-8 can be read, but not be set
        return None
    inferred = _infer(skeleton)
    if inferred is None:
        for graph in untyped:  # maybe what is declared inside was at odds with it
            _find(skeleton.graph, graph).ClearField("value_info")
        inferred = _infer(skeleton)
    return inferred


def _infer(model: ModelProto) -> ModelProto | None:
    try:
        return shape_inference.infer_shapes(model)
    except _ERRORS:
        return None


def _fill(inferred: GraphProto, graph: GraphRecord, types: TypesByBytes) -> None:
    infos = {info.name: info for info in (*inferred.input, *inferred.value_info, *inferred.output)}
    for name, value in graph.untyped:
        info = infos.get(name)
        if info is None:
            continue
        try:
            value.type = types.get(info.type.SerializeToString()) or declared_type(info, types)
        except _ERRORS:
            continue


def _find(graph: GraphProto, place: GraphRecord) -> GraphProto:
    for node, attribute, index in place.path or ():
        held = graph.node[node].attribute[attribute]
        graph = held.g if held.HasField("g") else held.graphs[index]
    return graph


def _skeleton(model: ModelProto, records: Sequence[GraphRecord]) -> ModelProto:
    skeleton = ModelProto(ir_version=model.ir_version, opset_import=model.opset_import)
    if any(record.heavy for record in records if record.path is None):
        for function in model.functions:
            _copy_function(skeleton.functions.add(), function)
    else:
        skeleton.functions.extend(model.functions)
    main = next(record for record in records if record.path == ())
    _copy_ends(skeleton.graph, model.graph)
    _copy_but(skeleton.graph.initializer, model.graph.initializer, main.heavy_initializers, _copy_tensor)
    _copy_but(skeleton.graph.node, model.graph.node, sorted(main.heavy), _copy_node)
    return skeleton


def _copy_but(to: Any, source: Any, heavy: Sequence[int], copy: Callable[[Any, Any], None]) -> None:
    """Copy a list of protos at once, and by `copy` those at the positions of the heavy ones."""
    at = 0
    for position in heavy:
        to.extend(source[at:position])
        copy(to.add(), source[position])
        at = position + 1
    to.extend(source[at:] if at else source)


def _copy_function(to: FunctionProto, function: FunctionProto) -> None:
    for field in ("name", "domain", "overload"):
        setattr(to, field, getattr(function, field))
    for field in ("input", "output", "attribute", "attribute_proto", "opset_import", "value_info"):
        getattr(to, field).extend(getattr(function, field))
    for node in function.node:
        _copy_node(to.node.add(), node)


def _copy_graph(to: GraphProto, graph: GraphProto) -> None:
    _copy_ends(to, graph)
    for tensor in graph.initializer:
        _copy_tensor(to.initializer.add(), tensor)
    for node in graph.node:
        _copy_node(to.node.add(), node)


def _copy_ends(to: GraphProto, graph: GraphProto) -> None:
    """Copy all but the nodes and initializers."""
    to.name = graph.name
    to.input.extend(graph.input)
    to.output.extend(graph.output)
    to.value_info.extend(graph.value_info)
    to.sparse_initializer.extend(graph.sparse_initializer)


def _copy_node(to: NodeProto, node: NodeProto) -> None:
    if not any(_is_heavy(attribute) for attribute in node.attribute):
        to.CopyFrom(node)
        return
    for field in ("name", "op_type", "domain", "overload"):
        setattr(to, field, getattr(node, field))
    to.input.extend(node.input)
    to.output.extend(node.output)
    for attribute in node.attribute:
        _copy_attribute(to.attribute.add(), attribute)


def _copy_attribute(to: AttributeProto, attribute: AttributeProto) -> None:
    if not _is_heavy(attribute):
        to.CopyFrom(attribute)
        return
    to.name, to.type = attribute.name, attribute.type
    if attribute.HasField("t"):
        _copy_tensor(to.t, attribute.t)
    if attribute.HasField("g"):
        _copy_graph(to.g, attribute.g)
    for tensor in attribute.tensors:
        _copy_tensor(to.tensors.add(), tensor)
    for graph in attribute.graphs:
        _copy_graph(to.graphs.add(), graph)


def _is_heavy(attribute: AttributeProto) -> bool:
    """Whether there may be a large tensor inside."""
    tensors = [attribute.t] if attribute.HasField("t") else attribute.tensors
    return attribute.HasField("g") or len(attribute.graphs) > 0 or any(prod(tensor.dims) > HEAVY for tensor in tensors)


def _copy_tensor(to: TensorProto, tensor: TensorProto) -> None:
    if prod(tensor.dims) <= HEAVY and tensor.data_location != TensorProto.EXTERNAL:
        to.CopyFrom(tensor)
        return
    to.name, to.data_type = tensor.name, tensor.data_type
    to.dims.extend(tensor.dims)
