"""Computing the nodes of a model: `runtime.run(load("model.onnx"), inputs)` does so by what is here.

Operators are those of `onnx.reference`, except the versions of some that it computes wrongly: `corrections` has those,
and says what is wrong with each; `shortcuts` computes some slow ones to the same bits. Operands of f16 and bf16 go in
as f32, and each result is rounded once, by the interpreter to the type that the value has, or here to the one that the
operator's schema gives where the IR knows none.
Regions and local functions run on the interpreter itself, so the same holds inside them.

Deliberately absent: random operators that repeat themselves, and `Scan` as it was before operator set 9.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, TypeProto, helper
from onnx.reference import ReferenceEvaluator

from frontends.onnx.attributes import read_attribute, write_attribute
from frontends.onnx.control_flow import CONTROL
from frontends.onnx.corrections import find_correction
from frontends.onnx.protobuf import encoded
from frontends.onnx.schemas import domain_in_files, schema_of
from frontends.onnx.shells import import_operator_sets, parse_shell
from frontends.onnx.shortcuts import shortcut
from frontends.onnx.tensors import tensor_of
from runtime.dtypes import DType, bf16, f16, f32
from runtime.functions import Function, Module
from runtime.generic import ONNX_DOMAIN, AttributeReference, Initializer, OnnxNode, Region
from runtime.instructions import Instruction
from runtime.interpreter.errors import InterpreterError, MissingSemanticsError
from runtime.lazy_tensors import LazyTensor, StoredTensor
from runtime.rounding import cast_array
from runtime.semantics import Machine

_LOW = {dtype.numpy: dtype for dtype in (f16, bf16)}
_LARGEST_SHARED = 4096  # bytes of a node whose evaluator others may use; a constant is compared with no other
_BITWISE = frozenset({"BitCast"})  # for these a wider operand is another one


def evaluator(module: Module) -> Evaluator:
    """Return what computes the ONNX nodes of a module, for `runtime.run`."""
    return Evaluator(module)


class Evaluator:
    """Called with an instruction, its operands and the machine; returns the results, or None for what is no node."""

    uses_machine = True

    def __init__(self, module: Module) -> None:
        self._module = module
        self._versions = module.root_function.operator_sets if module.functions else {}
        self._arguments: dict[str, Any] = {}  # attributes that the call under way gives to the local function
        self._evaluators: dict[object, ReferenceEvaluator] = {}
        self._shared: dict[object, ReferenceEvaluator] = {}  # by what a node says

    def __call__(self, inst: Instruction, operands: Sequence[Any], machine: Machine) -> tuple[Any, ...] | None:
        if isinstance(inst, Initializer) and isinstance(inst.value, StoredTensor) and inst.value.dtype is None:
            return (tensor_of(inst.value).array,)
        if not isinstance(inst, OnnxNode):
            return None
        values: tuple[Any, ...] = operands[0]
        attributes = self._resolved(inst)
        function = self._module.functions.get(inst.callee)
        if function is not None:
            return self._call(inst, function, attributes, values, machine)
        control = CONTROL.get(inst.op_type) if inst.domain == ONNX_DOMAIN else None
        if control is not None and (inst.op_type != "Scan" or self._versions.get(ONNX_DOMAIN, 9) >= 9):
            return control(inst, attributes, values, machine)
        if inst.blocks:
            return None  # which region runs when is not known
        constant = attributes.get("value") if inst.op_type == "Constant" and inst.domain == ONNX_DOMAIN else None
        if isinstance(constant, LazyTensor):
            return ((tensor_of(constant) if isinstance(constant, StoredTensor) else constant).array,)
        return self._compute(inst, attributes, values)

    def _resolved(self, inst: OnnxNode) -> dict[str, Any]:
        """Return the attributes, references to those of the call replaced by what they refer to, or left out."""
        attributes = {}
        for name, value in inst.attributes.items():
            if isinstance(value, AttributeReference):
                if value.name not in self._arguments:
                    continue
                value = self._arguments[value.name]
            attributes[name] = value
        return attributes

    def _call(
        self, inst: OnnxNode, function: Function, attributes: dict[str, Any], values: Sequence[Any], machine: Machine
    ) -> tuple[Any, ...]:
        """Run a local function; operands that the call leaves out are absent in it too."""
        shell = parse_shell(FunctionProto, function.body.carried)
        given = {proto.name: read_attribute(proto, None)[0] for proto in shell.attribute_proto}
        with self._inside(function, given | attributes):
            missing = len(function.args) - len(values)
            if missing < 0:
                raise InterpreterError(
                    f"calls @{function.name} with {len(values)} operands, it has {len(function.args)}"
                )
            returned = machine.run(function.body, [*values, *[None] * missing])
        return returned[: len(inst.results)]

    @contextmanager
    def _inside(self, function: Function, arguments: dict[str, Any]) -> Iterator[None]:
        outer = self._versions, self._arguments
        self._versions, self._arguments = function.operator_sets, arguments
        try:
            yield
        finally:
            self._versions, self._arguments = outer

    def _compute(self, inst: OnnxNode, attributes: dict[str, Any], values: Sequence[Any]) -> tuple[Any, ...]:
        dtypes = [_low_dtype(value) for value in values]
        if inst.op_type not in _BITWISE:
            values = [_widened(value) for value in values]
        computed = iter(self._computed(inst, attributes, values))
        results = [None if at in inst.absent else next(computed) for at in range(len(inst.results))]
        if any(dtypes):
            results = [self._narrowed(inst, at, result, dtypes) for at, result in enumerate(results)]
        return tuple([np.asarray(result) if isinstance(result, np.generic) else result for result in results])

    def _computed(self, inst: OnnxNode, attributes: dict[str, Any], values: Sequence[Any]) -> Sequence[Any]:
        """Return the results that are not absent, from the correction of the operator or from the reference."""
        correction = find_correction(inst.domain, inst.op_type, self._versions.get(inst.domain))
        if correction is not None:
            if any(at not in inst.absent for at in range(1, len(inst.results))):
                raise MissingSemanticsError(f"{inst.label}: results besides the first are not known", inst)
            with _errors_at(inst):
                return (correction(attributes, values),)
        if inst.domain == ONNX_DOMAIN and len(inst.results) == 1:
            with _errors_at(inst):
                quick = shortcut(inst.op_type, attributes, values)
            if quick is not None:
                return (quick,)
        reference = self._evaluator_of(inst, attributes, values)
        feeds = {f"i{at}": value for at, value in enumerate(values) if value is not None}
        with _errors_at(inst), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # the mean of nothing is NaN: a result, and no accident
            return list(reference.run(None, feeds))

    def _evaluator_of(self, inst: OnnxNode, attributes: dict[str, Any], values: Sequence[Any]) -> ReferenceEvaluator:
        types = [_type_of(value) for value in values]
        own = any(isinstance(value, AttributeReference) for value in inst.attributes.values())
        key = (inst, tuple(types), id(self._arguments) if own else None)
        found = self._evaluators.get(key)
        if found is None:
            found = self._shared_evaluator(inst, attributes, types)
            if not own:
                self._evaluators[key] = found
        return found

    def _shared_evaluator(self, inst: OnnxNode, attributes: dict[str, Any], types: Sequence[Any]) -> ReferenceEvaluator:
        """Return the evaluator of all nodes that are alike; making one takes a millisecond."""
        node = NodeProto(op_type=inst.op_type, domain=domain_in_files(inst.domain))
        node.input.extend("" if type is None else f"i{at}" for at, type in enumerate(types))
        node.output.extend("" if at in inst.absent else f"o{at}" for at in range(len(inst.results)))
        for name, value in attributes.items():
            write_attribute(node.attribute.add(), name, value, None, _no_graph)
        versions = tuple(sorted(self._versions.items()))
        key = (encoded(node), tuple(types), versions) if node.ByteSize() <= _LARGEST_SHARED else None
        found = None if key is None else self._shared.get(key)
        if found is None:
            found = self._make_evaluator(inst, node, types)
            if key is not None:
                self._shared[key] = found
        return found

    def _make_evaluator(self, inst: OnnxNode, node: NodeProto, types: Sequence[Any]) -> ReferenceEvaluator:
        graph = GraphProto(name="node", node=[node])
        for at, type in enumerate(types):
            if type is not None:
                graph.input.add(name=f"i{at}", type=TypeProto.FromString(type))
        graph.output.extend(helper.make_empty_tensor_value_info(name) for name in node.output if name)
        model = ModelProto(graph=graph, ir_version=10)
        import_operator_sets(model, self._versions)
        with _errors_at(inst):
            return ReferenceEvaluator(model)

    def _narrowed(self, inst: OnnxNode, at: int, result: Any, dtypes: Sequence[DType | None]) -> Any:
        """Return a result rounded to the type that the schema gives it, where the IR does not know it."""
        if isinstance(result, list):
            low = next(dtype for dtype in dtypes if dtype)
            return [_rounded(one, low) for one in result]
        if inst.results[at].type.dtype is not None:
            return result
        dtype = self._schema_dtype(inst, at, dtypes)
        return result if dtype is None else _rounded(result, dtype)

    def _schema_dtype(self, inst: OnnxNode, at: int, dtypes: Sequence[DType | None]) -> DType | None:
        schema = schema_of(inst.domain, inst.op_type, self._versions.get(inst.domain, 1))
        if schema is None:
            return None
        wanted = schema.outputs[min(at, len(schema.outputs) - 1)].type_str
        for index, dtype in enumerate(dtypes):
            if schema.inputs[min(index, len(schema.inputs) - 1)].type_str == wanted:
                return dtype
        return None


@contextmanager
def _errors_at(inst: OnnxNode) -> Iterator[None]:
    """Say at which node the computation failed."""
    try:
        yield
    except NotImplementedError as error:
        raise MissingSemanticsError(f"{inst.label}: {error}", inst) from error
    except Exception as error:  # whatever an implementation of an operator raises
        raise InterpreterError(f"cannot be computed: {type(error).__name__}: {error}", inst) from error


def _low_dtype(value: Any) -> DType | None:
    if isinstance(value, list):
        return next((dtype for dtype in map(_low_dtype, value) if dtype), None)
    return _LOW.get(value.dtype) if isinstance(value, np.ndarray) else None


def _widened(value: Any) -> Any:
    if isinstance(value, list):
        return [_widened(one) for one in value]
    return value.astype(np.float32) if _low_dtype(value) else value


def _rounded(value: Any, dtype: DType) -> Any:
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype == np.float32:
        return cast_array(np.asarray(value), f32, dtype)
    return value


def _type_of(value: Any) -> bytes | None:
    """Return the bytes of the `TypeProto` of an operand; None where it is absent."""
    if value is None:
        return None
    if isinstance(value, list):
        first = next((one for one in value if one is not None), np.float32(0))
        return encoded(helper.make_sequence_type_proto(TypeProto.FromString(_type_of(first) or b"")))
    return _type_of_array(np.asarray(value).dtype)


@cache
def _type_of_array(dtype: np.dtype[Any]) -> bytes:
    return encoded(helper.make_tensor_type_proto(helper.np_dtype_to_tensor_dtype(dtype), None))


def _no_graph(proto: GraphProto, region: Region) -> None:
    raise InterpreterError("an operator with regions that is not known")
