"""Raising the operator set of a model, where the types that a user wants came into operators later.

    raised(model, 22)

The library converts nodes, and `Constant`s and shapes that a conversion looks at; it gets the model without its large
and its sparse tensors, which come back afterwards, and so does what it forgets: texts, metadata, declared types.

Deliberately absent: lowering, and raising what the library cannot convert: local functions import operator sets of
their own, which would have to move with that of the model. What it converts wrongly is refused
(`frontends/onnx/changed_operators.py`).
"""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Final

from onnx import (
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    checker,
    helper,
    numpy_helper,
    shape_inference,
    version_converter,
)

from frontends.onnx.changed_operators import graphs_in, nodes_of, refuse_changed
from frontends.onnx.errors import OperatorSetError
from frontends.onnx.light_models import copy_but, copy_field, is_heavy
from frontends.onnx.protobuf import DecodeError
from frontends.onnx.schemas import NEWEST

_ASYMMETRIC: Final = 10  # the last operator set in which Resize and Upsample have one way to sample


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
    heavy = [tensor for tensor in model.graph.initializer if is_heavy(tensor)]
    light = _without(model, {tensor.name for tensor in heavy})
    refuse_changed(light, found, version)
    try:
        result = version_converter.convert_version(light, version)
    except (version_converter.ConvertError, RuntimeError, ValueError, DecodeError, OSError) as error:
        reason = " ".join(str(error).split())
        raise OperatorSetError(f"onnx cannot convert operator set {found} to {version}: {reason}") from None
    _tell_apart(result, model)
    if found <= _ASYMMETRIC < version:
        _state_the_sampling(result.graph, {})
    for at, output in enumerate(model.graph.output):  # the library infers their shapes anew
        result.graph.output[at].CopyFrom(output)
    _check(result, version)
    _restore(result, model, heavy)
    return result


def _check(result: ModelProto, version: int) -> None:
    """Hold a converted model against the rules of onnx, which the library does not itself.

    Raises: OperatorSetError.
    """
    try:
        checker.check_model(result, full_check=True)
    except (checker.ValidationError, shape_inference.InferenceError, DecodeError) as error:
        reason = " ".join(str(error).split())
        raise OperatorSetError(f"onnx refuses what it makes of it in operator set {version}: {reason}") from None


def _without(model: ModelProto, heavy: set[str]) -> ModelProto:
    """Return a copy of a model in which large tensors are inputs, and sparse ones."""
    copy = copy_but(model, {"functions"}, {"initializer", "sparse_initializer"})
    inputs = {one.name for one in model.graph.input}
    for tensor in model.graph.initializer:
        if tensor.name not in heavy:
            copy.graph.initializer.add().CopyFrom(tensor)
        elif tensor.name not in inputs:
            copy.graph.input.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, tuple(tensor.dims)))
    for sparse in model.graph.sparse_initializer:
        if sparse.values.name not in inputs:
            held = sparse.values
            copy.graph.input.append(helper.make_tensor_value_info(held.name, held.data_type, tuple(sparse.dims)))
    return copy


def _restore(result: ModelProto, model: ModelProto, heavy: list[TensorProto]) -> None:
    """Give a converted model back what it was converted without, and what the library forgets."""
    declared = {one.name for one in model.graph.input}
    added = {tensor.name for tensor in (*heavy, *[one.values for one in model.graph.sparse_initializer])} - declared
    ends = {one.name: one for one in (*model.graph.output, *model.graph.input)}
    kept = [ends.get(one.name, one) for one in result.graph.input if one.name not in added]
    del result.graph.input[:]
    result.graph.input.extend(kept)
    for tensor in heavy:
        result.graph.initializer.add().CopyFrom(tensor)
    result.graph.sparse_initializer.extend(model.graph.sparse_initializer)
    for field in ("metadata_props", "training_info", "configuration"):
        _take_over(result, model, field)
    for field in ("doc_string", "metadata_props", "quantization_annotation"):
        _take_over(result.graph, model.graph, field)
    _restore_texts(result.graph, model.graph)
    needed = helper.find_min_ir_version_for(result.opset_import, ignore_unknown=True)
    result.ir_version = max(model.ir_version, needed)


def _take_over(result: ModelProto | GraphProto | NodeProto | TensorProto, source: object, field: str) -> None:
    if field in result.DESCRIPTOR.fields_by_name:  # a library of another age may not have it
        result.ClearField(field)
        copy_field(source, result, field)


