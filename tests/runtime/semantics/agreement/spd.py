"""Symmetric positive definite matrices beside scipy's matrix functions, and by what defines means and transports."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from tests.runtime.semantics.check import Array, Check, Pairs
from tests.runtime.semantics.from_arrays import type_of
from tests.runtime.semantics.one_line import computed

RNG = np.random.default_rng
POWER = linalg.fractional_matrix_power


def definite(n: int = 3, seed: int = 1) -> Array:
    a = RNG(seed).normal(size=(n, n))
    return a @ a.T + 0.5 * np.eye(n)


def batch(count: int, n: int = 3) -> Array:
    return np.stack([definite(n, seed) for seed in range(10, 10 + count)])


def symmetric(n: int = 3, seed: int = 2) -> Array:
    a = RNG(seed).normal(size=(n, n))
    return a + a.T


def skewed(a: Array, seed: int = 3) -> Array:
    """The matrix with something beside its symmetric part, which must not count."""
    b = RNG(seed).normal(size=a.shape)
    return a + (b - np.swapaxes(b, -1, -2))


def one(line: str, like: Array, **given: Array) -> Array:
    return computed(line, type_of(like), **given)[0]


def bi_map() -> Pairs:
    for m, n in ((2, 3), (3, 3), (1, 4), (4, 2)):
        w, x = RNG(1).normal(size=(m, n)), RNG(2).normal(size=(n, n))
        yield one("graph.bi_map %w, %x", np.zeros((m, m)), w=w, x=x), np.einsum("ij,jk,lk->il", w, x, w)


def re_eig() -> Pairs:
    """Nothing raised; some; all. Raising by e is (|x - e| + x + e) / 2, and |x| the root of the square."""
    x = symmetric(4)
    for epsilon in (0.0, 0.5, 30.0):
        moved = x - epsilon * np.eye(4)
        expected = (linalg.sqrtm(moved @ moved) + x + epsilon * np.eye(4)) / 2
        line = f"graph.re_eig %x epsilon {epsilon}"
        found, values, vectors = computed(line, "f64[4,4]", "f64[4]", "f64[4,4]", x=skewed(x))
        yield found, expected.real
        yield vectors * values @ vectors.T, x
    positive = definite(4)
    yield computed("graph.re_eig %x epsilon 1e-4", "f64[4,4]", "f64[4]", "f64[4,4]", x=positive)[0], positive


def log_eig() -> Pairs:
    x = definite(4)
    found, values, vectors = computed("graph.log_eig %x epsilon 0", "f64[4,4]", "f64[4]", "f64[4,4]", x=skewed(x))
    yield found, linalg.logm(x)
    yield vectors * values @ vectors.T, x
    found = computed("graph.log_eig %x epsilon 0.25", "f64[2,2]", "f64[2]", "f64[2,2]", x=np.diag([-3.0, 2]))[0]
    yield found, np.diag(np.log([0.25, 2]))


def batch_norm() -> Pairs:
    """As products of scipy's powers; the mean itself becomes the bias."""
    x, mean, bias = batch(4), definite(seed=5), definite(seed=6)
    line = "graph.spd_batch_norm %x mean %m bias %g epsilon 1e-8"
    moved = POWER(bias, 0.5) @ POWER(mean, -0.5)
    found = one(line, x, x=skewed(x), m=skewed(mean), g=skewed(bias))
    yield found, np.einsum("ij,bjk,lk->bil", moved, x, moved)
    yield one(line, x[:1], x=mean[None], m=mean, g=bias), bias[None]
    low = "graph.spd_batch_norm %x mean %m bias %g epsilon 4"
    yield one(low, x, x=x, m=np.eye(3) / 9, g=np.eye(3)), x  # both are raised to 4, and cancel


def karcher_mean() -> Pairs:
    """Of two matrices the geometric one; of those that commute exp of the mean log; where the sum of logs is 0."""
    a, b = definite(seed=5), definite(seed=6)
    line = "graph.spd_karcher_mean %x iterations 100 tolerance 1e-13"
    half = POWER(a, 0.5)
    geometric = half @ POWER(linalg.inv(half) @ b @ linalg.inv(half), 0.5) @ half
    yield one(line, a, x=np.stack([a, b])), geometric
    powers = np.stack([POWER(a, p) for p in (0.5, 1, -2)])
    yield one(line, a, x=powers), POWER(a, -0.5 / 3)
    x = batch(5)
    mean = one(line, a, x=skewed(x))
    yield sum(linalg.logm(linalg.solve(mean, each)) for each in x), np.zeros((3, 3))
    yield one("graph.spd_karcher_mean %x iterations 0 tolerance 0", a, x=x), x.mean(0)
    root = linalg.sqrtm(x.mean(0))
    step = np.mean([linalg.logm(linalg.inv(root) @ each @ linalg.inv(root)) for each in x], 0)
    for how in ("iterations 1 tolerance 0", "iterations 9 tolerance 1e9"):
        yield one(f"graph.spd_karcher_mean %x {how}", a, x=x), root @ linalg.expm(step) @ root


