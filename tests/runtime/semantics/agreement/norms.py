"""Normalisations beside the reference evaluator of ONNX and JAX, their gradients beside those of JAX."""

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import onnx

from runtime.dtypes import bf16
from tests.runtime.semantics.check import Check, Pairs, gradients
from tests.runtime.semantics.from_arrays import beside, by_jax, by_onnx, normal, program, pulled_back

EPSILONS = (2.0**-17, 0.5)  # ONNX holds an epsilon in f32
LARGE = 1e4 * (1 + 1e-3 * normal(9, 2, 3, 4))  # a mean far above the deviations


def layer_norm() -> Pairs:
    for axis, shape in ((-1, (2, 3, 4)), (1, (2, 3, 4)), (0, (5,)), (-2, (1, 1, 7)), (1, (3, 1)), (-1, (0, 4))):
        x, g, b = normal(1, *shape), normal(2, *shape[axis:]), normal(3, *shape[axis:])
        for epsilon in EPSILONS:
            (expected,) = by_onnx("LayerNormalization", x, g, b, axis=axis, epsilon=epsilon)
            yield from beside(
                f"graph.layer_norm %x gamma %g beta %b {{axis = {axis}, epsilon = {epsilon}}}", expected, x=x, g=g, b=b
            )
        (expected,) = by_onnx("LayerNormalization", x, g, axis=axis, epsilon=0.25)
        yield from beside(f"graph.layer_norm %x gamma %g {{axis = {axis}, epsilon = 0.25}}", expected, x=x, g=g)


def layer_norm_in_jax() -> Pairs:
    for x in (LARGE, normal(4, 2, 3, 4)):
        yield from beside("graph.layer_norm %x gamma %g", by_jax(_layer, x, np.ones(4), 0.0), x=x, g=np.ones(4))


def layer_norm_in_bf16() -> Pairs:
    """One rounding: the f64 result, rounded, is that of the program in bf16 bit for bit."""
    x, g = (normal(5, *shape).astype(bf16.numpy) for shape in ((6, 32), (32,)))
    wide = by_jax(_layer, x.astype(np.float64), g.astype(np.float64), 0.0)
    yield from beside("graph.layer_norm %x gamma %g", wide.astype(x.dtype), x=x, g=g)


def rms_norm() -> Pairs:
    for axis, shape in ((-1, (2, 3, 4)), (1, (2, 3, 4)), (0, (5,)), (-1, (3, 1))):
        x, g, b = normal(1, *shape), normal(2, *shape[axis:]), normal(3, *shape[axis:])
        for epsilon in EPSILONS:
            options = f"{{axis = {axis}, epsilon = {epsilon}}}"
            (expected,) = by_onnx("RMSNormalization", x, g, axis=axis, epsilon=epsilon)
            yield from beside(f"graph.rms_norm %x gamma %g {options}", expected, x=x, g=g)
            yield from beside(f"graph.rms_norm %x gamma %g beta %b {options}", expected + b, x=x, g=g, b=b)


def group_norm() -> Pairs:
    for shape, groups in (((2, 6, 4, 3), 3), ((2, 6, 5), 1), ((1, 4, 2, 3, 2), 4), ((1, 2, 1, 1), 2)):
        x, g, b = normal(1, *shape), normal(2, shape[1]), normal(3, shape[1])
        for epsilon in EPSILONS:
            (expected,) = by_onnx(
                "GroupNormalization", x, g, b, num_groups=groups, epsilon=epsilon, stash_type=onnx.TensorProto.DOUBLE
            )
            form = f"graph.group_norm %x groups {groups} gamma %g beta %b {{epsilon = {epsilon}}}"
            yield from beside(form, expected, x=x, g=g, b=b)


def fused(name: str, normalised: Callable[..., Any]) -> Callable[[], Pairs]:
    def pairs() -> Iterator[tuple[Any, Any]]:
        for shape in ((2, 3, 4), (5,), (3, 1)):
            x, r = normal(1, *shape), normal(2, *shape)
            c, g, b = normal(3, shape[-1]), normal(4, shape[-1]), normal(5, shape[-1])
            for epsilon in EPSILONS:
                end = f"gamma %g beta %b {{epsilon = {epsilon}}}"
                plain, biased = (normalised(total, g, epsilon) + b for total in (x + r, x + r + c))
                yield from beside(f"graph.{name} %x, %r {end}", plain, x=x, r=r, g=g, b=b)
                yield from beside(f"graph.{name} %x, %r bias %c {end}", biased, x=x, r=r, c=c, g=g, b=b)

    return pairs


def _layer_by_onnx(x: Any, gamma: Any, epsilon: float) -> Any:
    return by_onnx("LayerNormalization", x, gamma, epsilon=epsilon)[0]


def _rms_by_onnx(x: Any, gamma: Any, epsilon: float) -> Any:
    return by_onnx("RMSNormalization", x, gamma, epsilon=epsilon)[0]


ONTO = (((2, 3, 4), (2, 1, 4)), ((2, 3, 1), (1, 1)))


def ada_layer_norm() -> Pairs:
    for (shape, onto), epsilon in itertools.product((*ONTO, ((3, 4), (3, 4))), EPSILONS):
        x, s, t = normal(1, *shape), normal(2, *onto), normal(3, *onto)
        for norm, normalised in (("layer_norm", _layer_by_onnx), ("rms_norm", _rms_by_onnx)):
            expected = normalised(x, np.ones(shape[-1]), epsilon) * (1 + s) + t
            form = f"graph.ada_layer_norm {norm} %x scale %s shift %t {{epsilon = {epsilon}}}"
            yield from beside(form, expected, x=x, s=s, t=t)


