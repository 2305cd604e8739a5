"""State spaces and the gated delta rule beside the papers' equations in JAX, scipy's filters and the dual form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy import signal

from tests.runtime.semantics.check import Check, Pairs
from tests.runtime.semantics.from_arrays import beside, by_jax, normal

SELECTIVE = "graph.selective_scan %x step %d transition %a input %b output %c"
MAMBA2 = "graph.mamba2 %x step %d transition %a input %b output %c"
DELTA = "graph.gated_delta_net %q keys %k values %v gate %g beta %b"


def selective_scan() -> Iterator[tuple[Any, Any]]:
    for batch, length, channels, size in ((2, 6, 3, 4), (1, 1, 1, 1), (2, 0, 3, 2)):
        given = {
            "x": normal(1, batch, length, channels),
            "d": np.abs(normal(2, batch, length, channels)),
            "a": -np.abs(normal(3, channels, size)),
            "b": normal(4, batch, length, size),
            "c": normal(5, batch, length, size),
        }

        def one(x: Any, delta: Any, b: Any, c: Any, a: Any = given["a"]) -> Any:
            """A sequence: h' = A h + B x with A = exp(delta A), B = delta B, then y = C h."""

            def step(h: Any, at: Any) -> Any:
                x, delta, b, c = at
                h = jnp.exp(jnp.einsum("h,hn->hn", delta, a)) * h + jnp.einsum("h,n,h->hn", delta, b, x)
                return h, jnp.einsum("n,hn->h", c, h)

            return jax.lax.scan(step, jnp.zeros(a.shape), (x, delta, b, c))[1]

        expected = by_jax(jax.vmap(one), given["x"], given["d"], given["b"], given["c"])
        yield from beside(SELECTIVE, expected, **given)


def selective_scan_as_filters() -> Pairs:
    """With the same step and matrices all along, a channel is a sum of filters of the first order."""
    x, d, a, b, c = normal(1, 1, 50, 2), np.array([0.1, 0.7]), -np.abs(normal(2, 2, 3)), normal(3, 3), normal(4, 3)
    expected = np.zeros((1, 50, 2))
    for channel in range(2):
        for state in range(3):
            decay = np.exp(d[channel] * a[channel, state])
            gain = c[state] * d[channel] * b[state]
            expected[0, :, channel] += signal.lfilter([gain], [1, -decay], x[0, :, channel])
    steps, inputs, results = (np.broadcast_to(each, (1, 50, len(each))).copy() for each in (d, b, c))
    yield from beside(SELECTIVE, expected, x=x, d=steps, a=a, b=inputs, c=results)


def mamba2() -> Iterator[tuple[Any, Any]]:
    for shape in ((2, 6, 3, 4, 5), (1, 1, 1, 1, 1), (2, 0, 1, 2, 3)):
        given = _mamba2(*shape)

        def one(x: Any, dt: Any, b: Any, c: Any, a: Any = given["a"]) -> Any:
            def step(h: Any, at: Any) -> Any:
                x, dt, b, c = at
                h = jnp.exp(dt * a)[:, None, None] * h + jnp.einsum("h,hp,hn->hpn", dt, x, b)
                return h, jnp.einsum("hpn,hn->hp", h, c)

            return jax.lax.scan(step, jnp.zeros((*x.shape[1:], b.shape[-1])), (x, dt, b, c))[1]

        expected = by_jax(jax.vmap(one), given["x"], given["d"], given["b"], given["c"])
        yield from beside(MAMBA2, expected, **given)


def mamba2_as_attention() -> Pairs:
    """The dual form of the paper: masked attention with the decay from one item to another, without a recurrence."""
    given = _mamba2(2, 7, 3, 4, 5)
    sums = np.cumsum(given["d"] * given["a"], axis=1)
    decay = np.tril(np.exp(sums[:, :, None] - sums[:, None]).transpose(0, 3, 1, 2))  # batch, head, later, earlier
    scores = decay * np.einsum("bthn,bshn->bhts", given["c"], given["b"])
    expected = np.einsum("bhts,bsh,bshp->bthp", scores, given["d"], given["x"])
    yield from beside(MAMBA2, expected, **given)


def gated_delta_net() -> Iterator[tuple[Any, Any]]:
    """S = S (alpha (I - beta k k')) + beta v k' and o = S q, as the paper writes it; states are transposes of ours."""
    for (batch, length, heads, size), per_key in (((2, 6, 3, 4), False), ((2, 6, 3, 4), True)):
        shape = (batch, length, heads, size)
        given = {name: normal(seed, *shape) for seed, name in enumerate("qkv")}
        given["k"] /= np.linalg.norm(given["k"], axis=-1, keepdims=True)
        given["g"] = -np.abs(normal(4, *(shape if per_key else shape[:3])))
        given["b"] = np.random.default_rng(5).uniform(0, 1, shape[:3])
        state = normal(6, batch, heads, size, size)

        for initial in (np.zeros_like(state), state):
            expected = by_jax(DELTA_RULES, *given.values(), initial)
            if initial is state:
                yield from beside(f"{DELTA} state %s", *expected, **given, s=state)
            else:
                yield from beside(DELTA, *expected, **given)


def _delta_rule(q: Any, k: Any, v: Any, g: Any, beta: Any, state: Any) -> Any:
    """Return what one head makes of one sequence, and its last state."""

    def step(s: Any, at: Any) -> Any:
        q, k, v, g, beta = at
        gate = jnp.diag(jnp.broadcast_to(jnp.exp(g), k.shape))
        s = s @ gate @ (jnp.eye(len(k)) - beta * jnp.outer(k, k)) + beta * jnp.outer(v, k)
        return s, s @ q * len(k) ** -0.5

    last, y = jax.lax.scan(step, state.T, (q, k, v, g, beta))
    return y, last.T


DELTA_RULES = jax.vmap(jax.vmap(_delta_rule, in_axes=(1, 1, 1, 1, 1, 0), out_axes=(1, 0)))  # of all heads and batches


def gated_delta_net_as_memory() -> Pairs:
    """Without decay, and wholly replaced, orthogonal keys hold their values until another one comes."""
    k, v = np.eye(3)[[0, 1, 2, 1]].reshape(1, 4, 1, 3), normal(7, 1, 4, 1, 3)
    expected = v / np.sqrt(3)
    last = v[0, [0, 3, 2], 0].reshape(1, 1, 3, 3)
    given = {"q": k, "k": k, "v": v, "g": np.zeros((1, 4, 1)), "b": np.ones((1, 4, 1))}
    yield from beside(DELTA, expected, last, **given)


def _mamba2(batch: int, length: int, heads: int, width: int, size: int) -> dict[str, Any]:
    return {
        "x": normal(1, batch, length, heads, width),
        "d": np.abs(normal(2, batch, length, heads)),
        "a": -np.abs(normal(3, heads)),
        "b": normal(4, batch, length, heads, size),
        "c": normal(5, batch, length, heads, size),
    }


CHECKS = (
    Check("graph.selective_scan", "Mamba's equations, jax.lax.scan", selective_scan, 1e-14),
    Check("graph.selective_scan", "scipy.signal.lfilter", selective_scan_as_filters, 1e-13),
    Check("graph.mamba2", "Mamba-2's equations, jax.lax.scan", mamba2, 1e-14),
    Check("graph.mamba2", "its dual form, masked attention", mamba2_as_attention, 1e-14),
    Check("graph.gated_delta_net", "the paper's equation, jax.lax.scan", gated_delta_net, 1e-13),
    Check("graph.gated_delta_net", "by hand", gated_delta_net_as_memory, 1e-15),
)
