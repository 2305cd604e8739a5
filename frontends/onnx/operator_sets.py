"""Raising the operator set of a model, where the types that a user wants came into operators later.

    raised(model, 22)

The library converts nodes, and `Constant`s and shapes that a conversion looks at; it gets the model without its large
tensors, which come back afterwards.

Deliberately absent: lowering, and raising what the library cannot convert: local functions import operator sets of
their own, which would have to move with that of the model.
"""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Final

from onnx import ModelProto, TensorProto, defs, helper, version_converter

from frontends.onnx.data_files import data_folders
from frontends.onnx.errors import OperatorSetError
from frontends.onnx.protobuf import DecodeError
from frontends.onnx.read_graph import HEAVY
from frontends.onnx.write_model import to_proto
from runtime.functions import Module

NEWEST: Final = defs.onnx_opset_version()


def raised_model(module: Module, version: int) -> tuple[ModelProto, Path | None]:
    """Return a module as a model with a higher operator set, and the folder that its data is in and stays in.

    Raises: OperatorSetError, and what `to_proto` raises.
    """
    folders = data_folders(module)
    if len(folders) > 1:
        raise OperatorSetError(f'the program reads data from several folders, "{folders[0]}" and "{folders[1]}"')
    return raised(to_proto(module), version), folders[0] if folders else None


def raised(model: ModelProto, version: int) -> ModelProto:
    """Return a model with a higher operator set, or the model itself where it has that.

    Raises: OperatorSetError where it cannot be had.
    """
    found = next((one.version for one in model.opset_import if one.domain in ("", "ai.onnx")), None)
    if found is None:
        raise OperatorSetError("the model does not say which operator set it is of")
    if found == version:
        return model
    if version < found:
        raise OperatorSetError(f"the model is of operator set {found}, which is not lowered to {version}")
    if version > NEWEST:
        raise OperatorSetError(f"there is no operator set {version}; the newest that onnx knows is {NEWEST}")
    if model.functions:
        name = model.functions[0].name
        raise OperatorSetError(f'the model has local functions, such as "{name}", which cannot be raised with it')
    heavy = [tensor for tensor in model.graph.initializer if _is_heavy(tensor)]
    try:
        result = version_converter.convert_version(_without(model, {tensor.name for tensor in heavy}), version)
    except (RuntimeError, ValueError, DecodeError, OSError) as error:
        reason = " ".join(str(error).split())
        raise OperatorSetError(f"onnx cannot convert operator set {found} to {version}: {reason}") from None
    _restore(result, model, heavy)
    return result


def _is_heavy(tensor: TensorProto) -> bool:
    return tensor.data_location == TensorProto.EXTERNAL or prod(tensor.dims) > HEAVY


def _without(model: ModelProto, heavy: set[str]) -> ModelProto:
    """Return a copy of a model in which large tensors are inputs."""
    copy = ModelProto()
    for field in model.DESCRIPTOR.fields_by_name:
        if field != "graph" and field != "functions":
            _copy_field(model, copy, field)
    for field in model.graph.DESCRIPTOR.fields_by_name:
        if field != "initializer":
            _copy_field(model.graph, copy.graph, field)
    inputs = {one.name for one in model.graph.input}
    for tensor in model.graph.initializer:
        if tensor.name not in heavy:
            copy.graph.initializer.add().CopyFrom(tensor)
        elif tensor.name not in inputs:
            copy.graph.input.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, tuple(tensor.dims)))
    return copy


def _copy_field(source: object, target: object, name: str) -> None:
    value = getattr(source, name)
    if hasattr(value, "MergeFrom"):
        getattr(target, name).MergeFrom(value)
    elif source.HasField(name):  # type: ignore[attr-defined]  # a message
        setattr(target, name, value)


def _restore(result: ModelProto, model: ModelProto, heavy: list[TensorProto]) -> None:
    """Give a converted model back what it was converted without, and what the library forgets."""
    declared = {one.name for one in model.graph.input}
    added = {tensor.name for tensor in heavy} - declared
    kept = [one for one in result.graph.input if one.name not in added]
    del result.graph.input[:]
    result.graph.input.extend(kept)
    for tensor in heavy:
        result.graph.initializer.add().CopyFrom(tensor)
    del result.metadata_props[:]
    result.metadata_props.extend(model.metadata_props)
    needed = helper.find_min_ir_version_for(result.opset_import, ignore_unknown=True)
    result.ir_version = max(model.ir_version, needed)
