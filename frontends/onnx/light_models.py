"""Models without their large tensors, for libraries that copy what they are given.

Deliberately absent: one way to leave a tensor out. Where shapes matter it becomes an input
(`frontends/onnx/operator_sets.py`), where only names do, an empty tensor (`frontends/onnx/inlining.py`).
"""

from __future__ import annotations

from math import prod

from onnx import ModelProto, TensorProto

from frontends.onnx.read_graph import HEAVY


def is_heavy(tensor: TensorProto) -> bool:
    """Whether a tensor is not to be copied: it is large, or its data is beside the model."""
    return tensor.data_location == TensorProto.EXTERNAL or prod(tensor.dims) > HEAVY


def copy_but(model: ModelProto, fields: set[str], fields_of_graph: set[str]) -> ModelProto:
    """Return a copy of a model without some fields, and without some of its graph."""
    copy = ModelProto()
    for field in model.DESCRIPTOR.fields_by_name:
        if field != "graph" and field not in fields:
            copy_field(model, copy, field)
    for field in model.graph.DESCRIPTOR.fields_by_name:
        if field not in fields_of_graph:
            copy_field(model.graph, copy.graph, field)
    return copy


def copy_field(source: object, target: object, name: str) -> None:
    """Copy one field of a message to another message of its kind."""
    value = getattr(source, name)
    if hasattr(value, "MergeFrom"):
        getattr(target, name).MergeFrom(value)
    elif source.HasField(name):  # type: ignore[attr-defined]  # a message
        setattr(target, name, value)