def ada_layer_norm_backward() -> Pairs:
    for shape, onto in ONTO:
        x, s, t, d = normal(1, *shape), normal(2, *onto), normal(3, *onto), normal(4, *shape)
        for norm, function in NORMS.items():
            expected = pulled_back(lambda x, s, t, f=function: f(x, 1 + s, t, 1e-2), (x, s, t), d)
            form = f"graph.ada_layer_norm_backward {norm} %x scale %s shift %t gradient %d {{epsilon = 0.01}}"
            yield from beside(form, *expected, x=x, s=s, t=t, d=d)


def ada_layer_norm_differences() -> Pairs:
    inputs = {"x": normal(1, 2, 3, 4), "s": normal(2, 2, 1, 4), "t": normal(3, 2, 1, 4)}
    d = normal(4, 2, 3, 4)
    for norm in NORMS:
        text = program(f"graph.ada_layer_norm {norm} %x scale %s shift %t", [d], inputs)
        expected = [gradients(text, inputs, [d], wrt) for wrt in inputs]
        form = f"graph.ada_layer_norm_backward {norm} %x scale %s shift %t gradient %d"
        yield from beside(form, *expected, **inputs, d=d)


def backward(wrt: int, form: str, *used: str) -> Callable[[], Pairs]:
    """The gradient by one operand of a layer normalisation, beside that of JAX."""

    def pairs() -> Iterator[tuple[Any, Any]]:
        for axis, shape in ((1, (2, 3, 4)), (0, (5,)), (-1, (3, 1))):
            given = {"x": normal(1, *shape), "g": normal(2, *shape[axis:]), "d": normal(3, *shape)}
            forward = partial(_layer, beta=0.0, epsilon=1e-2, axis=axis)
            expected = pulled_back(forward, (given["x"], given["g"]), given["d"])[wrt]
            inputs = {name: given[name] for name in used}
            yield from beside(f"{form} {{axis = {axis}, epsilon = 0.01}}", expected, **inputs)

    return pairs


def differences(wrt: int, form: str, *used: str) -> Callable[[], Pairs]:
    """The gradient by one operand of a layer normalisation, beside differences of the forward instruction."""

    def pairs() -> Pairs:
        given = {"x": normal(1, 2, 3, 4), "g": normal(2, 3, 4)}
        d = normal(3, 2, 3, 4)
        text = program("graph.layer_norm %x gamma %g {axis = 1}", [d], given)
        expected = gradients(text, given, [d], "xg"[wrt])
        everything = {**given, "d": d}
        return beside(f"{form} {{axis = 1}}", expected, **{name: everything[name] for name in used})

    return pairs


def _layer(x: Any, gamma: Any, beta: Any, epsilon: float = 1e-5, axis: int = -1) -> Any:
    axes = tuple(range(axis % x.ndim, x.ndim))
    # of the deviations, for jax.nn.standardize takes the mean of the squares less the square of the mean
    return jax.nn.standardize(x - jnp.mean(x, axes, keepdims=True), axis=axes, epsilon=epsilon) * gamma + beta


def _rms(x: Any, gamma: Any, beta: Any, epsilon: float = 1e-5) -> Any:
    return x * jax.lax.rsqrt(jnp.mean(jnp.square(x), -1, keepdims=True) + epsilon) * gamma + beta


NORMS: dict[str, Callable[..., Any]] = {"layer_norm": _layer, "rms_norm": _rms}
OF_INPUT = (0, "graph.layer_norm_backward_input %x gamma %g gradient %d", "x", "g", "d")
OF_GAMMA = (1, "graph.layer_norm_backward_gamma %x gradient %d", "x", "d")

CHECKS = (
    Check("graph.layer_norm", "onnx.reference LayerNormalization", layer_norm, 1e-14),
    Check("graph.layer_norm", "jax.nn.standardize", layer_norm_in_jax, 1e-12),
    Check("graph.layer_norm", "jax.nn.standardize, rounded to bf16", layer_norm_in_bf16, 0),
    Check("graph.rms_norm", "onnx.reference RMSNormalization", rms_norm, 1e-14),
    Check("graph.group_norm", "onnx.reference GroupNormalization", group_norm, 1e-14),
    Check(
        "graph.fused_residual_ln",
        "onnx.reference LayerNormalization",
        fused("fused_residual_ln", _layer_by_onnx),
        1e-14,
    ),
    Check(
        "graph.fused_residual_rms_norm",
        "onnx.reference RMSNormalization",
        fused("fused_residual_rms_norm", _rms_by_onnx),
        1e-14,
    ),
    Check("graph.ada_layer_norm", "onnx.reference LayerNormalization, RMSNormalization", ada_layer_norm, 1e-14),
    Check("graph.ada_layer_norm_backward", "jax.vjp of graph.ada_layer_norm in JAX", ada_layer_norm_backward, 1e-13),
    Check("graph.ada_layer_norm_backward", "differences", ada_layer_norm_differences, 1e-7),
    Check("graph.layer_norm_backward_input", "jax.vjp of jax.nn.standardize", backward(*OF_INPUT), 1e-13),
    Check("graph.layer_norm_backward_input", "differences", differences(*OF_INPUT), 1e-7),
    Check("graph.layer_norm_backward_gamma", "jax.vjp of jax.nn.standardize", backward(*OF_GAMMA), 1e-13),
    Check("graph.layer_norm_backward_gamma", "differences", differences(*OF_GAMMA), 1e-7),
)
