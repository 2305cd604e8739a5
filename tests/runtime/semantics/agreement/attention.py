"""Attentions and rotations beside JAX and the evaluator of ONNX, gradients beside JAX and finite differences."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from tests.runtime.semantics.check import Check, Pairs, gradients, outputs

RNG = np.random.default_rng
B, H, D = 2, 3, 4


def _qkv(queries: int, keys: int) -> dict[str, Any]:
    """Return queries, keys and values in the order bshd."""
    return {
        name: RNG(seed).normal(size=(B, n, H, D))
        for seed, (name, n) in enumerate(zip("qkv", (queries, keys, keys), strict=True))
    }


def _cases() -> Iterator[tuple[str, str, int, Any, Any, Any]]:
    """Yield a kind, attributes, the number of queries, the mask, which keys each query sees, and the bias for JAX."""
    for kind, queries, keys in (("none", 4, 6), ("causal", 4, 6), ("causal", 6, 4)):
        yield kind, "", queries, None, _seen(kind, queries, keys, queries + keys), None
    yield "sliding_window", "window = 2", 4, None, _seen("sliding_window", 4, 6, 2), None
    padding = np.array([[1, 1, 0.5, 0, 0.49, 1], [0, 0, 0, 0, 0, 0]])  # no query of the second batch sees a key
    yield "custom", "", 4, padding, np.broadcast_to((padding >= 0.5)[:, None, None, :], (B, 1, 4, 6)), None
    bias = RNG(7).normal(size=(B, H, 4, 6))
    yield "bias", "", 4, bias, np.ones((1, 1, 4, 6), bool), bias


def _seen(kind: str, queries: int, keys: int, window: int) -> Any:
    own = [q + max(0, keys - queries) for q in range(queries)]
    return np.array([[kind == "none" or at - window <= k <= at for k in range(keys)] for at in own])[None, None]


def attention() -> Pairs:
    for kind, attributes, queries, mask, seen, bias in _cases():
        inputs = _qkv(queries, seen.shape[-1])
        expected = _by_jax(inputs, seen, bias)
        for layout in ("bshd", "bhsd", "flat"):
            yield _run(f"attention {kind}", attributes, layout, inputs, mask, "q")[0], _as(expected, layout)


def _by_jax(inputs: Any, seen: Any, bias: Any) -> Any:
    with jax.enable_x64(True):
        return np.asarray(_by_name(*inputs.values(), *_whole(inputs, seen, bias)))


def _whole(inputs: Any, seen: Any, bias: Any) -> tuple[Any, Any]:
    """Return both in full, so that JAX compiles once for all kinds."""
    full = (B, H, inputs["q"].shape[1], inputs["k"].shape[1])
    return np.broadcast_to(seen, full), np.zeros(full) if bias is None else bias


@jax.jit
def _by_name(q: Any, k: Any, v: Any, seen: Any, bias: Any) -> Any:
    return jax.nn.dot_product_attention(q, k, v, bias=bias, mask=seen)


@jax.jit
def _pulled(q: Any, k: Any, v: Any, seen: Any, bias: Any, dy: Any) -> Any:
    return jax.vjp(lambda q, k, v: _attended(q, k, v, seen, bias), q, k, v)[1](dy)


def _attended(q: Any, k: Any, v: Any, seen: Any, bias: Any) -> Any:
    """The same in f64, where JAX's own function takes the softmax in f32."""
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(D) + bias
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.where(seen, scores, -1e30)), v)


def _as(array: Any, layout: str) -> Any:
    if layout == "flat":
        return array.reshape(*array.shape[:2], -1)
    return array.swapaxes(1, 2) if layout == "bhsd" else array


def _run(what: str, attributes: str, layout: str, inputs: Any, mask: Any, like: str) -> list[Any]:
    """Return what an instruction gives whose result has the type of one of its inputs."""
    text, arrays = _program(what, attributes, layout, inputs, mask, like)
    return outputs(text, **arrays)


def _program(what: str, attributes: str, layout: str, inputs: Any, mask: Any, like: str) -> tuple[str, Any]:
    arrays = {name: _as(array, layout) for name, array in inputs.items()}
    operands, masked = ", ".join(f"%{name}" for name in arrays), "" if mask is None else " mask %m"
    arrays = arrays if mask is None else {**arrays, "m": mask}
    said = ", ".join(part for part in (attributes, "layout = bhsd" if layout == "bhsd" else "") if part)
    typed = ", ".join(f"%{name}: {_type(array)}" for name, array in arrays.items())
    text = f"""func @main({typed}) {{
      %y: {_type(arrays[like])} = graph.{what} {operands}{masked} heads {H} of {D}{f" {{{said}}}" if said else ""}
      return %y
    }}"""
    return text, arrays


def attention_of_onnx() -> Pairs:
    """Other scales, caps, and a mask that is added; ONNX has the heads first."""
    bias = RNG(7).normal(size=(B, H, 4, 6))
    for kind, queries, keys, attributes, named, mask in (
        ("none", 4, 6, "score_scale = 0.25", {"scale": 0.25}, None),
        ("none", 4, 6, "attn_logit_softcap = 0.75", {"softcap": 0.75}, None),
        ("causal", 5, 5, "attn_logit_softcap = 0.75", {"softcap": 0.75, "is_causal": 1}, None),
        ("bias", 4, 6, "score_scale = 4.0, attn_logit_softcap = 1.5", {"scale": 4.0, "softcap": 1.5}, bias),
    ):
        inputs = _qkv(queries, keys)
        first = [_as(array, "bhsd") for array in inputs.values()]
        expected = _by_onnx("Attention", [*first, *([] if mask is None else [mask])], **named)
        yield _run(f"attention {kind}", attributes, "bhsd", inputs, mask, "q")[0], expected


