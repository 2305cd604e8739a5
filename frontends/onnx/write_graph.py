"""From blocks to graphs and functions of a model: the shell as it was read, filled with what the IR says now.

What a shell says of a value follows the value: a `value_info` entry gets its type where the two are at odds, goes where
the value is gone, and is added for a new value only where the values around it have one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from onnx import (
    AttributeProto,
    FunctionProto,
    GraphProto,
    NodeProto,
    ShardingSpecProto,
    TensorProto,
    ValueInfoProto,
)

from frontends.onnx.attributes import write_attribute
from frontends.onnx.errors import ExportError
from frontends.onnx.naming import FileNames, output_names
from frontends.onnx.piecewise import LeftOut, is_left_out
from frontends.onnx.plan import GraphPlan
from frontends.onnx.shells import LOOSE, ODD, ORDER, noted, parse_shell
from frontends.onnx.tensors import SparseOnnxTensor, tensor_of, write_tensor
from frontends.onnx.type_protos import TypesByBytes, code_of, contradicts, declared_type, is_sayable, write_type
from runtime.constants import Constant
from runtime.functions import Function
from runtime.generic import ONNX_DOMAIN, OnnxNode, Region
from runtime.instructions import Instruction
from runtime.lazy_tensors import LazyTensor, StoredTensor
from runtime.onnx_codes import CODE_OF_DTYPE
from runtime.types import Type
from runtime.values import Operand, Result, Value

_UNKNOWN = Type.unknown()
_NO_RESTS: Mapping[str, AttributeProto] = {}


class GraphWriter:
    """Writes the graphs of one function."""

    def __init__(self, label: str, names: FileNames, imports_onnx: bool, left_out: LeftOut | None = None) -> None:
        """Take what to call the values; `left_out` gets the large tensors of the graph, which are in no proto then."""
        self.label = label
        self._left_out = left_out
        self.names = names
        self._spelled: dict[Any, str] = {None: "", **names.values}  # by operand; what is absent has no name
        self._imports_onnx = imports_onnx
        self._types: TypesByBytes = {}

    def write_graph(self, proto: GraphProto, plan: GraphPlan) -> None:
        """Fill an empty proto with a graph."""
        assert isinstance(plan.shell, GraphProto)
        proto.CopyFrom(plan.shell)
        del proto.node[:]
        if plan.block.carried is None:
            proto.name = "main" if isinstance(plan.block.owner, Function) else "region"
        self._write_inputs(proto, plan)
        self._write_initializers(proto, plan, self._left_out if isinstance(plan.block.owner, Function) else None)
        specs = self._write_nodes(proto, plan)
        self._write_outputs(proto, plan)
        self._write_value_info(proto, plan)
        if specs or proto.quantization_annotation:
            self._rename_annotations(proto, plan, specs)

    def write_function(self, proto: FunctionProto, plan: GraphPlan) -> None:
        """Fill an empty proto with a local function."""
        assert isinstance(plan.shell, FunctionProto)
        proto.CopyFrom(plan.shell)
        del proto.node[:], proto.input[:], proto.output[:]
        proto.input.extend(self._name(argument) for argument in plan.block.arguments)
        for initializer in plan.initializers:  # a function has none
            node = self._own_node(proto, "Constant", (), self._name(initializer))
            attribute = node.attribute.add(name="value", type=AttributeProto.TENSOR)
            self._write_tensor(attribute.t, initializer.value, self._name(initializer))
        self._write_nodes(proto, plan)
        proto.output.extend(self._final_outputs(plan))
        self._write_value_info(proto, plan)

    def _name(self, value: Operand) -> str:
        return self.names.values[value]

    def _write_inputs(self, proto: GraphProto, plan: GraphPlan) -> None:
        arguments = plan.block.arguments
        if len(arguments) != len(proto.input) or any(
            self._name(argument) != info.name for argument, info in zip(arguments, proto.input, strict=True)
        ):
            known = {info.name: info for info in plan.shell.input if isinstance(info, ValueInfoProto)}
            by_position = list(known.values()) if len(arguments) == len(known) else [None] * len(arguments)
            del proto.input[:]
            for argument, found in zip(arguments, by_position, strict=True):
                name = self._name(argument)
                self._add_info(proto.input.add(), known.get(name, found), name, argument)
        for argument, info in zip(arguments, proto.input, strict=True):
            self._update_type(info, argument, exactly=True)

    def _write_initializers(self, proto: GraphProto, plan: GraphPlan, left_out: LeftOut | None) -> None:
        tensors: dict[str, LazyTensor | Constant] = {}
        for initializer in plan.initializers:
            if initializer.type.dtype is not initializer.value.dtype:
                raise ExportError(f"{self.label}: {initializer!r} holds elements of {initializer.value.dtype}")
            tensors[self._name(initializer)] = initializer.value
        for argument in plan.block.arguments:
            if argument.default is not None:
                tensors[self._name(argument)] = argument.default
        for name in (*(known for known in noted(plan.shell, ORDER) if known in tensors), *tensors):
            value = tensors.pop(name, None)
            if isinstance(value, StoredTensor):
                value = tensor_of(value)
            if isinstance(value, SparseOnnxTensor):
                sparse = proto.sparse_initializer.add()
                sparse.CopyFrom(value.proto)
                if sparse.values.name != name:
                    sparse.values.name = name
            elif left_out is not None and value is not None and is_left_out(value, name):
                left_out[name] = value
                code = code_of(value.dtype) if isinstance(value, Constant) else value.proto.data_type
                proto.initializer.add(name=name, data_type=code, dims=value.shape)
            elif value is not None:
                self._write_tensor(proto.initializer.add(), value, name)

    def _write_nodes(self, proto: GraphProto | FunctionProto, plan: GraphPlan) -> list[ShardingSpecProto]:
        """Write the nodes, and return what they say of values by name."""
        specs: list[ShardingSpecProto] = []
        add, name_of, new_names = proto.node.add, self._spelled.__getitem__, self.names.nodes
        for node in plan.nodes:
            written = add()
            carried = node.carried
            rests = _write_carried(written, carried) if carried else _NO_RESTS
            written.op_type = node.op_type
            if node.domain != ONNX_DOMAIN:
                written.domain = node.domain
            if node.overload:
                written.overload = node.overload
            name = new_names[node] if node.node_name is None else node.node_name
            if name:
                written.name = name
            written.input.extend(map(name_of, node.values))
            absent = node.absent
            if absent:
                written.output.extend(["" if at in absent else name_of(one) for at, one in enumerate(node.results)])
            else:
                written.output.extend(map(name_of, node.results))
            if node.attributes:
                self._write_attributes(written, node, plan, rests)
            if carried:
                specs += (spec for one in written.device_configurations for spec in one.sharding_spec)
        for value, name in self.names.identities.get(plan, ()):
            self._own_node(proto, "Identity", (self._name(value),), name)
        return specs

    def _write_attributes(
        self, proto: NodeProto, node: OnnxNode, plan: GraphPlan, rests: Mapping[str, AttributeProto]
    ) -> None:
        inner = plan.inner.get(node, ())

        def write(graph: GraphProto, region: Region) -> None:
            self.write_graph(graph, inner[region.index])

        add = proto.attribute.add
        for attribute, value in node.attributes.items():
            try:
                write_attribute(add(), attribute, value, rests.get(attribute), write)
            except (TypeError, ValueError, IndexError) as error:  # protobuf's, for a value that does not fit
                raise ExportError(f"{self.label}: {node!r}: attribute {attribute!r} = {value!r}: {error}") from None

    def _own_node(self, proto: GraphProto | FunctionProto, op: str, inputs: Iterable[str], output: str) -> NodeProto:
        """Add a node that the IR has in another form."""
        if not self._imports_onnx:
            raise ExportError(f"{self.label}: {output!r} needs {op}, but the model does not import {ONNX_DOMAIN}")
        node: NodeProto = proto.node.add(op_type=op, input=inputs, output=(output,))
        return node

    def _final_outputs(self, plan: GraphPlan) -> list[str]:
        renamed = self.names.identities.get(plan, ())
        names = []
        for value, declared in zip(plan.outputs, self._declared_outputs(plan), strict=True):
            names.append(declared if (value, declared) in renamed else self._name(value))
        return names

    def _declared_outputs(self, plan: GraphPlan) -> list[str]:
        declared = output_names(plan)
        return declared if len(declared) == len(plan.outputs) else [self._name(value) for value in plan.outputs]

    def _write_outputs(self, proto: GraphProto, plan: GraphPlan) -> None:
        names = self._final_outputs(plan)
        if [info.name for info in proto.output] != names:
            known = {info.name: info for info in plan.shell.output if isinstance(info, ValueInfoProto)}
            del proto.output[:]
            for name, value in zip(names, plan.outputs, strict=True):
                self._add_info(proto.output.add(), known.get(name), name, value)
        odd = frozenset(noted(plan.shell, ODD))
        for info, value in zip(proto.output, plan.outputs, strict=True):
            if info.name not in odd:
                self._update_type(info, value)

    def _update_type(self, info: ValueInfoProto, value: Operand, exactly: bool = False) -> None:
        """Bring what is declared in step with the type of a value, where they are at odds or (`exactly`) differ at all.

        An entry without a type says nothing, and stays so.
        """
        if not info.HasField("type"):
            return
        declared, type = declared_type(info, self._types), value.type
        if declared is type or type is _UNKNOWN or declared is _UNKNOWN or not (exactly or contradicts(declared, type)):
            return
        if declared.kind is not type.kind:
            info.ClearField("type")
        elif declared.shape == type.shape and type.dtype in CODE_OF_DTYPE:
            info.type.tensor_type.elem_type = CODE_OF_DTYPE[type.dtype]
            return
        self._declare(info, type)

    def _add_info(self, to: ValueInfoProto, carried: ValueInfoProto | None, name: str, value: Operand) -> None:
        if carried is not None:
            to.CopyFrom(carried)
        to.name = name
        if carried is None and is_sayable(value.type):
            self._declare(to, value.type)

    def _declare(self, info: ValueInfoProto, type: Type) -> None:
        try:
            write_type(info.type, type)
        except ValueError as error:
            raise ExportError(f'{self.label}: value "{info.name}": {error}') from None

    def _write_value_info(self, proto: GraphProto | FunctionProto, plan: GraphPlan) -> None:
        if not proto.value_info:
            return
        outputs = frozenset(self._declared_outputs(plan))
        by_name: dict[str | None, Value] = {}
        for value in plan.values:
            by_name.setdefault(value.name, value)
        loose = frozenset(noted(plan.shell, LOOSE))
        odd = frozenset(noted(plan.shell, ODD))
        declared: set[Operand] = set()
        gone = []
        for at, info in enumerate(proto.value_info):
            name = info.name
            found = by_name.get(name)
            written = None if found is None else self._name(found)
            if found is None or (written != name and written in outputs):
                if found is not None or name not in loose:
                    gone.append(at)
                continue
            if written != name:
                info.name = name = self._name(found)
            if name not in odd:
                is_result = isinstance(found, (OnnxNode, Result))
                self._update_type(info, found, exactly=is_result and found not in declared)
            declared.add(found)
        for at in reversed(gone):
            del proto.value_info[at]
        for value in self._new_results(plan):
            name = self._name(value)
            if name not in outputs and is_sayable(value.type) and not declared.isdisjoint(_neighbours(value)):
                self._declare(proto.value_info.add(name=name), value.type)

    def _new_results(self, plan: GraphPlan) -> list[Value]:
        names = self.names.values
        return [result for result in plan.results if names[result] != result.name]

    def _rename_annotations(self, proto: GraphProto, plan: GraphPlan, specs: Iterable[ShardingSpecProto]) -> None:
        """Let what is said of values by name follow those whose name in the file is not the one that they had."""
        renamed: dict[str, str] = {}
        for value in plan.values:
            if value.name and value.name != self._name(value):
                renamed.setdefault(value.name, self._name(value))
        if not renamed:
            return
        for annotation in proto.quantization_annotation:
            annotation.tensor_name = renamed.get(annotation.tensor_name, annotation.tensor_name)
            for entry in annotation.quant_parameter_tensor_names:
                entry.value = renamed.get(entry.value, entry.value)
        for spec in specs:
            spec.tensor_name = renamed.get(spec.tensor_name, spec.tensor_name)

    def _write_tensor(self, proto: TensorProto, value: LazyTensor | Constant, name: str) -> None:
        try:
            write_tensor(proto, value, name)
        except ExportError as error:
            raise ExportError(f"{self.label}: {error}") from None


def _write_carried(proto: NodeProto, carried: bytes) -> Mapping[str, AttributeProto]:
    """Fill an empty node with what the front end kept of one, and return the rests of attributes, by name."""
    shell = parse_shell(NodeProto, carried)
    proto.CopyFrom(shell)
    del proto.attribute[:]
    return {rest.name: rest for rest in shell.attribute}


def _neighbours(value: Value) -> Iterable[Operand]:
    """Yield what the node of a value reads, and what the nodes that read the value give."""
    inst = value.owner if isinstance(value, Result) else value
    if isinstance(inst, Instruction):
        yield from inst.operands()
    for user in value.users:
        yield from user.results
