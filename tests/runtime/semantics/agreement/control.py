"""Control flow that is differentiated beside JAX's gradients of the scan itself."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tests.runtime.semantics.check import Array, Check, Pairs, outputs

ROUNDS = 7
CHECKPOINTS = (0, 1, 2, 3, 5, 7)


def custom_fn() -> Pairs:
    """As what stands in its region; a derivative that is given does not change it."""
    text = """func @main(%x: f64[3], %y: f64[3]) {
      %p: f64[3], %q: f64[3] = graph.custom_fn (%x, %y) vjp "none_at_all" body(%a: f64[3], %b: f64[3]) {
        %r: f64[3] = graph.binary mul %a, %b
        %s: f64[3] = graph.binary sub %a, %b
        yield %r, %s
      }
      return %p, %q
    }

    func @none_at_all(%x: f64[3], %y: f64[3], %p: f64[3], %q: f64[3], %dp: f64[3], %dq: f64[3]) {
      return %dp, %dq
    }"""
    x, y = np.random.default_rng(1).normal(size=(2, 3))
    yield from zip(outputs(text, x=x, y=y), (x * y, x - y), strict=True)


def step(carry: Any, item: Any) -> Any:
    """One round: two carried values, two items."""
    (p, q), (a, b) = carry, item
    return (p * a + jnp.sin(q), q * b + p)


REGIONS = """vjp(%u: f64[2], %v: f64[2], %i: f64[2], %j: f64[], %du: f64[2], %dv: f64[2]) {
    %0: f64[2] = graph.binary mul %du, %i
    %1: f64[2] = graph.binary add %0, %dv
    %2: f64[2] = graph.activation cos %v
    %3: f64[2] = graph.binary mul %du, %2
    %4: f64[2] = graph.binary mul %dv, %j
    %5: f64[2] = graph.binary add %3, %4
    %6: f64[2] = graph.binary mul %du, %u
    %7: f64[2] = graph.binary mul %dv, %v
    %8: f64[] = graph.reduce sum %7 axes [0]
    yield %1, %5, %6, %8
  } forward(%u: f64[2], %v: f64[2], %i: f64[2], %j: f64[]) {
    %0: f64[2] = graph.binary mul %u, %i
    %1: f64[2] = graph.activation sin %v
    %2: f64[2] = graph.binary add %0, %1
    %3: f64[2] = graph.binary mul %v, %j
    %4: f64[2] = graph.binary add %3, %u
    yield %2, %4
  }"""


@cache
def expected(saves: bool) -> tuple[dict[str, Array], list[Array], list[Array]]:
    """Return the arrays of a scan, what it carries round by round, and the gradients by JAX."""
    random = np.random.default_rng(2)
    given = {"p": random.normal(size=2), "q": random.normal(size=2)}
    given |= {"a": random.normal(size=(ROUNDS, 2)), "b": random.normal(size=ROUNDS)}
    cotangents = [random.normal(size=(ROUNDS, 2)) for _ in range(2)]
    with jax.enable_x64(True):

        def scanned(p: Any, q: Any, a: Any, b: Any) -> Any:
            def one(carry: Any, item: Any) -> Any:
                following = step(carry, item)
                return following, following

            final, each = lax.scan(one, (p, q), (a, b))
            return (each if saves else final), each

        upstream = cotangents if saves else [cotangent[0] for cotangent in cotangents]
        _, pull, each = jax.vjp(scanned, *map(jnp.asarray, given.values()), has_aux=True)
        carried = [np.asarray(value) for value in each]
        found = [np.asarray(gradient) for gradient in pull(tuple(map(jnp.asarray, upstream)))]
    named = given | dict(zip(("dp", "dq"), upstream, strict=True))
    return named, carried, found


def backward(saves: bool, checkpoints: int) -> Iterator[tuple[list[Array], list[Array]]]:
    """Yield what is found and expected: the gradients of the carried values, then of both items."""
    named, carried, gradients = expected(saves)
    kept = [-(-(row + 1) * ROUNDS // checkpoints) - 1 for row in range(checkpoints)] or list(range(ROUNDS))
    rows = {"tp": carried[0][kept], "tq": carried[1][kept]}
    each = f"f64[{ROUNDS},2]" if saves else "f64[2]"
    arguments = (
        f"%p: f64[2], %q: f64[2], %a: f64[{ROUNDS},2], %b: f64[{ROUNDS}], %dp: {each}, %dq: {each}, "
        f"%tp: f64[{len(kept)},2], %tq: f64[{len(kept)},2]"
    )
    given = "(%p, %q) over (%a, %b) trajectory (%tp, %tq) upstream (%dp, %dq)"
    how = f"{{save_trajectory = {str(saves).lower()}, checkpoints = {checkpoints}}}"
    lines = (
        f"%0: f64[2], %1: f64[2] = graph.scan_backward {given} {how} {REGIONS}\n  return %0, %1",
        f"%0: f64[{ROUNDS},2] = graph.scan_backward_xs {given} of 0 {how} {REGIONS}\n  return %0",
        f"%0: f64[{ROUNDS}] = graph.scan_backward_xs {given} of 1 {how} {REGIONS}\n  return %0",
    )
    wanted = (gradients[:2], gradients[2:3], gradients[3:])
    for line, arrays in zip(lines, wanted, strict=True):
        yield outputs(f"func @main({arguments}) {{\n  {line}\n}}", **named, **rows), arrays


def scan_backward() -> Pairs:
    """With the cotangents of the last round and of each; with the carried values of all rounds, and of some."""
    for saves in (False, True):
        for checkpoints in CHECKPOINTS:
            found, wanted = next(backward(saves, checkpoints))
            yield from zip(found, wanted, strict=True)


def scan_backward_xs() -> Pairs:
    for saves in (False, True):
        for checkpoints in CHECKPOINTS:
            for found, wanted in list(backward(saves, checkpoints))[1:]:
                yield from zip(found, wanted, strict=True)


CHECKS = (
    Check("graph.custom_fn", "numpy, of what its region says", custom_fn, 0),
    Check("graph.scan_backward", "jax.vjp of jax.lax.scan", scan_backward, 1e-13),
    Check("graph.scan_backward_xs", "jax.vjp of jax.lax.scan", scan_backward_xs, 1e-13),
)
