"""Quantizations beside the reference evaluator of ONNX, and their gradients beside JAX."""

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tests.runtime.interpreter.one_instruction import by_onnx
from tests.runtime.semantics.check import Check, Pairs, outputs

RNG = np.random.default_rng
LARGEST = {8: 127.0, 4: 7.0, 2: 1.0}
AXES: tuple[tuple[int | None, int], ...] = ((None, 1), (0, 3), (2, 4))


def quantize() -> Pairs:
    """Halves, saturation, infinities; one scale, or one along each axis."""
    x = (RNG(1).normal(size=(3, 2, 4)) * 60).astype(np.float32)
    x[0, 0] = [-0.5, 0.5, 1.5, 2.5]
    x[1, 0] = [3e4, -3e4, 128, -129]
    for axis, count in AXES:
        for scales, zeros in _parameters(count):
            more = {} if axis is None else {"axis": axis}
            scale, zero = (
                np.array(v if axis is not None else v[0], t) for v, t in ((scales, np.float32), (zeros, np.int8))
            )
            expected = by_onnx("QuantizeLinear", x, scale, zero, **more)
            yield outputs(_text("quantize", "f32", "i8", scales, zeros, axis), x=x)[0], expected
    for dtype in (np.float16, np.float64):
        name, wide = {2: "f16", 8: "f64"}[np.dtype(dtype).itemsize], x.astype(dtype)
        expected = by_onnx("QuantizeLinear", wide.astype(np.float32), np.array(0.5, np.float32), np.array(3, np.int8))
        yield outputs(_text("quantize", name, "i8", [0.5], [3], None), x=wide)[0], expected
    largest = np.where(x < 0, -np.inf, np.inf).astype(np.float32)
    yield outputs(_text("quantize", "f32", "i8", [0.5], [-7], None), x=largest)[0], np.where(x < 0, -128, 127)
    nothing = np.full((3, 2, 4), np.nan, np.float32)
    yield outputs(_text("quantize", "f32", "i8", [0.5], [-7], None), x=nothing)[0], np.full((3, 2, 4), -7)


def dequantize() -> Pairs:
    q = RNG(2).integers(-128, 128, (3, 2, 4)).astype(np.int8)
    for axis, count in AXES:
        for scales, zeros in _parameters(count):
            more = {} if axis is None else {"axis": axis}
            scale, zero = (
                np.array(v if axis is not None else v[0], t) for v, t in ((scales, np.float32), (zeros, np.int8))
            )
            expected = by_onnx("DequantizeLinear", q, scale, zero, **more)
            yield outputs(_text("dequantize", "i8", "f32", scales, zeros, axis), x=q)[0], expected
    yield outputs(_text("dequantize", "i8", "f32", [0.1], [0], None), x=q)[0], q.astype(np.float32) * np.float32(0.1)
    yield outputs(_text("dequantize", "i8", "f64", [0.1], [0], None), x=q)[0], q * np.float64(0.1)


def _parameters(count: int) -> Iterator[tuple[list[float], list[int]]]:
    yield [0.5, 0.25, 2.0, 1.0][:count], [0, 0, 0, 0][:count]
    yield [float(np.float32(v)) for v in (0.3, 0.7, 1.1, 2.3)][:count], [3, -128, 127, -5][:count]


def _text(name: str, source: str, result: str, scales: list[float], zeros: list[int], axis: int | None) -> str:
    more = "" if axis is None else f" axis {axis}"
    return f"""func @main(%x: {source}[3,2,4]) {{
      %y: {result}[3,2,4] = graph.{name} %x scales {scales} zero_points {zeros}{more}
      return %y
    }}"""


def _rounded(z: Any) -> Any:
    """A rounding whose derivative is one."""
    return z + lax.stop_gradient(jnp.round(z) - z)


def _fake(x: Any, scale: Any, bits: int) -> Any:
    """The quantization of the paper, which is clamped first and rounded then."""
    return _rounded(jnp.clip(x / scale, -LARGEST[bits], LARGEST[bits])) * scale


def _measured(x: Any, bits: int, axis: int | None) -> Any:
    others = tuple(at for at in range(x.ndim) if at != axis)
    return jnp.max(jnp.abs(x), axis=others, keepdims=True) / LARGEST[bits]


def _along(values: Any, axis: int | None, rank: int = 3) -> Any:
    return np.reshape(values, [-1 if at == axis else 1 for at in range(rank)])


def fake_quantize() -> Pairs:
    x = RNG(3).normal(size=(3, 2, 4))
    for bits in LARGEST:
        for axis, count in AXES if bits == 8 else AXES[:1]:
            state = RNG(4).uniform(0.01, 0.2, count)
            with jax.enable_x64(True):
                measured = np.asarray(_measured(jnp.asarray(x), bits, axis)).reshape(-1)
                scales = {"per_batch": measured, "ema": 0.75 * state + 0.25 * measured, "fixed": state}
                fakes = {mode: np.asarray(_fake(x, _along(s, axis), bits)) for mode, s in scales.items()}
            for mode, expected in fakes.items():
                kept = mode != "per_batch"
                more = ", decay = 0.75" if mode == "ema" else ""
                given = " state %s" if kept else ""
                text = f"""func @main(%x: f64[3,2,4]{f', %s: f64[{count}]' if kept else ''}) {{
                  %y: f64[3,2,4], %t: f64[{count}] = graph.fake_quantize %x{given} bits {bits}{_axis(axis)} {{
                    scale_mode = {mode}{more}}}
                  return %y, %t
                }}"""
                found = outputs(text, x=x, **({"s": state} if kept else {}))
                yield found[0], expected
                yield found[1], scales[mode]
    text = """func @main(%x: f64[2,2], %s: f64[2]) {
      %y: f64[2,2], %t: f64[2] = graph.fake_quantize %x state %s bits 8 axis 0 {scale_mode = ema, decay = 0.5}
      return %y, %t
    }"""
    state = outputs(text, x=np.array([[127.0, 1], [254, 1]]), s=np.array([0.0, 1]))[1]
    yield state, np.array([1, 1.5])  # the first state of all is what is measured


