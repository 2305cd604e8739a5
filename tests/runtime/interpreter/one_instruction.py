"""One instruction of the graph dialect on arrays, and what the reference evaluator of ONNX makes of them."""

from typing import Any

import onnx
import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray
from onnx.reference import ReferenceEvaluator

from tests.runtime.interpreter.programs import Program


def by_onnx(op: str, *inputs: NDArray[Any], **attributes: Any) -> NDArray[Any]:
    """Return what the reference evaluator of ONNX makes of one operation."""
    names = [f"x{index}" for index in range(len(inputs))]
    node = onnx.helper.make_node(op, names, ["y"], **attributes)
    kinds = [onnx.helper.np_dtype_to_tensor_dtype(array.dtype) for array in inputs]
    infos = [onnx.helper.make_tensor_value_info(n, k, a.shape) for n, k, a in zip(names, kinds, inputs, strict=True)]
    graph = onnx.helper.make_graph([node], "g", infos, [onnx.helper.make_tensor_value_info("y", kinds[0], None)])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 22)])
    outputs: Any = ReferenceEvaluator(model).run(None, dict(zip(names, inputs, strict=True)))
    result: NDArray[Any] = outputs[0]
    return result


def run_one(make: Any, **inputs: tuple[str, NDArray[Any]]) -> NDArray[Any]:
    """Return what one instruction makes of arrays; `make` gets an argument for each."""
    program = Program()
    values = [program.argument(name, dtype, *array.shape) for name, (dtype, array) in inputs.items()]
    program.returns(program.insert(make(*values), "result"))
    result: NDArray[Any] = program.run(**{name: array for name, (_, array) in inputs.items()})["result"]
    return result


def by_onnxruntime(op: str, *inputs: NDArray[Any], **attributes: Any) -> NDArray[Any]:
    """Return what onnxruntime makes of one operation."""
    names = [f"x{index}" for index in range(len(inputs))]
    kind = onnx.helper.np_dtype_to_tensor_dtype(inputs[0].dtype)
    infos = [
        onnx.helper.make_tensor_value_info(name, kind, array.shape) for name, array in zip(names, inputs, strict=True)
    ]
    node = onnx.helper.make_node(op, names, ["y"], **attributes)
    graph = onnx.helper.make_graph([node], "g", infos, [onnx.helper.make_tensor_value_info("y", kind, None)])
    opset = onnx.helper.make_opsetid("", 21)
    model = onnx.helper.make_model(graph, opset_imports=[opset], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    result: NDArray[Any] = session.run(None, dict(zip(names, inputs, strict=True)))[0]
    return result