def _restore_texts(result: GraphProto, model: GraphProto) -> None:
    """Give weights, declared values and nodes back what is said about them, where they still are."""
    tensors = {tensor.name: tensor for tensor in model.initializer}
    for tensor in result.initializer:
        for field in ("doc_string", "metadata_props") if tensor.name in tensors else ():
            _take_over(tensor, tensors[tensor.name], field)
    infos = {info.name: info for info in model.value_info}
    for info in result.value_info:
        declared = infos.get(info.name)
        if declared is not None and _element(declared) == _element(info):
            info.CopyFrom(declared)
    nodes = {node.output[0]: node for node in nodes_of(model) if node.output}
    for node in nodes_of(result):
        before = nodes.get(node.output[0]) if node.output else None
        for field in ("doc_string", "metadata_props", "device_configurations") if before is not None else ():
            _take_over(node, before, field)


def _element(info: ValueInfoProto) -> object:
    kind = info.type.WhichOneof("value")
    return kind, info.type.tensor_type.elem_type if kind == "tensor_type" else None


def _tell_apart(result: ModelProto, model: ModelProto) -> None:
    """Give a name of its own to each value that the library has added in a sub-graph: it counts from 1 in each of them.

    Raises: OperatorSetError where the library has taken a name of the model.
    """
    before = Counter(_defined(model.graph))
    added = Counter(_defined(result.graph)) - before
    again = next((name for name in added if name in before), None)
    if again is not None:
        raise OperatorSetError(f'onnx gives two values the name "{again}" while it converts the model')
    if any(times > 1 for times in added.values()):
        _rename(result.graph, added, {*before, *added}, ChainMap())


def _defined(graph: GraphProto) -> Iterator[str]:
    for node in graph.node:
        yield from node.output
        for inner in graphs_in(node):
            yield from _defined(inner)


def _rename(graph: GraphProto, added: Mapping[str, int], taken: set[str], names: ChainMap[str, str]) -> None:
    """Rename what several graphs define, where `names` are those that hold around a graph."""
    for node in graph.node:
        for at, name in enumerate(node.input):
            node.input[at] = names.get(name, name)
        for inner in graphs_in(node):
            _rename(inner, added, taken, names.new_child())
        for at, name in enumerate(node.output):
            if added.get(name, 0) > 1:
                names[name] = next(one for number in count(1) if (one := f"{name}_{number}") not in taken)
                taken.add(names[name])
                node.output[at] = names[name]
    for info in (*graph.output, *graph.value_info):
        info.name = names.get(info.name, info.name)


def _state_the_sampling(graph: GraphProto, outer: Mapping[str, TensorProto]) -> None:
    """Let each Resize sample as it did before there was a choice: element i is taken at i / scale, rounded down.

    Where there become fewer elements it is rounded up; scales that are computed are taken to enlarge. The library
    leaves that to the defaults, which take the middle of an element.

    Raises: OperatorSetError where one axis becomes longer and another one shorter, which have one attribute for both.
    """
    constants = ChainMap({one.name: one for one in graph.initializer}, dict(outer))
    for node in graph.node:
        if node.op_type == "Constant" and node.attribute and node.attribute[0].HasField("t"):
            constants[node.output[0]] = node.attribute[0].t
        if node.op_type == "Resize" and node.domain in ("", "ai.onnx"):
            scales = constants.get(node.input[2])
            ways = {"floor"} if scales is None else {_rounded(one) for one in numpy_helper.to_array(scales).ravel()}
            is_nearest = all(one.name != "mode" or one.s == b"nearest" for one in node.attribute)
            if is_nearest and {"floor", "ceil"} <= ways:
                name = node.name or node.output[0]
                raise OperatorSetError(f"no later Resize makes one axis longer, another one shorter as {name} does")
            node.attribute.append(helper.make_attribute("coordinate_transformation_mode", "asymmetric"))
            node.attribute.append(helper.make_attribute("nearest_mode", "ceil" if "ceil" in ways else "floor"))
        for inner in graphs_in(node):
            _state_the_sampling(inner, constants)


def _rounded(scale: float) -> str | None:
    """Return how the place of an element is rounded; None where it is an integer."""
    if scale > 1:
        return "floor"
    return None if float(1 / scale).is_integer() else "ceil"
