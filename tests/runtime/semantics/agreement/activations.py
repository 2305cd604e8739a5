"""Functions of the scalar engine and their sums beside numpy and scipy in f64, and derivatives beside JAX."""

from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
from scipy import special

from tests.runtime.semantics.check import Check
from tests.runtime.semantics.tiles import tile

F32 = np.float32
FORWARD: dict[str, Any] = {
    "gelu": lambda x: jax.nn.gelu(x, approximate=False),
    "gelu_sigmoid": lambda x: x * jax.nn.sigmoid(1.702 * x),
    "silu": jax.nn.silu,
    "erf": jax.lax.erf,
}


def of(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(F32) * 2


def derivatives() -> Iterator[tuple[Any, Any]]:
    x = np.concatenate([of(1, 2, 30), np.array([[-60, 60, 0, -9, 9] * 6] * 2, F32)], axis=1)
    for name, function in FORWARD.items():
        with jax.enable_x64(True):
            slope = jax.vmap(jax.grad(function))(x.astype(float).reshape(-1)).reshape(x.shape)
        yield tile(f"activation {name}_dx %x", "f32[2,60]", x=x)[0], np.asarray(slope)
    wide = x.astype(float)
    yield tile("activation mish %x", "f32[2,60]", x=x)[0], wide * np.tanh(np.logaddexp(0, wide))
    yield tile("activation arctan %x", "f32[2,60]", x=x)[0], np.arctan(wide)


def scales_and_biases() -> Iterator[tuple[Any, Any]]:
    x, s, b = of(2, 4, 9), of(3, 4, 1), of(4, 4, 1)
    found = tile("activation sigmoid %x bias %b {scale_vector = %s}", "f32[4,9]", x=x, b=b, s=s)[0]
    yield found, special.expit((x * s + b).astype(float))
    found = tile("activation tanh %x scale 0.5 {bias_scalar = 1.5}", "f32[4,9]", target="trn2", x=x)[0]
    yield found, np.tanh((x * F32(0.5) + F32(1.5)).astype(float))


def accumulation() -> Iterator[tuple[Any, Any]]:
    x, b = of(5, 4, 9), of(6, 4, 1)
    expected = np.exp((x + b).astype(float))
    found = tile("activation_accumulation exp %x bias %b to %r", "f32[4,9]", writes={"r": "f32[4,1]"}, x=x, b=b)
    yield from zip(found, (expected, expected.sum(axis=1, keepdims=True)), strict=True)
    first = "%a: f32[4,9] = activation_accumulation square %x"
    between = "%c: f32[4,9] = activation exp %x"  # which leaves the accumulators alone
    text = "activation_accumulation copy %x to %r command reduce"
    found = tile(text, "f32[4,9]", first, between, writes={"r": "f32[4,1]"}, x=x)
    yield found[1], (x.astype(float) ** 2 + x).sum(axis=1, keepdims=True)
    text = "activation_accumulation copy %x to %r command reset"
    yield tile(text, "f32[4,9]", writes={"r": "f32[4,1]"}, x=x)[1], np.zeros((4, 1))


def activate2() -> Iterator[tuple[Any, Any]]:
    x, s = of(7, 4, 9), of(8, 4, 1)
    folds: dict[str, Any] = {"add": np.sum, "max": np.max, "min": np.min}
    for op1, sign in (("add", 1), ("subtract", -1)):
        for name, fold in folds.items():
            expected = np.tanh((x * s + F32(sign * 0.5)).astype(float))
            text = (
                f"activate2 tanh %x op0 mult operand0 %s op1 {op1} scalar1 0.5 reduce {name} to %r command reset_reduce"
            )
            found = tile(text, "f32[4,9]", writes={"r": "f32[4,1]"}, target="trn3", x=x, s=s)
            yield from zip(found, (expected, fold(expected, axis=1, keepdims=True)), strict=True)
    found = tile("activate2 copy %x op0 subtract scalar0 1.0 {reverse0 = true}", "f32[4,9]", target="trn3", x=x)[0]
    yield found, 1 - x
    largest = np.take_along_axis(x, np.abs(x).argmax(axis=1, keepdims=True), axis=1)
    text = "activate2 copy %x reduce abs_max to %r command reset_reduce"
    yield tile(text, "f32[4,9]", writes={"r": "f32[4,1]"}, target="trn3", x=x)[1], largest
    tied = np.array([[-5, 5, 3], [5, -5, 3]], F32)  # `x` if |x| > |y| else `y`: of equal magnitudes the later one stays
    yield tile(text, "f32[2,3]", writes={"r": "f32[2,1]"}, target="trn3", x=tied)[1], np.array([[5], [-5]], F32)


CHECKS = (
    Check("activation", "jax.grad in f64; numpy", derivatives, 1e-6),
    Check("activation", "scipy and numpy in f64", scales_and_biases, 1e-6),
    Check("activation_accumulation", "numpy in f64", accumulation, 1e-6),
    Check("activate2", "numpy in f64", activate2, 1e-6),
)
