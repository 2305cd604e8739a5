"""Small models for the tests, and what is asked of every one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from frontends.onnx import load, to_proto
from frontends.onnx.equality import why_different
from runtime.functions import Module
from runtime.generic import Initializer, OnnxNode

F32, F16, I64, BOOL = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.INT64, TensorProto.BOOL

Array = NDArray[Any]


def value(name: str, code: int = F32, shape: Sequence[int | str | None] | None = (2,)) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, code, shape)


def constant(name: str, data: Any) -> TensorProto:
    return numpy_helper.from_array(np.asarray(data), name)


def node(op: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any) -> NodeProto:
    return helper.make_node(op, inputs, outputs, **attributes)


def graph(
    nodes: Sequence[NodeProto],
    inputs: Sequence[ValueInfoProto] = (),
    outputs: Sequence[ValueInfoProto] = (),
    constants: Sequence[TensorProto] = (),
    name: str = "graph",
    **more: Any,
) -> GraphProto:
    return helper.make_graph(nodes, name, inputs, outputs, constants, **more)


def model(
    nodes: Sequence[NodeProto],
    inputs: Sequence[ValueInfoProto] = (),
    outputs: Sequence[ValueInfoProto] = (),
    constants: Sequence[TensorProto] = (),
    opset: int = 17,
    **more: Any,
) -> ModelProto:
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in more.pop("domains", ()))]
    settings = {"ir_version": more.pop("ir_version", 8), "functions": more.pop("functions", ())}
    return helper.make_model(graph(nodes, inputs, outputs, constants, **more), opset_imports=imports, **settings)


def chain() -> ModelProto:
    """Return `y = relu(x + w)`, with a declared type in the middle."""
    nodes = [node("Add", ["x", "w"], ["s"], name="add"), node("Relu", ["s"], ["y"], name="relu")]
    return model(nodes, [value("x")], [value("y")], [constant("w", np.ones(2, np.float32))], value_info=[value("s")])


def check_lossless(proto: ModelProto) -> Module:
    """Check that a model comes back as it was, also from a clone; return its module."""
    before = proto.SerializeToString(deterministic=True)
    module = load(proto)
    again = to_proto(module)
    assert why_different(proto, again) is None
    assert why_different(proto, to_proto(module.clone())) is None
    assert proto.SerializeToString(deterministic=True) == before
    check_uses(module)
    return module


def check_uses(module: Module) -> None:
    """Check that use-lists and operands agree."""
    uses: dict[Any, int] = {}
    for inst in module.insts:
        for operand in inst.operands():
            uses[operand] = uses.get(operand, 0) + 1
    for inst in module.insts:
        for result in inst.results:
            assert result.n_uses == uses.get(result, 0)
    for operand, count in uses.items():
        assert operand.n_uses == count


def check_valid(module: Module) -> ModelProto:
    """Check that a module gives a model that onnx accepts, and gives it again when it is read; return the model."""
    proto = to_proto(module)
    onnx.checker.check_model(proto, full_check=True)
    assert why_different(proto, to_proto(load(proto))) is None
    return proto


def computed(proto: ModelProto, **inputs: Array) -> list[Any]:
    """Return what onnx's own evaluator computes."""
    return list(ReferenceEvaluator(proto).run(None, inputs))


def nodes_of(module: Module, op_type: str = "") -> list[OnnxNode]:
    return [inst for inst in module.insts if isinstance(inst, OnnxNode) and op_type in ("", inst.op_type)]


def initializers_of(module: Module) -> list[Initializer]:
    return [inst for inst in module.insts if isinstance(inst, Initializer)]
