"""Sums along a dimension beside the reference evaluator of ONNX and JAX."""

import itertools

import numpy as np
from jax import lax

from tests.runtime.semantics.check import Check, Pairs
from tests.runtime.semantics.from_arrays import beside, by_jax, by_onnx, normal


def cumsum() -> Pairs:
    for shape, axes in (((3, 4, 2), (0, 1, 2, -1, -3)), ((1,), (0,)), ((0, 2), (0, 1))):
        x = normal(1, *shape)
        for axis, exclusive, reverse in itertools.product(axes, (0, 1), (0, 1)):
            (expected,) = by_onnx("CumSum", x, np.array(axis), exclusive=exclusive, reverse=reverse)
            yield from beside(_form(axis, exclusive, reverse), expected, x=x)


def cumsum_in_jax() -> Pairs:
    x = normal(2, 3, 40)
    for reverse in (0, 1):
        yield from beside(_form(1, 0, reverse), by_jax(lambda x, r=reverse: lax.cumsum(x, 1, reverse=bool(r)), x), x=x)


def cumsum_of_integers() -> Pairs:
    """Modulo 2 to the width, as numpy adds; NaN and infinities stay where they are met."""
    for dtype in (np.int8, np.uint8, np.int64):
        x = np.array([100, 100, 100, 7], np.int64).astype(dtype) * np.array(np.iinfo(dtype).max // 100, dtype)
        yield from beside(_form(0, 0, 0), np.cumsum(x, dtype=dtype), x=x)
        yield from beside(_form(0, 1, 1), np.array([*np.cumsum(x[::-1], dtype=dtype)[:-1][::-1], 0], dtype), x=x)
    x = np.array([1, np.inf, 2, -np.inf, 3])
    yield from beside(_form(0, 0, 0), np.array([1, np.inf, np.inf, np.nan, np.nan]), x=x)
    yield from beside(_form(0, 1, 0), np.array([0, 1, np.inf, np.inf, np.nan]), x=x)


def _form(axis: int, exclusive: int, reverse: int) -> str:
    options = f"exclusive = {str(bool(exclusive)).lower()}, reverse = {str(bool(reverse)).lower()}"
    return f"graph.cumsum %x axis {axis} {{{options}}}"


CHECKS = (
    Check("graph.cumsum", "onnx.reference CumSum", cumsum, 1e-15),
    Check("graph.cumsum", "jax.lax.cumsum", cumsum_in_jax, 1e-15),
    Check("graph.cumsum", "numpy.cumsum of integers, by hand", cumsum_of_integers, 0),
)
