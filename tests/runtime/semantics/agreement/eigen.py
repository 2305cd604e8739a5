"""Eigenvalues beside scipy and JAX; vectors up to their sign, by what they do to the matrix."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from scipy import linalg

from tests.runtime.semantics.check import Array, Check, Pairs, gradients
from tests.runtime.semantics.one_line import computed, forward, typed

RNG = np.random.default_rng


def any_matrix(*shape: int, seed: int = 1) -> Array:
    """A matrix that is not symmetric: only its symmetric part counts."""
    return RNG(seed).normal(size=shape)


def symmetric(a: Array) -> Array:
    return (a + np.swapaxes(a, -1, -2)) / 2


def properties(a: Array, values: Array, vectors: Array) -> Pairs:
    """The vectors are orthonormal, diagonalize the matrix, and have their largest element positive."""
    transposed = np.swapaxes(vectors, -1, -2)
    yield transposed @ vectors, np.broadcast_to(np.eye(a.shape[-1]), a.shape)
    yield transposed @ symmetric(a) @ vectors, values[..., None] * np.eye(a.shape[-1])
    yield vectors.max(-2), np.abs(vectors).max(-2)


def eigh() -> Pairs:
    """Sizes from 0; equal eigenvalues; f32, which is computed in f64."""
    for a in (any_matrix(5, 5), any_matrix(1, 1), np.diag([2.0, 2, -1]), np.zeros((4, 4)), any_matrix(40, 40)):
        n = len(a)
        values, vectors = computed("graph.eigh %a", f"f64[{n}]", f"f64[{n},{n}]", a=a)
        yield values, linalg.eigvalsh(symmetric(a))
        yield from properties(a, values, vectors)
    values, vectors = computed("graph.eigh %a", "f64[0]", "f64[0,0]", a=np.zeros((0, 0)))
    yield values, np.zeros(0)
    a = any_matrix(4, 4)
    with jax.enable_x64(True):
        yield computed("graph.eigh %a", "f64[4]", "f64[4,4]", a=a)[0], np.asarray(jnp.linalg.eigh(jnp.asarray(a))[0])
    narrow = symmetric(a).astype(np.float32)
    found = computed("graph.eigh %a", "f32[4]", "f32[4,4]", a=narrow)
    yield found[0], linalg.eigvalsh(narrow.astype(np.float64)).astype(np.float32)
    yield computed("graph.eigh %a", "f64[2]", "f64[2,2]", a=np.diag([np.nan, 1]))[0], np.full(2, np.nan)


def eigh_batch() -> Pairs:
    a = any_matrix(6, 3, 3)
    a[2, 0, 1] = np.inf  # is seen in its own matrix only
    values, vectors = computed("graph.eigh_batch %a", "f64[6,3]", "f64[6,3,3]", a=a)
    yield values[2], np.full(3, np.nan)
    for at in (0, 1, 3, 4, 5):
        yield values[at], linalg.eigvalsh(symmetric(a[at]))
        yield from properties(a[at], values[at], vectors[at])
    yield computed("graph.eigh_batch %a", "f64[0,3]", "f64[0,3,3]", a=np.zeros((0, 3, 3)))[0], np.zeros((0, 3))


def eigh_backward() -> Pairs:
    """By JAX with cotangents that fit the sign of the vectors; by differences of the forward instruction."""
    for a, d_values, d_vectors in _cases((4, 4)):
        values, vectors = computed("graph.eigh %a", "f64[4]", "f64[4,4]", a=a)
        found = _backward("graph.eigh_backward", values, vectors, d_values, d_vectors)
        yield found, _by_jax(a, vectors, d_values, d_vectors)
    text = forward("graph.eigh %a", "f64[4]", "f64[4,4]", a=a)
    yield found, gradients(text, {"a": a}, (d_values, d_vectors), "a")
    one, three = np.eye(3), np.array([2.0, 2, 5])  # the vectors of equal eigenvalues count for nothing
    d = any_matrix(3, 3)
    expected = symmetric(np.array([[0, 0, d[0, 2] / 3], [0, 0, d[1, 2] / 3], [-d[2, 0] / 3, -d[2, 1] / 3, 0]]))
    yield _backward("graph.eigh_backward", three, one, np.zeros(3), d), expected


def eigh_batch_backward() -> Pairs:
    a, d_values, d_vectors = _cases((3, 4, 4))[0]
    values, vectors = computed("graph.eigh_batch %a", "f64[3,4]", "f64[3,4,4]", a=a)
    found = _backward("graph.eigh_batch_backward", values, vectors, d_values, d_vectors)
    for at in range(3):
        yield found[at], _by_jax(a[at], vectors[at], d_values[at], d_vectors[at])


def _cases(shape: tuple[int, ...]) -> list[tuple[Array, Array, Array]]:
    """A matrix, or several, with cotangents of its eigenvalues and eigenvectors."""
    return [
        (any_matrix(*shape, seed=at), any_matrix(*shape[:-1], seed=at + 1), any_matrix(*shape, seed=at + 2))
        for at in (5, 8)
    ]


def _backward(name: str, values: Array, vectors: Array, d_values: Array, d_vectors: Array) -> Array:
    given = {"w": values, "v": vectors, "dw": d_values, "dv": d_vectors}
    return computed(f"{name} %w, %v upstream %dw, %dv", typed("f64", vectors.shape), **given)[0]


def _by_jax(a: Array, vectors: Array, d_values: Array, d_vectors: Array) -> Array:
    with jax.enable_x64(True):
        own, pull = jax.vjp(jnp.linalg.eigh, jnp.asarray(a))
        signs = np.sign((np.asarray(own[1]) * vectors).sum(0))
        (found,) = pull(type(own)(jnp.asarray(d_values), jnp.asarray(d_vectors * signs)))
        return np.asarray(found)


CHECKS = (
    Check("graph.eigh", "scipy.linalg.eigvalsh, jax.numpy.linalg.eigh, V^T A V", eigh, 1e-13),
    Check("graph.eigh_backward", "jax.vjp of jax.numpy.linalg.eigh, finite differences", eigh_backward, 1e-8),
    Check("graph.eigh_batch", "scipy.linalg.eigvalsh, V^T A V", eigh_batch, 1e-13),
    Check("graph.eigh_batch_backward", "jax.vjp of jax.numpy.linalg.eigh", eigh_batch_backward, 1e-12),
)
