"""Relations, choices, gates and complex numbers beside numpy; gradients beside JAX and differences."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy import special

from generated.graph.ActivationBackwardGen import ActivationBackwardGen
from generated.vocabulary import COMPARE_OPS
from tests.runtime.semantics.check import Check, Pairs, gradients, outputs
from tests.runtime.semantics.from_arrays import beside, by_jax, by_onnx, normal, program, pulled_back

RELATIONS: dict[str, Any] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
IN_JAX: dict[str, Callable[[Any], Any]] = {
    "copy": lambda x: x,
    "abs": jnp.abs,
    "cos": jnp.cos,
    "erf": jax.scipy.special.erf,
    "exp": jnp.exp,
    "gelu": lambda x: jax.nn.gelu(x, approximate=False),
    "gelu_tanh": jax.nn.gelu,
    "log": jnp.log,
    "neg": jnp.negative,
    "reciprocal": jnp.reciprocal,
    "relu": jax.nn.relu,
    "round": lambda x: x + jax.lax.stop_gradient(jnp.round(x) - x),  # the straight-through estimator
    "rsqrt": jax.lax.rsqrt,
    "sigmoid": jax.nn.sigmoid,
    "sign": jnp.sign,
    "silu": jax.nn.silu,
    "sin": jnp.sin,
    "softplus": jax.nn.softplus,
    "sqrt": jnp.sqrt,
    "square": jnp.square,
    "tanh": jnp.tanh,
}
FUNCTIONS = [str(word) for word in ActivationBackwardGen.INFO.attributes[0].one_of]
POSITIVE = ("log", "reciprocal", "rsqrt", "sqrt")
ONTO = (((2, 3, 4), (2, 1, 4)), ((2, 3, 4), (4,)), ((3, 4), (3, 4)), ((2, 3, 1), (1, 1, 1)))


def compare() -> Pairs:
    special_values = np.array([np.nan, -np.inf, -1, -0.0, 0, 1, np.inf])
    wide = np.array([2**53, 2**53 + 1, -(2**63), 2**63 - 1], np.int64)
    for op, x in itertools.product(COMPARE_OPS, (special_values, wide, wide > 0, special_values.astype(np.float16))):
        a, b = x[:, None], x
        yield from beside(f"graph.compare {op} %a, %b", RELATIONS[op](a, b), a=a, b=b)


def where() -> Pairs:
    x, y = normal(1, 3, 1, 4), np.array([[np.nan, np.inf], [-0.0, 7]]).reshape(4, 1)
    condition = normal(2, 4, 4) > 0
    (expected,) = by_onnx("Where", condition, x, y)
    yield from beside("graph.where %c then %x else %y", expected, c=condition, x=x, y=y)
    whole = np.arange(4)
    expected = np.where(condition, whole, -whole)
    yield from beside("graph.where %c then %x else %y", expected, c=condition, x=whole, y=-whole)


def swiglu() -> Pairs:
    for shape in ((3, 8), (2, 1, 2), (6,), (2, 0)):
        x = 4 * normal(3, *shape)
        up, gate = np.split(x, 2, axis=-1)
        yield from beside("graph.fused_swiglu %x", up * gate * special.expit(gate), x=x)
        yield from beside("graph.fused_swiglu %x {gate_first = true}", gate * up * special.expit(up), x=x)
    x = 4 * normal(4, 3, 8)
    expected = (x[:, :4] * x[:, 4:] * special.expit(x[:, 4:])).astype(np.float16)
    yield from beside("graph.fused_swiglu %x {cast_to = f16}", expected, x=x)


def relu_backward() -> Pairs:
    x, d = np.array([-1, -0.0, 0, 1e-300, 2, np.inf, np.nan]), normal(5, 7)
    expected = pulled_back(jax.nn.relu, (x[:6],), d[:6])[0]
    yield from beside("graph.relu_backward %x gradient %d", expected, x=x[:6], d=d[:6])
    yield from beside("graph.relu_backward %x gradient %d", np.zeros(1), x=x[6:], d=d[6:])  # a NaN is not positive


def activation_backward() -> Pairs:
    x = np.array([-30, -3.7, -1.2, -0.3, 0.2, 0.6, 1.4, 2.6, 30])
    at = {name: np.abs(x) if name in POSITIVE else x for name in FUNCTIONS}
    d = normal(6, len(x))
    expected = by_jax(lambda at: {name: jax.vjp(IN_JAX[name], x)[1](d)[0] for name, x in at.items()}, at)
    for name in FUNCTIONS:
        yield from beside(f"graph.activation_backward {name} %x gradient %d", expected[name], x=at[name], d=d)
    at_zero = {"abs": 0, "relu": 0, "sign": 0, "round": 1, "gelu": 0.5, "silu": 0.5, "tanh": 1}
    for zero, slope in at_zero.items():
        form, three = f"graph.activation_backward {zero} %x gradient %d", np.full(1, 3.0)
        yield from beside(form, three * slope, x=np.zeros(1), d=three)


def activation_differences() -> Pairs:
    x, d = np.array([-3.7, -1.2, -0.3, 0.2, 0.6, 1.4, 2.6]), normal(7, 7)
    for name in FUNCTIONS:
        if name != "round":
            inputs = {"x": np.abs(x) if name in POSITIVE else x}
            expected = gradients(program(f"graph.activation {name} %x", [d], inputs), inputs, [d], "x")
            yield from beside(f"graph.activation_backward {name} %x gradient %d", expected, **inputs, d=d)


def complex_norm_sq() -> Pairs:
    for shape in ((3, 4), (), (2, 0)):
        z = normal(8, *shape) + 1j * normal(9, *shape)
        yield from beside("graph.complex_norm_sq %z", np.square(np.abs(z)), z=_parts(z))


def complex_norm_sq_backward() -> Pairs:
    z, d = normal(8, 3, 4) + 1j * normal(9, 3, 4), normal(10, 3, 4)
    form = "graph.complex_norm_sq_backward %z gradient %d"
    yield from beside(form, _parts(d * z), z=_parts(z), d=d)
    both = pulled_back(lambda parts: jnp.square(parts).sum(-1), (_parts(z),), d)[0]
    yield from beside(form, both / 2, z=_parts(z), d=d)  # Wirtinger's is half of what both parts give


def complex_differences() -> Pairs:
    inputs, d = {"z": normal(8, 3, 2)}, normal(10, 3)
    expected = gradients(program("graph.complex_norm_sq %z", [d], inputs), inputs, [d], "z")
    yield from beside("graph.complex_norm_sq_backward %z gradient %d", expected / 2, **inputs, d=d)


def conjugate() -> Pairs:
    z = normal(8, 3, 4) + 1j * normal(9, 3, 4)
    yield from beside("graph.conjugate %z", _parts(np.conjugate(z)), z=_parts(z))
    zeros = np.array([[0.0, 0.0], [0.0, -0.0]])
    (found,) = outputs(program("graph.conjugate %z", [zeros], {"z": zeros}), z=zeros)
    yield np.signbit(found), np.array([[False, True], [False, False]])


def gated_residual() -> Pairs:
    for shape, onto in ONTO:
        x, y, g = normal(1, *shape), normal(2, *shape), normal(3, *onto)
        yield from beside("graph.gated_residual %x, %y gate %g", x + g * y, x=x, y=y, g=g)


def gated_residual_backward() -> Pairs:
    for shape, onto in ONTO:
        x, y, g, d = normal(1, *shape), normal(2, *shape), normal(3, *onto), normal(4, *shape)
        expected = pulled_back(lambda x, y, g: x + g * y, (x, y, g), d)
        yield from beside("graph.gated_residual_backward %x, %y gate %g gradient %d", *expected, x=x, y=y, g=g, d=d)


def gated_residual_differences() -> Pairs:
    inputs = {"x": normal(1, 2, 3, 2), "y": normal(2, 2, 3, 2), "g": normal(3, 2, 1, 2)}
    d = normal(4, 2, 3, 2)
    text = program("graph.gated_residual %x, %y gate %g", [d], inputs)
    expected = [gradients(text, inputs, [d], wrt) for wrt in inputs]
    yield from beside("graph.gated_residual_backward %x, %y gate %g gradient %d", *expected, **inputs, d=d)


REGION = """func @main(%x: f64[3,4], %b: f64[4], %n: f32[]) {
  %y: f64[3,4] = graph.elementwise_region (%x, %b, %n) body(%a: f64[3,4], %c: f64[4], %m: f32[]) {
    %0: f64[3,4] = graph.binary add %a, %c
    %1: f64[3,4] = graph.activation tanh %0
    %2: f64[] = graph.cast %m
    %3: bool[3,4] = graph.compare gt %1, %2
    %4: f64[3,4] = graph.where %3 then %1 else %c
    yield %4
  }
  return %y
}"""


def region() -> Iterator[tuple[Any, Any]]:
    x, b, n = normal(1, 3, 4), normal(2, 4), np.float32(0.1)
    step = np.tanh(x + b)
    yield outputs(REGION, x=x, b=b, n=n)[0], np.where(step > np.float64(n), step, b)


def _parts(z: Any) -> Any:
    return np.stack([np.real(z), np.imag(z)], axis=-1)


CHECKS = (
    Check("graph.compare", "numpy", compare, 0),
    Check("graph.where", "onnx.reference Where, numpy.where", where, 0),
    Check("graph.fused_swiglu", "scipy.special.expit", swiglu, 1e-15),
    Check("graph.relu_backward", "jax.vjp of jax.nn.relu", relu_backward, 0),
    Check("graph.activation_backward", "jax.vjp of jax.numpy, jax.nn", activation_backward, 1e-14),
    Check("graph.activation_backward", "differences", activation_differences, 1e-7),
    Check("graph.complex_norm_sq", "complex numbers of numpy", complex_norm_sq, 1e-15),
    Check("graph.complex_norm_sq_backward", "complex numbers of numpy, jax.vjp", complex_norm_sq_backward, 1e-15),
    Check("graph.complex_norm_sq_backward", "differences", complex_differences, 1e-7),
    Check("graph.conjugate", "numpy.conjugate", conjugate, 0),
    Check("graph.gated_residual", "numpy", gated_residual, 1e-15),
    Check("graph.gated_residual_backward", "jax.vjp", gated_residual_backward, 1e-14),
    Check("graph.gated_residual_backward", "differences", gated_residual_differences, 1e-7),
    Check("graph.elementwise_region", "numpy, step by step", region, 1e-15),
)