def karcher_mean_weighted() -> Pairs:
    a, b = definite(seed=5), definite(seed=6)
    line = "graph.spd_karcher_mean_weighted %x weights %w iterations 100 tolerance 1e-13"
    half = POWER(a, 0.5)
    geodesic = half @ POWER(linalg.inv(half) @ b @ linalg.inv(half), 0.75) @ half
    yield one(line, a, x=np.stack([a, b]), w=np.array([1.0, 3])), geodesic
    x, w = batch(4), np.array([0.5, 0, 2, 1])
    mean = one(line, a, x=x, w=w)
    logs: Any = [linalg.logm(linalg.solve(mean, each)) for each in x]
    yield np.tensordot(w, logs, 1), np.zeros((3, 3))
    alike = one("graph.spd_karcher_mean %x iterations 100 tolerance 1e-13", a, x=x)
    yield one(line, a, x=x, w=np.zeros(4)), alike
    yield one(line, a, x=x, w=np.full(4, 7.0)), alike


def log_map() -> Pairs:
    """As P log(P^-1 X), which needs no root; the identity as a base; what it undoes."""
    p, x = definite(4, 5), definite(4, 6)
    line = "graph.spd_log_map %p, %x"
    yield one(line, p, p=skewed(p), x=skewed(x)), p @ linalg.logm(linalg.solve(p, x))
    yield one(line, p, p=np.eye(4), x=x), linalg.logm(x)
    yield one("graph.spd_exp_map %p, %v", p, p=p, v=one(line, p, p=p, x=x)), x
    yield one(line, p, p=p, x=-x), np.full((4, 4), np.nan)


def exp_map() -> Pairs:
    p, v = definite(4, 5), symmetric(4)
    line = "graph.spd_exp_map %p, %v"
    yield one(line, p, p=skewed(p), v=skewed(v)), p @ linalg.expm(linalg.solve(p, v))
    yield one(line, p, p=np.eye(4), v=v), linalg.expm(v)
    yield one("graph.spd_log_map %p, %x", p, p=p, x=one(line, p, p=p, v=v / 4)), v / 4


def parallel_transport() -> Pairs:
    """By the root of Q P^-1; products of tangents are kept; there and back is nothing; the way of a geodesic."""
    p, q, v, w = definite(4, 5), definite(4, 6), symmetric(4, 7), symmetric(4, 8)
    line = "graph.spd_parallel_transport %v from %p to %q"
    e = linalg.sqrtm(q @ linalg.inv(p))
    moved = one(line, v, p=skewed(p), q=skewed(q), v=skewed(v))
    yield moved, e @ v @ e.T
    other = one(line, v, p=p, q=q, v=w)
    at_start = np.trace(linalg.solve(p, v) @ linalg.solve(p, w))
    yield np.trace(linalg.solve(q, moved) @ linalg.solve(q, other)), np.asarray(at_start)
    yield one(line, v, p=q, q=p, v=moved), v
    yield one(line, v, p=p, q=p, v=v), v
    velocity = one("graph.spd_log_map %p, %q", v, p=p, q=q)
    yield one(line, v, p=p, q=q, v=velocity), -one("graph.spd_log_map %q, %p", v, p=p, q=q)


def matrix_fn_batch() -> Pairs:
    """Each function beside scipy's, of well and of badly conditioned matrices; NaN where there is none."""
    x = np.concatenate([batch(3), np.diag([1e-8, 1, 1e8])[None]])
    functions: dict[str, Any] = {"logm": linalg.logm, "sqrtm": linalg.sqrtm, "invsqrtm": lambda a: POWER(a, -0.5)}
    for name, function in functions.items():
        found = one(f"graph.spd_matrix_fn_batch {name} %x", x, x=skewed(x))
        for mine, matrix in zip(found, x, strict=True):
            yield mine, function(matrix)
        negative = one(f"graph.spd_matrix_fn_batch {name} %x", x[:2], x=np.stack([-x[0], x[0]]))
        yield negative, np.stack([np.full((3, 3), np.nan), function(x[0])])
    v = np.stack([symmetric(3, seed) for seed in range(3)])
    yield one("graph.spd_matrix_fn_batch expm %x", v, x=skewed(v)), linalg.expm(v)


CHECKS = (
    Check("graph.bi_map", "numpy.einsum", bi_map, 1e-14),
    Check("graph.log_eig", "scipy.linalg.logm", log_eig, 1e-12),
    Check("graph.re_eig", "scipy.linalg.sqrtm of the square", re_eig, 1e-12),
    Check("graph.spd_batch_norm", "scipy.linalg.fractional_matrix_power", batch_norm, 1e-12),
    Check("graph.spd_exp_map", "scipy.linalg.expm, P exp(P^-1 V)", exp_map, 1e-12),
    Check("graph.spd_karcher_mean", "geometric mean by scipy, sum of logarithms, one step", karcher_mean, 1e-11),
    Check("graph.spd_karcher_mean_weighted", "geodesic by scipy, sum of logarithms", karcher_mean_weighted, 1e-11),
    Check("graph.spd_log_map", "scipy.linalg.logm, P log(P^-1 X)", log_map, 1e-12),
    Check(
        "graph.spd_matrix_fn_batch", "scipy.linalg.logm, expm, sqrtm, fractional_matrix_power", matrix_fn_batch, 1e-11
    ),
    Check("graph.spd_parallel_transport", "scipy.linalg.sqrtm of Q P^-1, the metric", parallel_transport, 1e-12),
)