def _by_onnx(op: str, inputs: list[Any], **attributes: Any) -> Any:
    names = [f"x{index}" for index in range(len(inputs))]
    double = onnx.TensorProto.DOUBLE
    infos = [onnx.helper.make_tensor_value_info(n, double, a.shape) for n, a in zip(names, inputs, strict=True)]
    result = onnx.helper.make_tensor_value_info("y", double, None)
    graph = onnx.helper.make_graph([onnx.helper.make_node(op, names, ["y"], **attributes)], "g", infos, [result])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 23)])
    found: Any = ReferenceEvaluator(model).run(None, dict(zip(names, inputs, strict=True)))
    return found[0]


def attention_backward() -> Pairs:
    for at, (kind, attributes, queries, mask, seen, bias) in enumerate(_cases()):
        inputs = _qkv(queries, seen.shape[-1])
        dy = RNG(8).normal(size=inputs["q"].shape)
        with jax.enable_x64(True):
            pulled = _pulled(*inputs.values(), *_whole(inputs, seen, bias), dy)
            expected = [np.asarray(part) for part in pulled]
        layout = ("bshd", "bhsd", "flat")[at % 3]
        for wrt, like, wanted in zip(("query", "key", "value"), "qkv", expected, strict=True):
            what = f"attention_backward {wrt} of {kind}"
            yield _run(what, attributes, layout, {**inputs, "d": dy}, mask, like)[0], _as(wanted, layout)


def differences_of_attention() -> Pairs:
    inputs = _qkv(2, 3)
    dy = RNG(8).normal(size=inputs["q"].shape)
    forward, arrays = _program("attention causal", "", "bshd", inputs, None, "q")
    for wrt, like in zip(("query", "key", "value"), "qkv", strict=True):
        found = _run(f"attention_backward {wrt} of causal", "", "bshd", {**inputs, "d": dy}, None, like)[0]
        yield found, gradients(forward, arrays, [dy], like)


def rope() -> Pairs:
    for style, interleaved in (("neox", 0), ("gptj", 1)):
        for n_rot in (8, 4):
            x, angles = RNG(1).normal(size=(2, 5, 3, 8)), RNG(2).uniform(-3, 3, (2, 5, n_rot // 2))
            cos, sin = np.cos(angles), np.sin(angles)
            how = {"interleaved": interleaved, "rotary_embedding_dim": n_rot % 8}
            expected = _by_onnx("RotaryEmbedding", [x.swapaxes(1, 2), cos, sin], **how).swapaxes(1, 2)
            for layout in ("bshd", "bhsd", "flat"):
                yield _rope(_as(x, layout), cos, sin, n_rot, style, layout), _as(expected, layout)
            same = np.broadcast_to(x[:1], x.shape)
            wide = [np.concatenate([table[0], np.full((5, 1), np.nan)], axis=1) for table in (cos, sin)]
            found = _rope(same, wide[0], wide[1], n_rot, style, "bshd")
            yield found, np.broadcast_to(expected[:1], x.shape)


def _rope(x: Any, cos: Any, sin: Any, n_rot: int, style: str, layout: str) -> Any:
    said = f"style = {style}, layout = {'bhsd' if layout == 'bhsd' else 'bshd'}"
    text = f"""func @main(%x: {_type(x)}, %c: {_type(cos)}, %s: {_type(sin)}) {{
      %y: {_type(x)} = graph.rope %x cos %c sin %s head_dim 8 n_rot {n_rot} {{{said}}}
      return %y
    }}"""
    return outputs(text, x=x, c=cos, s=sin)[0]


def axial_rope2d() -> Pairs:
    """As SAM 2 does it: pairs of elements are complex numbers, which are multiplied by powers of e ** (i * place)."""
    for columns, rows, repeat in ((4, 3, 1), (2, 2, 3), (1, 5, 1)):
        x = RNG(1).normal(size=(2, columns * rows * repeat, 3 * 8))
        frequencies = 1.0 / (100.0 ** (np.arange(0, 8, 4)[: 8 // 4] / 8))
        at = np.arange(columns * rows, dtype=np.float64)
        angles = [np.outer(at % columns, frequencies), np.outer(np.floor(at / columns), frequencies)]
        turns = np.repeat(np.exp(1j * np.concatenate(angles, axis=-1)), repeat, axis=0)
        numbers = x.reshape(2, -1, 3, 4, 2) @ np.array([1, 1j])
        turned = numbers * turns[None, :, None, :]
        expected = np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)
        text = f"""func @main(%x: {_type(x)}) {{
          %y: {_type(x)} = graph.axial_rope2d %x over {columns} by {rows} heads 3 of 8 theta 100.0 {{
            repeat_factor = {repeat}}}
          return %y
        }}"""
        yield outputs(text, x=x)[0], expected


def _type(array: Any) -> str:
    return f"f64[{','.join(map(str, array.shape))}]"


CHECKS = (
    Check("graph.attention", "jax.nn.dot_product_attention, in f32", attention, 1e-6),
    Check("graph.attention", "onnx.reference Attention", attention_of_onnx, 1e-14),
    Check("graph.attention_backward", "jax.vjp of einsum and softmax", attention_backward, 1e-13),
    Check("graph.attention_backward", "differences of graph.attention", differences_of_attention, 1e-6),
    Check("graph.rope", "onnx.reference RotaryEmbedding", rope, 1e-14),
    Check("graph.axial_rope2d", "complex numbers, as in SAM 2", axial_rope2d, 1e-14),
)
