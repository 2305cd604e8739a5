"""Programs of one instruction, whose types are those of the arrays that go in and that are expected to come out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
import onnx
from numpy.typing import NDArray
from onnx.reference import ReferenceEvaluator

from runtime.rounding import natural_dtype
from tests.runtime.semantics.check import outputs

Array = NDArray[Any]

QUICKLY = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}  # to compile


def beside(form: str, *expected: Any, **inputs: Array) -> list[tuple[Array, Any]]:
    """Return what an instruction gives, each value beside what is expected of it; `%name` is the input `name`."""
    return list(zip(outputs(program(form, expected, inputs), **inputs), expected, strict=True))


def program(form: str, results: Sequence[Any], inputs: Mapping[str, Array]) -> str:
    """Return the program of one instruction; its results have the types of the arrays `results`."""
    arguments = ", ".join(f"%{name}: {type_of(array)}" for name, array in inputs.items())
    names = [f"%r{index}" for index in range(len(results))]
    left = ", ".join(f"{name}: {type_of(array)}" for name, array in zip(names, results, strict=True))
    return f"func @main({arguments}) {{\n  {left} = {form}\n  return {', '.join(names)}\n}}"


def type_of(array: Any) -> str:
    """Return the type of an array, as text."""
    found = np.asarray(array)
    return f"{natural_dtype(found.dtype)}[{','.join(map(str, found.shape))}]"


def normal(seed: int, *shape: int) -> NDArray[np.float64]:
    """Return f64 numbers around 0."""
    return np.random.default_rng(seed).normal(size=shape)


def by_onnx(op: str, *inputs: Array | None, results: int = 1, opset: int = 24, **attributes: Any) -> list[Array]:
    """Return what the reference evaluator of ONNX makes of one operator; None is an input that is absent."""
    given = {f"x{index}": array for index, array in enumerate(inputs) if array is not None}
    names = [f"x{index}" if array is not None else "" for index, array in enumerate(inputs)]
    outs = [f"y{index}" for index in range(results)]
    infos = [
        onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in given.items()
    ]
    made = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.DOUBLE, None) for name in outs]
    graph = onnx.helper.make_graph([onnx.helper.make_node(op, names, outs, **attributes)], "g", infos, made)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)])
    found: Any = ReferenceEvaluator(model).run(None, given)
    return [np.asarray(array) for array in found]


def by_jax(function: Callable[..., Any], *inputs: Any) -> Any:
    """Return what a function of JAX makes of arrays, in f64; compiled as a whole, once for each function and shape."""
    with jax.enable_x64(True):
        return jax.tree.map(np.asarray, _CALLED(function, *inputs))


def pulled_back(function: Callable[..., Any], inputs: Sequence[Array], gradient: Any) -> list[Array]:
    """Return the gradients by all inputs of a function of JAX, from that by its result, in f64."""
    with jax.enable_x64(True):
        return [np.asarray(array) for array in _PULLED_BACK(function, tuple(inputs), gradient)]


def _pulled_back(function: Callable[..., Any], inputs: Any, gradient: Any) -> Any:
    return jax.vjp(function, *inputs)[1](gradient)


_CALLED = jax.jit(lambda function, *inputs: function(*inputs), static_argnums=0, compiler_options=QUICKLY)
_PULLED_BACK = jax.jit(_pulled_back, static_argnums=0, compiler_options=QUICKLY)
