"""Small ONNX models by hand, and what every converted one must be."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, parser
from onnx.reference import ReferenceEvaluator

import passes
from frontends.onnx import load, to_proto
from passes.auto_mixed_precision import AutoMixedPrecision
from passes.precision.report import PrecisionReport

F, F16, D, I64, B = (getattr(TensorProto, name) for name in ("FLOAT", "FLOAT16", "DOUBLE", "INT64", "BOOL"))


def value(name: str, dtype: int, shape: list[Any]) -> Any:
    return helper.make_tensor_value_info(name, dtype, shape)


def node(op: str, inputs: list[str], output: str, **attributes: Any) -> Any:
    return helper.make_node(op, inputs, [output], **attributes)


def graph(nodes: list[Any], inputs: list[Any], outputs: list[Any], **constants: Any) -> Any:
    """A region."""
    tensors = [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()]
    return helper.make_graph(nodes, "region", inputs, outputs, tensors)


def model(
    nodes: list[Any],
    inputs: list[Any],
    outputs: list[Any],
    constants: dict[str, Any] | None = None,
    opset: int = 17,
    functions: list[Any] | None = None,
) -> Any:
    tensors = [numpy_helper.from_array(np.asarray(array), name) for name, array in (constants or {}).items()]
    opsets = [helper.make_opsetid("", opset)] + [helper.make_opsetid(one.domain, 1) for one in (functions or [])[:1]]
    graph = helper.make_graph(nodes, "g", inputs, outputs, tensors)
    return helper.make_model(graph, opset_imports=opsets, ir_version=8, functions=functions or [])


def chain(
    *nodes: Any, constants: dict[str, Any] | None = None, opset: int = 17, shape: tuple[int, ...] = (2, 4)
) -> Any:
    """A model from `x` to `y`, both f32 of one shape."""
    return model(list(nodes), [value("x", F, list(shape))], [value("y", F, list(shape))], constants, opset)


def read(text: str, opset: int = 17, **constants: Any) -> Any:
    """A model by its text, with constants by name."""
    source = parser.parse_model(f'<ir_version: 8, opset_import: ["" : {opset}]> {text}')
    source.graph.initializer.extend(numpy_helper.from_array(np.asarray(one), name) for name, one in constants.items())
    return source


def convert(source: Any, policy: str = "autocast-f16", *, keep_functions: bool = False) -> tuple[Any, PrecisionReport]:
    """Return the checked result, in the operator set of its source, and the report; a second run changes nothing."""
    opset = next(one.version for one in source.opset_import if one.domain == "")
    module, report = passes.convert(load(source), policy, opset=opset, keep_functions=keep_functions)
    result = to_proto(module)
    onnx.checker.check_model(result, full_check=True)
    assert [v.SerializeToString() for v in result.graph.input] == [v.SerializeToString() for v in source.graph.input]
    assert [v.SerializeToString() for v in result.graph.output] == [v.SerializeToString() for v in source.graph.output]
    again = load(result)
    assert not AutoMixedPrecision(policy=policy).runOnModule(again)
    assert to_proto(again).SerializeToString() == result.SerializeToString()
    return result, report


def converted(source: Any, policy: str = "autocast-f16", *, keep_functions: bool = False) -> tuple[Any, dict[str, str]]:
    """Return the checked result, and what each value is computed in."""
    result, report = convert(source, policy, keep_functions=keep_functions)
    return result, {line.value: line.precision for line in report.lines if line.value is not None}


def precisions(source: Any, policy: str = "autocast-f16") -> dict[str, str]:
    """Return what each value is computed in."""
    return converted(source, policy)[1]


def agrees(source: Any, result: Any, tolerance: float, **feeds: Any) -> None:
    for want, got in zip(
        ReferenceEvaluator(source).run(None, feeds), ReferenceEvaluator(result).run(None, feeds), strict=True
    ):
        np.testing.assert_allclose(np.asarray(got, np.float64), np.asarray(want, np.float64), tolerance, tolerance)


def casts(graph: Any) -> list[tuple[str, int]]:
    return [(node.input[0], node.attribute[0].i) for node in graph.node if node.op_type == "Cast"]