def fake_quantize_backward() -> Pairs:
    """Each estimator is the derivative of a function that JAX differentiates, at a scale that it does not."""
    x, dy = RNG(5).normal(size=(3, 2, 4)), RNG(6).normal(size=(3, 2, 4))
    surrogates: dict[str, Callable[[Any, Any, float], Any]] = {
        "identity": lambda x, s, q: x,
        "clipped_identity": lambda x, s, q: jnp.clip(x, -q * s * (1 + 1e-9), q * s * (1 + 1e-9)),
        "tanh": lambda x, s, q: s * jnp.tanh(x / s),
        "hard_tanh": lambda x, s, q: x - x * jnp.abs(x) / (2 * q * s),
    }
    for (ste, function), (bits, axis) in zip(surrogates.items(), ((8, None), (4, 0), (2, 2), (4, 1)), strict=True):
        largest = LARGEST[bits]
        with jax.enable_x64(True):
            scale = _measured(jnp.asarray(x), bits, axis)
            _, pull = jax.vjp(lambda x, f=function, s=scale, q=largest: f(x, s, q), jnp.asarray(x))
            expected = np.asarray(pull(jnp.asarray(dy))[0])
        text = f"""func @main(%x: f64[3,2,4], %d: f64[3,2,4]) {{
          %y: f64[3,2,4] = graph.fake_quantize_backward {ste} %x, %d bits {bits}{_axis(axis)}
          return %y
        }}"""
        yield outputs(text, x=x, d=dy)[0], expected


def lsq() -> Pairs:
    for x, scale, axis, bits in _learned():
        with jax.enable_x64(True):
            expected = np.asarray(_fake(x, _along(scale, axis), bits))
        yield outputs(_lsq("", x, scale, axis, bits), x=x, s=scale)[0], expected


def lsq_backward_x() -> Pairs:
    for x, scale, axis, bits in _learned():
        dy = RNG(7).normal(size=x.shape)
        with jax.enable_x64(True):
            expected = np.asarray(_pulled(x, _along(scale, axis), dy, LARGEST[bits])[0])
        yield outputs(_lsq("_backward_x", x, scale, axis, bits), x=x, s=scale, d=dy)[0], expected


def lsq_backward_scale() -> Pairs:
    for x, scale, axis, bits in _learned():
        dy = RNG(8).normal(size=x.shape)
        with jax.enable_x64(True):
            expected = np.asarray(_pulled(x, _along(scale, axis), dy, LARGEST[bits])[1]).reshape(-1)
        yield outputs(_lsq("_backward_scale", x, scale, axis, bits), x=x, s=scale, d=dy)[0], expected


@jax.jit
def _pulled(x: Any, scale: Any, dy: Any, largest: Any) -> Any:
    return jax.vjp(lambda x, s: _rounded(jnp.clip(x / s, -largest, largest)) * s, x, scale)[1](dy)


def _learned() -> Iterator[tuple[Any, Any, int | None, int]]:
    """Some elements are beyond the largest code, none just at it, where RLX and the paper differ."""
    for bits, largest in LARGEST.items():
        for axis, count in AXES[1:] if bits == 8 else AXES[:1]:
            yield RNG(9).normal(size=(3, 2, 4)), RNG(10).uniform(0.5, 1.5, count) / largest, axis, bits


def _lsq(kind: str, x: Any, scale: Any, axis: int | None, bits: int) -> str:
    gradient = (", %d: f64[3,2,4]", ", %d") if kind else ("", "")
    result = f"f64[{len(scale)}]" if kind == "_backward_scale" else "f64[3,2,4]"
    return f"""func @main(%x: f64[3,2,4], %s: f64[{len(scale)}]{gradient[0]}) {{
      %y: {result} = graph.fake_quantize_lsq{kind} %x{gradient[1]} scale %s bits {bits}{_axis(axis)}
      return %y
    }}"""


def _axis(axis: int | None) -> str:
    return "" if axis is None else f" axis {axis}"


CHECKS = (
    Check("graph.quantize", "onnx.reference QuantizeLinear", quantize, 0),
    Check("graph.dequantize", "onnx.reference DequantizeLinear", dequantize, 0),
    Check("graph.fake_quantize", "jax.numpy", fake_quantize, 1e-14),
    Check("graph.fake_quantize_backward", "jax.vjp of surrogates", fake_quantize_backward, 1e-14),
    Check("graph.fake_quantize_lsq", "jax.numpy, as in the paper", lsq, 1e-14),
    Check("graph.fake_quantize_lsq_backward_x", "jax.vjp with a straight-through rounding", lsq_backward_x, 1e-14),
    Check(
        "graph.fake_quantize_lsq_backward_scale", "jax.vjp with a straight-through rounding", lsq_backward_scale, 1e-13
    ),
)
