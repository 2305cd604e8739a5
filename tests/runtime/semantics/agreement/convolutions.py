"""Convolutions of more kinds and their gradients beside JAX, the evaluator of ONNX, and finite differences."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import onnx
from jax import lax
from onnx.reference import ReferenceEvaluator
from scipy import special

from tests.runtime.interpreter.one_instruction import by_onnx
from tests.runtime.semantics.check import Check, Pairs, gradients, outputs

RNG = np.random.default_rng
CASES: tuple[tuple[tuple[int, ...], tuple[int, ...], int, list[int], list[int], list[int]], ...] = (
    ((2, 3, 6, 5), (4, 3, 3, 2), 1, [1, 1], [0, 0, 0, 0], [1, 1]),
    ((1, 4, 7, 8), (6, 2, 3, 2), 2, [2, 3], [1, 0, 2, 1], [1, 2]),
    ((2, 2, 5, 5), (2, 1, 1, 1), 2, [2, 2], [0, 1, 0, 0], [1, 1]),
)
"""Extents of what is convolved and of weights, groups, strides, padding and dilations; strides may leave a rest."""


def convolved(x: Any, w: Any, groups: int, strides: Any, padding: Any, dilations: Any) -> Any:
    half = len(padding) // 2
    pads = list(zip(padding[:half], padding[half:], strict=True))
    return lax.conv_general_dilated(x, w, strides, pads, rhs_dilation=dilations, feature_group_count=groups)


def conv3d() -> Pairs:
    for x, w, groups, strides, padding, dilations in (
        ((1, 2, 5, 6, 4), (2, 1, 2, 2, 3), 2, [1, 2, 1], [0, 1, 1, 0, 0, 1], [1, 1, 1]),
        ((2, 3, 4, 4, 5), (2, 3, 3, 1, 2), 1, [1, 1, 2], [1, 0, 0, 1, 0, 0], [1, 1, 2]),
    ):
        yield _forward("conv3d", x, w, groups, strides, padding, dilations)


def _forward(name: str, src: Any, weights: Any, groups: int, *lists: Any) -> tuple[Any, Any]:
    x, w = RNG(1).normal(size=src), RNG(2).normal(size=weights)
    expected = _conv(x, w, groups, *lists)
    text = f"""func @main(%x: {_type(src)}, %w: {_type(weights)}) {{
      %y: {_type(expected.shape)} = graph.{name} %x, %w {_attributes(groups, *lists)}
      return %y
    }}"""
    return outputs(text, x=x, w=w)[0], expected


def _conv(x: Any, w: Any, groups: int, strides: Any, padding: Any, dilations: Any) -> Any:
    lists = {"strides": strides, "pads": padding, "dilations": dilations}
    return by_onnx("Conv", x, w, group=groups, kernel_shape=list(w.shape[2:]), **lists)


def fused_bias_act() -> Pairs:
    functions: dict[str, Any] = {"relu": lambda x: np.maximum(x, 0), "silu": lambda x: x * special.expit(x)}
    for (src, weights, groups, *lists), name in zip(CASES, (None, *functions), strict=True):
        x, w, b = RNG(1).normal(size=src), RNG(2).normal(size=weights), RNG(3).normal(size=weights[0])
        sums = _conv(x, w, groups, *lists)
        r, biased = RNG(4).normal(size=sums.shape), sums + b[:, None, None]
        function = functions.get(str(name), lambda x: x)
        totals = {" bias %b": biased, " residual %r": sums + r, " bias %b residual %r": biased + r}
        shape, act = _type(r.shape), "" if name is None else f" activation {name}"
        for more, total in totals.items():
            text = f"""func @main(%x: {_type(src)}, %w: {_type(weights)}, %b: {_type(b.shape)}, %r: {shape}) {{
              %y: {shape} = graph.fused_conv_bias_act %x, %w{more}{act} {_attributes(groups, *lists)}
              return %y
            }}"""
            yield outputs(text, x=x, w=w, b=b, r=r)[0], function(total)


def im2col() -> Pairs:
    """The patches that JAX takes out, and matrices that times weights are convolutions."""
    for src, weights, _, strides, padding, dilations in CASES:
        x, w = RNG(1).normal(size=src), RNG(2).normal(size=(weights[0], src[1], *weights[2:]))
        convolution = _conv(x, w, 1, strides, padding, dilations)
        rows, columns = convolution.size // weights[0], src[1] * weights[2] * weights[3]
        lists = f"strides = {strides}, padding = {padding}, dilations = {dilations}"
        text = f"""func @main(%x: {_type(src)}) {{
          %y: f64[{rows},{columns}] = graph.im2col %x window {list(weights[2:])} {{{lists}}}
          return %y
        }}"""
        (found,) = outputs(text, x=x)
        yield found @ w.reshape(len(w), -1).T, np.moveaxis(convolution, 1, -1).reshape(rows, -1)
    pads = list(zip(padding[:2], padding[2:], strict=True))
    with jax.enable_x64(True):
        patches = lax.conv_general_dilated_patches(jnp.asarray(x), weights[2:], strides, pads, rhs_dilation=dilations)
    yield found, np.moveaxis(np.asarray(patches), 1, -1).reshape(rows, columns)


TRANSPOSED: tuple[tuple[tuple[int, ...], tuple[int, ...], int, list[int], list[int], list[int], list[int]], ...] = (
    ((1, 3, 4, 5), (3, 2, 3, 2), 1, [1, 1], [0, 0, 0, 0], [1, 1], [0, 0]),
    ((2, 4, 3, 4), (4, 3, 3, 2), 2, [2, 3], [1, 0, 0, 1], [1, 2], [1, 2]),
    ((1, 2, 1, 1), (2, 1, 2, 2), 1, [3, 2], [1, 1, 0, 0], [1, 1], [0, 1]),
    ((1, 2, 2, 1), (2, 1, 1, 1), 2, [2, 3], [1, 2, 2, 0], [1, 1], [1, 2]),  # all windows are left out, not what is more
)


def transposed2d() -> Pairs:
    for case in TRANSPOSED:
        yield from _transposed(2, *case)


def transposed3d() -> Pairs:
    yield from _transposed(3, (1, 2, 3, 2, 4), (2, 1, 2, 3, 2), 1, [2, 1, 3], [0, 1, 0, 1, 0, 1], [1, 2, 1], [1, 0, 0])
    yield from _transposed(3, (2, 2, 2, 2, 2), (2, 2, 2, 1, 2), 2, [1, 1, 2], [0] * 6, [1, 1, 2], [0, 0, 1])


def _transposed(
    rank: int, src: Any, weights: Any, groups: int, strides: Any, padding: Any, dilations: Any, more: Any
) -> Pairs:
    """The evaluator of ONNX has no groups that are right, but the gradient of a convolution has."""
    x, w, b = RNG(1).normal(size=src), RNG(2).normal(size=weights), RNG(3).normal(size=weights[1] * groups)
    lists = {"strides": strides, "pads": padding, "dilations": dilations}
    if groups == 1:
        expected = by_onnx("ConvTranspose", x, w, b, kernel_shape=list(weights[2:]), output_padding=more, **lists)
    else:
        spatial = [
            (n - 1) * stride + (k - 1) * dilation + 1 + extra - before - after
            for n, stride, k, dilation, extra, before, after in zip(
                src[2:], strides, weights[2:], dilations, more, padding[:rank], padding[rank:], strict=True
            )
        ]
        with jax.enable_x64(True):
            forward = partial(convolved, w=jnp.asarray(w), groups=groups, strides=strides)
            like = jnp.zeros((src[0], weights[1] * groups, *spatial))
            _, pull = jax.vjp(partial(forward, padding=padding, dilations=dilations), like)
            expected = np.asarray(pull(jnp.asarray(x))[0]) + b.reshape(-1, *(1,) * rank)
    text = f"""func @main(%x: {_type(src)}, %w: {_type(weights)}, %b: {_type(b.shape)}) {{
      %y: {_type(expected.shape)} = graph.conv_transpose{rank}d %x, %w bias %b {{
        strides = {strides}, padding = {padding}, dilations = {dilations}, output_padding = {more}, groups = {groups}}}
      return %y
    }}"""
    yield outputs(text, x=x, w=w, b=b)[0], expected


def quantized() -> Pairs:
    """The zero points of results are even, as the evaluator may add them before it rounds."""
    for (src, weights, groups, *lists), zeros in zip(CASES, ((0, 0, 0), (-5, 3, 8), (127, -128, -64)), strict=True):
        x, w = RNG(1).integers(-128, 128, src).astype(np.int8), RNG(2).integers(-128, 128, weights).astype(np.int8)
        b = RNG(3).integers(-3000, 3000, weights[0]).astype(np.int32)
        expected = _q_linear_conv(x, w, b, zeros, 2.0**-8, groups, *lists)
        points = "src_zero_point = {}, weights_zero_point = {}, out_zero_point = {}".format(*zeros)
        text = f"""func @main(%x: {_type(src, "i8")}, %w: {_type(weights, "i8")}, %b: {_type(b.shape, "i32")}) {{
          %y: {_type(expected.shape, "i8")} = graph.q_conv2d %x, %w bias %b multiplier {2.0**-8} {{
            {points}, {_attributes(groups, *lists)[1:]}
          return %y
        }}"""
        yield outputs(text, x=x, w=w, b=b)[0], expected


def _q_linear_conv(x: Any, w: Any, b: Any, zeros: Any, scale: float, groups: int, *lists: Any) -> Any:
    names = ["x", "x_scale", "x_zero", "w", "w_scale", "w_zero", "y_scale", "y_zero", "b"]
    named = dict(zip(("strides", "pads", "dilations"), lists, strict=True))
    node = onnx.helper.make_node("QLinearConv", names, ["y"], group=groups, kernel_shape=w.shape[2:], **named)
    one, codes = np.array(1, np.float32), [np.array(zero, np.int8) for zero in zeros]
    values = [x, np.array(scale, np.float32), codes[0], w, one, codes[1], one, codes[2], b]
    arrays = dict(zip(names, values, strict=True))
    kinds = {name: onnx.helper.np_dtype_to_tensor_dtype(array.dtype) for name, array in arrays.items()}
    infos = [onnx.helper.make_tensor_value_info(name, kinds[name], array.shape) for name, array in arrays.items()]
    result = [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.INT8, None)]
    graph = onnx.helper.make_graph([node], "g", infos, result)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)])
    found: Any = ReferenceEvaluator(model).run(None, arrays)
    return found[0]


def backward_input() -> Pairs:
    for src, weights, groups, *lists in CASES[1:]:
        x, w = RNG(1).normal(size=src), RNG(2).normal(size=weights)
        with jax.enable_x64(True):
            y, pull = jax.vjp(lambda x, w=w, g=groups, a=lists: convolved(x, jnp.asarray(w), g, *a), jnp.asarray(x))
            dy = RNG(3).normal(size=y.shape)
            expected = np.asarray(pull(jnp.asarray(dy))[0])
        text = f"""func @main(%d: {_type(dy.shape)}, %w: {_type(weights)}) {{
          %x: {_type(src)} = graph.conv2d_backward_input %d, %w {_attributes(groups, *lists)}
          return %x
        }}"""
        yield outputs(text, d=dy, w=w)[0], expected


def backward_weight() -> Pairs:
    for src, weights, groups, *lists in CASES[1:]:
        x, w = RNG(1).normal(size=src), RNG(2).normal(size=weights)
        with jax.enable_x64(True):
            y, pull = jax.vjp(lambda w, x=x, g=groups, a=lists: convolved(jnp.asarray(x), w, g, *a), jnp.asarray(w))
            dy = RNG(3).normal(size=y.shape)
            expected = np.asarray(pull(jnp.asarray(dy))[0])
        text = f"""func @main(%x: {_type(src)}, %d: {_type(dy.shape)}) {{
          %w: {_type(weights)} = graph.conv2d_backward_weight %x, %d {_attributes(groups, *lists)}
          return %w
        }}"""
        yield outputs(text, x=x, d=dy)[0], expected


def gradients_of_conv() -> Pairs:
    """What is handed back beside differences of graph.conv itself."""
    src, weights, groups, *lists = CASES[1]
    x, w = RNG(1).normal(size=src), RNG(2).normal(size=weights)
    forward = f"""func @main(%x: {_type(src)}, %w: {_type(weights)}) {{
      %y: f64[1,6,4,3] = graph.conv %x, %w {_attributes(groups, *lists)}
      return %y
    }}"""
    dy = RNG(3).normal(size=(1, 6, 4, 3))
    text = f"""func @main(%w: {_type(weights)}, %d: f64[1,6,4,3]) {{
      %a: {_type(src)} = graph.conv2d_backward_input %d, %w {_attributes(groups, *lists)}
      return %a
    }}"""
    yield outputs(text, w=w, d=dy)[0], gradients(forward, {"x": x, "w": w}, [dy], "x")


def max_pool_backward() -> Pairs:
    """Windows that overlap, ties, padding, a window of minus infinities, and differences of graph.pool."""
    for src, window, strides, padding in (
        ((2, 3, 6, 5), (2, 2), (2, 2), [0, 0, 0, 0]),
        ((1, 2, 7, 8), (3, 2), (2, 1), [1, 0, 1, 1]),
    ):
        for x in (RNG(1).normal(size=src), RNG(2).integers(0, 3, src).astype(np.float64)):
            pads = [(0, 0), (0, 0), *zip(padding[:2], padding[2:], strict=True)]
            with jax.enable_x64(True):
                y, pull = jax.vjp(lambda x, w=window, s=strides, p=pads: _max_pool(x, w, s, p), jnp.asarray(x))
                dy = RNG(3).normal(size=y.shape)
                expected = np.asarray(pull(jnp.asarray(dy))[0])
            yield outputs(_pooled(src, dy.shape, window, strides, padding), x=x, d=dy)[0], expected
    found = outputs(
        _pooled((1, 1, 2, 2), (1, 1, 1, 1), (2, 2), (1, 1), [0] * 4),
        x=np.full((1, 1, 2, 2), -np.inf),
        d=np.ones((1, 1, 1, 1)),
    )
    yield found[0], np.zeros((1, 1, 2, 2))
    x, dy = RNG(4).normal(size=(1, 2, 5, 5)), RNG(5).normal(size=(1, 2, 3, 3))
    forward = """func @main(%x: f64[1,2,5,5]) {
      %y: f64[1,2,3,3] = graph.pool max %x window [3, 3] {strides = [2, 2], padding = [1, 1, 1, 1]}
      return %y
    }"""
    text = _pooled(x.shape, dy.shape, (3, 3), (2, 2), [1, 1, 1, 1])
    yield np.round(outputs(text, x=x, d=dy)[0], 6), np.round(gradients(forward, {"x": x}, [dy], "x"), 6)


def _max_pool(x: Any, window: Any, strides: Any, pads: Any) -> Any:
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, *window), (1, 1, *strides), pads)


def _pooled(src: Any, gradient: Any, window: Any, strides: Any, padding: Any) -> str:
    return f"""func @main(%x: {_type(src)}, %d: {_type(gradient)}) {{
      %y: {_type(src)} = graph.max_pool2d_backward %x, %d window {list(window)} {{
        strides = {list(strides)}, padding = {padding}}}
      return %y
    }}"""


def resize_nearest2x() -> Pairs:
    scales = np.array([1, 1, 2, 2], np.float32)
    how = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    for shape in ((1, 3, 4, 5), (2, 1, 1, 1)):
        x = RNG(1).normal(size=shape)
        text = f"""func @main(%x: {_type(shape)}) {{
          %y: {_type((*shape[:2], 2 * shape[2], 2 * shape[3]))} = graph.resize_nearest2x %x
          return %y
        }}"""
        yield outputs(text, x=x)[0], by_onnx("Resize", x, np.zeros(0), scales, **how)


def _attributes(groups: int, strides: Any, padding: Any, dilations: Any) -> str:
    return f"{{strides = {strides}, padding = {padding}, dilations = {dilations}, groups = {groups}}}"


def _type(shape: Sequence[int], dtype: str = "f64") -> str:
    return f"{dtype}[{','.join(map(str, shape))}]"


CHECKS = (
    Check("graph.conv3d", "onnx.reference Conv", conv3d, 1e-13),
    Check("graph.fused_conv_bias_act", "onnx.reference Conv, numpy, scipy", fused_bias_act, 1e-13),
    Check("graph.im2col", "jax.lax.conv_general_dilated_patches, onnx.reference Conv", im2col, 1e-14),
    Check(
        "graph.conv_transpose2d", "onnx.reference ConvTranspose, jax.vjp of conv_general_dilated", transposed2d, 1e-13
    ),
    Check(
        "graph.conv_transpose3d", "onnx.reference ConvTranspose, jax.vjp of conv_general_dilated", transposed3d, 1e-13
    ),
    Check("graph.q_conv2d", "onnx.reference QLinearConv", quantized, 0),
    Check("graph.conv2d_backward_input", "jax.vjp of conv_general_dilated", backward_input, 1e-13),
    Check("graph.conv2d_backward_input", "differences of graph.conv", gradients_of_conv, 1e-6),
    Check("graph.conv2d_backward_weight", "jax.vjp of conv_general_dilated", backward_weight, 1e-13),
    Check("graph.max_pool2d_backward", "jax.vjp of reduce_window, differences of graph.pool", max_pool_backward, 1e-14),
    Check("graph.resize_nearest2x", "onnx.reference Resize", resize_nearest2x, 0),
)
