"""Matrix products of more kinds, and linear systems, beside JAX, scipy and the reference evaluator of ONNX."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import onnx
import scipy.linalg
from jax import lax
from onnx.reference import ReferenceEvaluator

from tests.runtime.semantics.check import Check, Pairs, outputs

RNG = np.random.default_rng
Axes = Sequence[int]


def dot_general() -> Pairs:
    cases: tuple[tuple[Axes, Axes, Axes, Axes, Axes, Axes], ...] = (
        ((3, 4), (4, 5), (1,), (0,), (), ()),
        ((2, 8, 3, 5), (2, 9, 3, 5), (3,), (3,), (0, 2), (0, 2)),
        ((4, 3, 6, 2), (2, 3, 4, 5), (0, 3), (2, 0), (1,), (1,)),
        ((3, 2), (4,), (), (), (), ()),
        ((5,), (5,), (0,), (0,), (), ()),
        ((1, 0, 3), (0, 4), (1,), (0,), (), ()),
        ((2, 3, 0), (2, 0, 4), (2,), (1,), (0,), (0,)),
    )
    for left, right, lc, rc, lb, rb in cases:
        a, b = RNG(1).normal(size=left), RNG(2).normal(size=right)
        with jax.enable_x64(True):
            expected = np.asarray(lax.dot_general(a, b, ((tuple(lc), tuple(rc)), (tuple(lb), tuple(rb)))))
        yield outputs(_dot_general(a, b, expected.shape, lc, rc, lb, rb), a=a, b=b)[0], expected
    codes = RNG(3).integers(-128, 128, (3, 300)).astype(np.int8)
    with jax.enable_x64(True):
        expected = np.asarray(lax.dot_general(codes, codes, (((1,), (1,)), ((), ()))))  # modulo 2 ** 8
    yield outputs(_dot_general(codes, codes, (3, 3), [1], [1], [], [], "i8"), a=codes, b=codes)[0], expected


def _dot_general(a: Any, b: Any, shape: Axes, lc: Axes, rc: Axes, lb: Axes, rb: Axes, dtype: str = "f64") -> str:
    return f"""func @main(%a: {_type(a.shape, dtype)}, %b: {_type(b.shape, dtype)}) {{
      %y: {_type(shape, dtype)} = graph.dot_general %a contracting {list(lc)}, %b contracting {list(rc)} {{
        lhs_batch = {list(lb)}, rhs_batch = {list(rb)}}}
      return %y
    }}"""


def fused_bias_act() -> Pairs:
    functions: dict[str, Any] = {"gelu": lambda x: jax.nn.gelu(x, approximate=False), "relu": jax.nn.relu}
    for left, right, name in (((5, 3), (3, 4), None), ((2, 5, 3), (3, 4), "gelu"), ((1, 3), (2, 3, 1), "relu")):
        x, w, b = RNG(1).normal(size=left), RNG(2).normal(size=right), RNG(3).normal(size=right[-1])
        with jax.enable_x64(True):
            expected = np.asarray(functions.get(str(name), lambda x: x)(jnp.matmul(x, w) + b))
        activation = "" if name is None else f" activation {name}"
        text = f"""func @main(%x: {_type(left)}, %w: {_type(right)}, %b: {_type(b.shape)}) {{
          %y: {_type(expected.shape)} = graph.fused_matmul_bias_act %x, %w, %b{activation}
          return %y
        }}"""
        yield outputs(text, x=x, w=w, b=b)[0], expected


def grouped() -> Pairs:
    """In the order of the experts, the rows are what `ragged_dot` takes; an expert without a row is among them."""
    x, w = RNG(1).normal(size=(7, 4)), RNG(2).normal(size=(4, 4, 5))
    for experts in (np.array([0, 0, 2, 2, 2, 3, 3]), np.array([3, 3, 0, 2, 0, 3, 2])):
        order = np.argsort(experts, kind="stable")
        expected = np.empty((7, 5))
        with jax.enable_x64(True):
            sizes = jnp.bincount(experts, length=4)
            expected[order] = np.asarray(lax.ragged_dot(jnp.asarray(x[order]), jnp.asarray(w), sizes))
        for dtype, numpy_type in (("i32", np.int32), ("f32", np.float32)):
            text = f"""func @main(%x: f64[7,4], %w: f64[4,4,5], %e: {dtype}[7]) {{
              %y: f64[7,5] = graph.grouped_matmul %x, %w experts %e
              return %y
            }}"""
            yield outputs(text, x=x, w=w, e=experts.astype(numpy_type))[0], expected


def lora() -> Pairs:
    """The adapter merged into the weights, `W + scale * A B`, gives the same product."""
    for rank in (1, 2, 4):
        x, w = RNG(1).normal(size=(5, 8)), RNG(2).normal(size=(8, 6))
        a, b = RNG(3).normal(size=(8, rank)), RNG(4).normal(size=(rank, 6))
        text = f"""func @main(%x: f64[5,8], %w: f64[8,6], %a: f64[8,{rank}], %b: f64[{rank},6]) {{
          %y: f64[5,6] = graph.lora_matmul %x, %w, %a, %b scale 0.375
          return %y
        }}"""
        yield outputs(text, x=x, w=w, a=a, b=b)[0], np.einsum("mk,kn->mn", x, w + 0.375 * np.einsum("kr,rn->kn", a, b))


def dense_solve() -> Pairs:
    for n, more in ((3, ()), (4, (2,)), (1, (1,)), (3, (3,)), (0, (2,))):
        a, b = RNG(1).normal(size=(n, n)), RNG(2).normal(size=(n, *more))
        text = f"""func @main(%a: {_type(a.shape)}, %b: {_type(b.shape)}) {{
          %x: {_type(b.shape)} = graph.dense_solve %a, %b
          return %x
        }}"""
        yield outputs(text, a=a, b=b)[0], scipy.linalg.solve(a, b) if n else b


def batched_dense_solve() -> Pairs:
    for n, more in ((3, ()), (4, (2,)), (2, (2,))):
        a, b = RNG(1).normal(size=(2, n, n)), RNG(2).normal(size=(2, n, *more))
        text = f"""func @main(%a: {_type(a.shape)}, %b: {_type(b.shape)}) {{
          %x: {_type(b.shape)} = graph.batched_dense_solve %a, %b
          return %x
        }}"""
        expected = np.stack([scipy.linalg.solve(*system) for system in zip(a, b, strict=True)])
        yield outputs(text, a=a, b=b)[0], expected
        a[1, -1, 0], expected[1] = np.nan, np.nan  # of which LAPACK makes a pivot of 0, or numbers
        yield outputs(text, a=a, b=b)[0], expected


def quantized() -> Pairs:
    """The scales are powers of two, so that ONNX's quotients are exact.

    Halves and saturation are among them. The zero points of results are even, as the evaluator adds them before
    it rounds.
    """
    x, w = (RNG(seed).integers(-128, 128, shape).astype(np.int8) for seed, shape in ((1, (6, 9)), (2, (9, 40))))
    for x_zero, w_zero, out_zero, scale in ((0, 0, 0, 2.0**-9), (-3, 7, 12, 2.0**-7), (127, -128, -128, 2.0**-11)):
        text = f"""func @main(%x: i8[6,9], %w: i8[9,40]) {{
          %y: i8[6,40] = graph.q_matmul %x, %w multiplier {scale} {{
            src_zero_point = {x_zero}, weights_zero_point = {w_zero}, out_zero_point = {out_zero}}}
          return %y
        }}"""
        yield outputs(text, x=x, w=w)[0], _q_linear_matmul(x, x_zero, w, w_zero, scale, out_zero)
    bias = RNG(3).integers(-3000, 3000, 40).astype(np.int32)
    text = """func @main(%x: i8[6,9], %w: i8[9,40], %b: i32[40]) {
      %y: i8[6,40] = graph.q_matmul %x, %w bias %b multiplier 0.0078125
      return %y
    }"""
    exact = x.astype(object) @ w.astype(object) + bias
    expected = [[min(127, max(-128, round(value / 128))) for value in row] for row in exact]
    yield outputs(text, x=x, w=w, b=bias)[0], np.array(expected)


def _q_linear_matmul(x: Any, x_zero: int, w: Any, w_zero: int, scale: float, out_zero: int) -> Any:
    names = ["a", "a_scale", "a_zero", "b", "b_scale", "b_zero", "y_scale", "y_zero"]
    node = onnx.helper.make_node("QLinearMatMul", names, ["y"])
    values = [
        x,
        np.float32(scale),
        np.int8(x_zero),
        w,
        np.float32(1),
        np.int8(w_zero),
        np.float32(1),
        np.int8(out_zero),
    ]
    arrays = dict(zip(names, map(np.asarray, values), strict=True))
    kinds = {name: onnx.helper.np_dtype_to_tensor_dtype(array.dtype) for name, array in arrays.items()}
    infos = [onnx.helper.make_tensor_value_info(name, kinds[name], array.shape) for name, array in arrays.items()]
    result = [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.INT8, None)]
    graph = onnx.helper.make_graph([node], "g", infos, result)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)])
    found: Any = ReferenceEvaluator(model).run(None, arrays)
    return found[0]


def _type(shape: Sequence[int], dtype: str = "f64") -> str:
    return f"{dtype}[{','.join(map(str, shape))}]"


CHECKS = (
    Check("graph.dot_general", "jax.lax.dot_general", dot_general, 1e-14),
    Check("graph.fused_matmul_bias_act", "jax.numpy, jax.nn", fused_bias_act, 1e-14),
    Check("graph.grouped_matmul", "jax.lax.ragged_dot", grouped, 1e-14),
    Check("graph.lora_matmul", "numpy.einsum, the adapter merged", lora, 1e-14),
    Check("graph.dense_solve", "scipy.linalg.solve", dense_solve, 1e-12),
    Check("graph.batched_dense_solve", "scipy.linalg.solve", batched_dense_solve, 1e-12),
    Check("graph.q_matmul", "onnx.reference QLinearMatMul, integers of Python", quantized, 0),
)
