"""Blocks and layers of transformers beside what is put together from JAX."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tests.runtime.semantics.check import Check, Pairs, outputs

RNG = np.random.default_rng
B, S, E, H, D, F = 2, 5, 12, 2, 4, 16
SHAPES = {
    "x": (B, S, E),
    "qw": (E, 3 * H * D),
    "ow": (H * D, E),
    "qb": (3 * H * D,),
    "ob": (E,),
    "g1": (E,),
    "b1": (E,),
    "w1": (E, F),
    "c1": (F,),
    "w2": (F, E),
    "c2": (E,),
    "g2": (E,),
    "b2": (E,),
    "cos": (S, D // 2),
    "sin": (S, D // 2),
}
MASK = np.array([[1, 1, 0, 1, 1], [1, 1, 1, 0.2, 0]])


def attention_block() -> Pairs:
    for biases in ((), ("qb", "ob")):
        for tables in ((), ("cos", "sin")):
            arrays = _arrays("x", "qw", "ow", *biases, *tables)
            more = " qkv_bias %qb out_bias %ob" * bool(biases) + " cos %cos sin %sin" * bool(tables)
            text = f"""func @main({_typed(arrays)}, %m: f64[{B},{S}]) {{
              %y: f64[{B},{S},{E}] = graph.fused_attention_block %x, %qw, %ow mask %m{more} heads {H} of {D}
              return %y
            }}"""
            with jax.enable_x64(True):
                expected = np.asarray(_attend(arrays))
            yield outputs(text, m=MASK, **arrays)[0], expected


def layer() -> Pairs:
    """BERT's, with all biases and without any."""
    for biases, activation in (((), "relu"), (("qb", "ob", "b1", "c1", "c2", "b2"), "gelu")):
        arrays = _arrays("x", "qw", "ow", "g1", "w1", "w2", "g2", *biases)
        more = " qkv_bias %qb out_bias %ob beta1 %b1 fc1_bias %c1 fc2_bias %c2 beta2 %b2" * bool(biases)
        weights = "%x, %qw, %ow, %g1, %w1, %w2, %g2"
        last = f"mask %m{more} heads {H} of {D} eps 0.001, 0.5"
        text = f"""func @main({_typed(arrays)}, %m: f64[{B},{S}]) {{
          %y: f64[{B},{S},{E}] = graph.fused_transformer_layer {activation} {weights} {last}
          return %y
        }}"""
        with jax.enable_x64(True):
            function = jax.nn.relu if activation == "relu" else lambda x: jax.nn.gelu(x, approximate=False)
            middle = _norm(arrays["x"] + _attend(arrays), arrays["g1"], arrays.get("b1"), 0.001)
            inner = function(middle @ arrays["w1"] + arrays.get("c1", 0))
            outer = middle + inner @ arrays["w2"] + arrays.get("c2", 0)
            expected = np.asarray(_norm(outer, arrays["g2"], arrays.get("b2"), 0.5))
        yield outputs(text, m=MASK, **arrays)[0], expected


def _attend(arrays: Any) -> Any:
    projected = jnp.asarray(arrays["x"] @ arrays["qw"] + arrays.get("qb", 0)).reshape(B, S, 3, H, D)
    query, key, value = (projected[:, :, at] for at in range(3))
    if "cos" in arrays:
        query, key = (_turned(part, arrays["cos"], arrays["sin"]) for part in (query, key))
    scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) / np.sqrt(D)
    weights = jax.nn.softmax(jnp.where(jnp.asarray(MASK >= 0.5)[:, None, None, :], scores, -jnp.inf))
    attended = jnp.einsum("bhqk,bkhd->bqhd", weights, value)
    return attended.reshape(B, S, H * D) @ arrays["ow"] + arrays.get("ob", 0)


def _turned(part: Any, cos: Any, sin: Any) -> Any:
    """The rotation of GPT-NeoX: elements times cosines, and the half that is turned times sines."""
    left, right = jnp.split(part, 2, axis=-1)
    c, s = (jnp.concatenate([table, table], axis=-1)[None, :, None, :] for table in (cos, sin))
    return part * c + jnp.concatenate([-right, left], axis=-1) * s


def _norm(x: Any, gamma: Any, beta: Any, epsilon: float) -> Any:
    return jax.nn.standardize(x, axis=-1, epsilon=epsilon) * gamma + (0 if beta is None else beta)


def _arrays(*names: str) -> dict[str, Any]:
    return {name: RNG(at).normal(size=SHAPES[name]) for at, name in enumerate(SHAPES) if name in names}


def _typed(arrays: Any) -> str:
    return ", ".join(f"%{name}: f64[{','.join(map(str, array.shape))}]" for name, array in arrays.items())


CHECKS = (
    Check("graph.fused_attention_block", "jax.numpy.einsum, jax.nn.softmax", attention_block, 1e-13),
    Check("graph.fused_transformer_layer", "jax.numpy.einsum, jax.nn.softmax, standardize", layer, 1e-13),
)
