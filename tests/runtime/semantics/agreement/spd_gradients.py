"""The adjoints of what is computed with SPD matrices beside finite differences, where eigenvalues meet too."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from generated.vocabulary import MATRIX_FUNCTIONS
from tests.runtime.semantics.agreement.spd import batch, definite, symmetric
from tests.runtime.semantics.check import Array, Check, Pairs, gradients
from tests.runtime.semantics.from_arrays import type_of
from tests.runtime.semantics.one_line import computed, forward

RNG = np.random.default_rng


def cotangent(like: Array, seed: int = 4) -> Array:
    return RNG(seed).normal(size=like.shape)


def spectral(name: str, x: Array, epsilon: float) -> Pairs:
    n = len(x)
    types = (f"f64[{n},{n}]", f"f64[{n}]", f"f64[{n},{n}]")
    line = f"graph.{name} %x epsilon {epsilon}"
    _, values, vectors = computed(line, *types, x=x)
    d = cotangent(x)
    nothing = (np.zeros(n), np.zeros((n, n)))
    given = {"w": values, "v": vectors, "d": d}
    found = computed(f"graph.{name}_backward %w, %v upstream %d epsilon {epsilon}", types[0], **given)[0]
    yield found, gradients(forward(line, *types, x=x), {"x": x}, (d, *nothing), "x")


def re_eig_backward() -> Pairs:
    """Nothing is raised; some eigenvalues are; all are, and nothing is left; two are equal."""
    for epsilon in (1e-4, 0.8, 30.0):
        yield from spectral("re_eig", symmetric(4), epsilon)
    yield from spectral("re_eig", np.diag([2.0, 2, -1]), 0.5)


def log_eig_backward() -> Pairs:
    for epsilon in (1e-4, 0.9):
        yield from spectral("log_eig", definite(4), epsilon)
    yield from spectral("log_eig", np.diag([2.0, 2, 3]), 1e-4)
    near = np.array([2.0, 2 + 1e-13, 1e-20])  # a quotient of differences would have no digit right
    given = {"w": near, "v": np.eye(3), "d": np.ones((3, 3))}
    found = computed("graph.log_eig_backward %w, %v upstream %d epsilon 0", "f64[3,3]", **given)[0]
    yield found[0, 1], np.array(0.5)
    yield found[2, 0], np.array((np.log(2) - np.log(1e-20)) / 2)
    yield found[2, 2] / 1e20, np.array(1.0)


def matrix_fn_batch_backward() -> Pairs:
    for function in MATRIX_FUNCTIONS:
        for x in (batch(2), np.stack([np.diag([2.0, 2, 1]), np.eye(3)])):
            line = f"graph.spd_matrix_fn_batch {function} %x"
            d, type = cotangent(x), type_of(x)
            found = computed(f"graph.spd_matrix_fn_batch_backward {function} %x upstream %d", type, x=x, d=d)[0]
            yield found, gradients(forward(line, type, x=x), {"x": x}, (d,), "x")
    x, d = symmetric(3), cotangent(symmetric(3))
    expected = linalg.expm_frechet(x, (d + d.T) / 2, compute_expm=False)  # which is its own adjoint
    line = "graph.spd_matrix_fn_batch_backward expm %x upstream %d"
    yield computed(line, "f64[1,3,3]", x=x[None], d=d[None])[0][0], expected


def by_differences(line: str, backward: str, given: dict[str, Array], names: tuple[str, ...], like: str) -> Pairs:
    """Yield each cotangent of a backward instruction beside the differences of the forward one."""
    d = cotangent(given[like])
    text = forward(line, type_of(d), **given)
    found = computed(backward, *(type_of(given[name]) for name in names), **given, d=d)
    for name, mine in zip(names, found, strict=True):
        yield mine, gradients(text, given, (d,), name)


def batch_norm(epsilon: float) -> tuple[str, dict[str, Array]]:
    line = f"graph.spd_batch_norm %x mean %m bias %g epsilon {epsilon}"
    return line, {"x": batch(2), "m": definite(seed=5), "g": definite(seed=6)}


def batch_norm_backward_x() -> Pairs:
    for epsilon in (1e-6, 1.0):
        line, given = batch_norm(epsilon)
        backward = f"graph.spd_batch_norm_backward_x mean %m bias %g upstream %d epsilon {epsilon}"
        yield from by_differences(line, backward, given, ("x",), "x")


def batch_norm_backward_g() -> Pairs:
    """Also where some eigenvalues of mean and bias are raised."""
    for epsilon in (1e-6, 1.0):
        line, given = batch_norm(epsilon)
        backward = f"graph.spd_batch_norm_backward_g %x mean %m bias %g upstream %d epsilon {epsilon}"
        yield from by_differences(line, backward, given, ("g",), "x")


def log_map_backward() -> Pairs:
    line, backward = "graph.spd_log_map %p, %x", "graph.spd_log_map_backward %p, %x upstream %d"
    for p, x in ((definite(seed=5), definite(seed=6)), (np.eye(3), definite(seed=6)), (np.eye(3), np.eye(3))):
        yield from by_differences(line, backward, {"p": p, "x": x}, ("p", "x"), "x")


def exp_map_backward() -> Pairs:
    line, backward = "graph.spd_exp_map %p, %v", "graph.spd_exp_map_backward %p, %v upstream %d"
    for p, v in ((definite(seed=5), symmetric()), (np.eye(3), np.zeros((3, 3)))):
        yield from by_differences(line, backward, {"p": p, "v": v}, ("p", "v"), "v")


def parallel_transport_backward() -> Pairs:
    line = "graph.spd_parallel_transport %v from %p to %q"
    backward = "graph.spd_parallel_transport_backward %v from %p to %q upstream %d"
    for p, q in ((definite(seed=5), definite(seed=6)), (np.eye(3), np.eye(3))):
        yield from by_differences(line, backward, {"p": p, "q": q, "v": symmetric()}, ("p", "q", "v"), "v")


BY = "finite differences"
CHECKS = (
    Check("graph.log_eig_backward", f"{BY}, derivatives by hand", log_eig_backward, 1e-8),
    Check("graph.re_eig_backward", BY, re_eig_backward, 1e-8),
    Check("graph.spd_batch_norm_backward_g", BY, batch_norm_backward_g, 1e-8),
    Check("graph.spd_batch_norm_backward_x", BY, batch_norm_backward_x, 1e-8),
    Check("graph.spd_exp_map_backward", BY, exp_map_backward, 1e-7),
    Check("graph.spd_log_map_backward", BY, log_map_backward, 1e-7),
    Check("graph.spd_matrix_fn_batch_backward", f"{BY}, scipy.linalg.expm_frechet", matrix_fn_batch_backward, 1e-7),
    Check("graph.spd_parallel_transport_backward", BY, parallel_transport_backward, 1e-7),
)
