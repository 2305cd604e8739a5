"""Scatters beside the reference evaluator of ONNX, JAX, and sums that a loop makes."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from generated.vocabulary import SCATTER_REDUCTIONS
from tests.runtime.interpreter.one_instruction import by_onnx
from tests.runtime.semantics.check import Array, Check, Pairs
from tests.runtime.semantics.from_arrays import type_of
from tests.runtime.semantics.one_line import computed

RNG = np.random.default_rng


def numbers(*shape: int, seed: int = 1) -> Array:
    return RNG(seed).normal(size=shape)


def scatter_add() -> Pairs:
    """Rows that meet, rows that nothing is added to, no rows; sums of bf16 that are rounded once."""
    for shape, rows, indices in (
        ((5, 3), 4, np.array([3, 0, 3, 3, 1])),
        ((4,), 2, np.array([1, 1, 1, 0], np.int32)),
        ((0, 3), 2, np.zeros(0, np.int64)),
        ((3, 2, 2), 3, np.array([2, 1, 0], np.uint8)),
    ):
        updates = numbers(*shape)
        expected = np.tensordot(np.eye(rows)[indices].T, updates, 1)
        line = f"graph.scatter_add %u at %i rows {rows}"
        yield computed(line, type_of(expected), u=updates, i=indices)[0], expected
    updates, at = numbers(5, 3), np.array([3, 0, 3, 3, 1])
    with jax.enable_x64(True):
        summed = np.asarray(jnp.zeros((4, 3)).at[jnp.asarray(at)].add(jnp.asarray(updates)))
    yield computed("graph.scatter_add %u at %i rows 4", "f64[4,3]", u=updates, i=at)[0], summed
    small = np.full(300, 1 / 256).astype(ml_dtypes.bfloat16)
    found = computed("graph.scatter_add %u at %i rows 1", "bf16[1]", u=small, i=np.zeros(300, np.int64))
    yield found[0], np.array([300 / 256]).astype(ml_dtypes.bfloat16)


def scatter_nd() -> Pairs:
    for shape, indices in (
        ((8,), np.array([[4], [3], [-7], [7]])),
        ((4, 5), np.array([[0], [-2]])),
        ((2, 3, 4), np.array([[[1, 2], [0, 0]], [[-1, 0], [0, -1]]])),
    ):
        for reduction in SCATTER_REDUCTIONS:
            data = numbers(*shape)
            updates = numbers(*indices.shape[:-1], *shape[indices.shape[-1] :], seed=2)
            expected = by_onnx("ScatterND", data, indices, updates, reduction=_onnx(reduction))
            line = f"graph.scatter_nd %x at %i updates %u {{reduction = {reduction}}}"
            yield computed(line, type_of(data), x=data, i=indices, u=updates)[0], expected
    met, data, updates = np.array([[1], [1], [1]]), numbers(3, 2), numbers(3, 2, seed=3)
    for reduction in SCATTER_REDUCTIONS:
        expected = by_onnx("ScatterND", data, met, updates, reduction=_onnx(reduction))
        line = f"graph.scatter_nd %x at %i updates %u {{reduction = {reduction}}}"
        yield computed(line, "f64[3,2]", x=data, i=met, u=updates)[0], expected
    whole = computed("graph.scatter_nd %x at %i updates %u", "f64[3,2]", x=data, i=np.zeros(0, int), u=updates)
    yield whole[0], updates
    twice = np.stack([updates, data])
    line = "graph.scatter_nd %x at %i updates %u {reduction = add}"
    yield computed(line, "f64[3,2]", x=data, i=np.zeros((2, 0), int), u=twice)[0], data + updates + data


def scatter_elements() -> Pairs:
    """All reductions, indices that meet, negative ones, NaN; integers that wrap."""
    for shape, axis, indices in (
        ((3, 3), 0, np.array([[1, 0, 2], [0, 2, -2]])),
        ((1, 5), 1, np.array([[1, -2]])),
        ((2, 3, 4), 2, RNG(4).permuted(np.tile(np.arange(4), (2, 3, 1)), axis=2)),
    ):
        for reduction in SCATTER_REDUCTIONS:
            data, updates = numbers(*shape), numbers(*indices.shape, seed=5)
            expected = by_onnx("ScatterElements", data, indices, updates, axis=axis, reduction=_onnx(reduction))
            line = f"graph.scatter_elements %x at %i updates %u axis {axis} {{reduction = {reduction}}}"
            yield computed(line, type_of(data), x=data, i=indices, u=updates)[0], expected
    x, at, new = np.array([100, -100, 7], np.int8), np.array([0, 0, 1]), np.array([100, 1, -100], np.int8)
    found = computed("graph.scatter_elements %x at %i updates %u axis 0 {reduction = add}", "i8[3]", x=x, i=at, u=new)
    yield found[0], np.array([201 - 256, 56, 7], np.int8)
    x, new = np.array([1.0, np.nan]), np.array([np.nan, 2.0])
    found = computed(
        "graph.scatter_elements %x at %i updates %u axis 0 {reduction = max}",
        "f64[2]",
        **{"x": x, "i": np.array([0, 1]), "u": new},
    )
    yield found[0], np.array([np.nan, np.nan])


def _onnx(reduction: str) -> str:
    return "none" if reduction == "replace" else reduction


CHECKS = (
    Check("graph.scatter_add", "jax.Array.at.add, products with one-hot matrices", scatter_add, 1e-15),
    Check("graph.scatter_elements", "onnx.reference ScatterElements", scatter_elements, 1e-15),
    Check("graph.scatter_nd", "onnx.reference ScatterND", scatter_nd, 1e-15),
)
