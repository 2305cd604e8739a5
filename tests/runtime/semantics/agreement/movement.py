"""Data movement beside the reference evaluator of ONNX, JAX and numpy: elements keep their bits."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

from tests.runtime.interpreter.one_instruction import by_onnx
from tests.runtime.semantics.check import Array, Check, Pairs, outputs
from tests.runtime.semantics.from_arrays import type_of
from tests.runtime.semantics.one_line import computed, typed

RNG = np.random.default_rng
SPECIAL = np.array([np.nan, -0.0, np.inf, -np.inf, 5e-324, 1.5])


def numbers(*shape: int, seed: int = 1) -> Array:
    return RNG(seed).normal(size=shape)


def integers(low: int, high: int, *shape: int, seed: int = 2, dtype: Any = np.int64) -> Array:
    return RNG(seed).integers(low, high, shape).astype(dtype)


def gather() -> Pairs:
    """Scalars, matrices and no indices; negative ones; bytes as indices; several data types of the elements."""
    for shape, axis, indices in (
        ((5,), 0, np.array(3)),
        ((5, 3), 0, integers(-5, 5, 2, 4)),
        ((2, 6, 3), 1, integers(-6, 6, 3)),
        ((2, 3, 4), 2, integers(0, 4, 2, 2, dtype=np.int32)),
        ((2, 3), 1, np.zeros((0,), np.int64)),
    ):
        x = numbers(*shape)
        expected = by_onnx("Gather", x, indices, axis=axis)
        yield computed(f"graph.gather %x at %i axis {axis}", type_of(expected), x=x, i=indices)[0], expected
    for dtype in (ml_dtypes.bfloat16, np.int8, np.bool_):
        x, at = numbers(4, 2).astype(dtype), np.array([1, 3, 0], np.uint8)
        yield computed("graph.gather %x at %i axis 0", typed(_name(dtype), (3, 2)), x=x, i=at)[0], x[[1, 3, 0]]


def gather_nd() -> Pairs:
    for shape, indices, batch in (
        ((2, 2), np.array([[0, 0], [1, 1]]), 0),
        ((2, 3, 4), np.array([[1], [-1]]), 0),
        ((2, 3, 4), integers(-2, 2, 3, 2, 2), 0),
        ((2, 3, 4), np.array([[2], [0]]), 1),
        ((2, 3, 4), integers(0, 3, 2, 5, 2), 1),
        ((2, 3, 4), integers(-4, 4, 2, 3, 1), 2),
    ):
        x = numbers(*shape)
        expected = by_onnx("GatherND", x, indices, batch_dims=batch)
        line = f"graph.gather_nd %x at %i {{batch_dims = {batch}}}"
        yield computed(line, type_of(expected), x=x, i=indices)[0], expected
    x = numbers(2, 3)
    yield computed("graph.gather_nd %x at %i", "f64[4,2,3]", x=x, i=np.zeros((4, 0), int))[0], np.stack([x] * 4)
    line, none = "graph.gather_nd %x at %i {batch_dims = 1}", np.zeros((2, 4, 0), int)
    yield computed(line, "f64[2,4,3]", x=x, i=none)[0], np.repeat(x[:, np.newaxis], 4, axis=1)


def gather_elements() -> Pairs:
    for shape, axis, indices in (
        ((3, 3), 1, np.array([[0, 0], [1, 0], [-1, 2]])),
        ((3, 4), 0, integers(-3, 3, 2, 4)),
        ((2, 3, 4), 2, integers(0, 4, 2, 3, 6)),
        ((4,), 0, integers(-4, 4, 0)),
    ):
        x = numbers(*shape)
        expected = by_onnx("GatherElements", x, indices, axis=axis)
        yield computed(f"graph.gather_elements %x at %i axis {axis}", type_of(expected), x=x, i=indices)[0], expected
    x, at = numbers(3, 4), integers(0, 4, 2, 3)  # fewer rows than there are
    yield computed("graph.gather_elements %x at %i axis 1", "f64[2,3]", x=x, i=at)[0], np.take_along_axis(x[:2], at, 1)


def narrow() -> Pairs:
    x = numbers(4, 6, 3)
    for axis, start, length in ((0, 1, 2), (1, 0, 6), (2, 2, 1), (1, 6, 0)):
        expected = np.asarray(lax.slice_in_dim(x.view(np.int64), start, start + length, axis=axis))
        line = f"graph.narrow %x axis {axis} start {start} length {length}"
        found = computed(line, typed("f64", expected.shape), x=x)[0]
        yield found, x.take(range(start, start + length), axis)


def reshape() -> Pairs:
    for old, new, stated in (
        ((2, 3, 4), (6, 4), "[6, 4]"),
        ((2, 3, 4), (2, 12), "[2, ?]"),
        ((2, 3, 4), (24,), "[?]"),
        ((1,), (), "[]"),
        ((0, 3), (3, 0, 2), "[3, 0, 2]"),
    ):
        x = numbers(*old)
        expected = by_onnx("Reshape", x, np.array([-1 if d == "?" else int(d) for d in _dims(stated)]), allowzero=1)
        assert expected.shape == new
        yield computed(f"graph.reshape %x {{new_shape = {stated}}}", typed("f64", new), x=x)[0], expected


def transpose() -> Pairs:
    for shape, permutation in (((2, 3, 4), [2, 0, 1]), ((2, 3), [1, 0]), ((5,), [0]), ((2, 0, 3), [1, 2, 0])):
        x = numbers(*shape)
        expected = by_onnx("Transpose", x, perm=permutation)
        line = f"graph.transpose %x permutation {permutation}"
        yield computed(line, type_of(expected), x=x)[0], expected


def concat() -> Pairs:
    for shapes, axis in ((((2, 3), (2, 5), (2, 0)), 1), (((1,), (4,)), 0), (((2, 1, 2), (2, 3, 2)), 1), (((3,),), 0)):
        parts = {f"p{at}": numbers(*shape, seed=at) for at, shape in enumerate(shapes)}
        expected = by_onnx("Concat", *parts.values(), axis=axis)
        line = f"graph.concat ({', '.join('%' + name for name in parts)}) axis {axis}"
        yield computed(line, type_of(expected), **parts)[0], expected
    yield computed("graph.concat (%x, %x) axis 0", "f64[12]", x=SPECIAL)[0], np.tile(SPECIAL, 2)


def expand() -> Pairs:
    for shape, target in (
        ((3, 1), (2, 1, 6)),
        ((3,), (3,)),
        ((), (2, 2)),
        ((3, 1), (3, 4)),
        ((2, 5), (1,)),
        ((1,), (0, 2)),
    ):
        x = numbers(*shape)
        expected = by_onnx("Expand", x, np.array(target))
        line = f"graph.expand %x {{target_shape = {list(target)}}}"
        yield computed(line, type_of(expected), x=x)[0], expected
    x = numbers(3, 1)
    for stated, target in (("2, 1, ?", (2, 1, 6)), ("?, ?, 6", (2, 1, 6)), ("?, 1", (3, 1))):  # the result says it
        expected = by_onnx("Expand", x, np.array(target))
        yield computed(f"graph.expand %x {{target_shape = [{stated}]}}", type_of(expected), x=x)[0], expected


def top_k() -> Pairs:
    """Ties, NaN and infinities beside JAX; then Python's own stable sort, also of the smallest and of integers."""
    ties = np.array([[1.0, 3, 3, 2, 1, 3], [np.nan, np.inf, 1, -np.inf, np.nan, 0]])
    with jax.enable_x64(True):
        expected = [np.asarray(found) for found in lax.top_k(jnp.asarray(ties), 4)]
    yield from zip(computed("graph.top_k %x k 4 axis 1", "f64[2,4]", "i64[2,4]", x=ties), expected, strict=True)
    for x, k, axis in ((numbers(3, 4, 5), 2, 1), (ties[:1], 1, 0), (ties, 0, 1), (integers(-3, 3, 40), 40, 0)):
        for largest in (True, False):
            for dtype in (x.dtype, np.dtype(np.int8)) if x.dtype.kind == "i" else (x.dtype,):
                values, indices = _sorted(x.astype(dtype), k, axis, largest)
                line = f"graph.top_k %x k {k} axis {axis} {{largest = {str(largest).lower()}}}"
                found = computed(line, type_of(values), type_of(indices), x=x.astype(dtype))
                yield from zip(found, (values, indices), strict=True)
    unsigned = np.array([1, 2**63, 2**64 - 1], np.uint64)
    found = computed("graph.top_k %x k 3 axis 0", "u64[3]", "i64[3]", x=unsigned)
    yield from zip(found, (unsigned[::-1], np.array([2, 1, 0])), strict=True)


def _sorted(x: Array, k: int, axis: int, largest: bool) -> tuple[Array, Array]:
    """Return the first elements of a stable sort of Python's, and where they stood."""
    rows = np.moveaxis(x, axis, -1)
    chosen = np.empty((*rows.shape[:-1], k), np.int64)
    for place in np.ndindex(rows.shape[:-1]):
        row = rows[place].tolist()
        chosen[place] = sorted(range(len(row)), key=row.__getitem__, reverse=largest)[:k]  # reversed, yet stable
    indices = np.moveaxis(chosen, -1, axis)
    return np.take_along_axis(x, indices, axis), indices


def dynamic_slice() -> Pairs:
    """Starts within, below and beyond what fits, and beyond what 32 bits hold; JAX must not count from the end."""
    x = numbers(4, 6)
    for start in ((1, 2), (-3, 4), (9, -1), (2, 3), (2**40, -(2**40))):
        with jax.enable_x64(True):
            expected = np.asarray(
                lax.dynamic_slice(jnp.asarray(x), [*map(jnp.asarray, start)], (2, 3), allow_negative_indices=False)
            )
        found = computed(
            "graph.dynamic_slice %x at (%i, %j) sizes [2, 3]",
            "f64[2,3]",
            **{"x": x, "i": np.array(start[0]), "j": np.array(start[1])},
        )
        yield found[0], expected
    yield computed("graph.dynamic_slice %x at () sizes []", "f64[]", x=np.array(1.5))[0], np.array(1.5)


def dynamic_update_slice() -> Pairs:
    x, update = numbers(4, 6), numbers(2, 3, seed=9)
    for start in ((1, 2), (-3, 4), (9, -1), (2, 3)):
        with jax.enable_x64(True):
            expected = np.asarray(
                lax.dynamic_update_slice(
                    jnp.asarray(x), jnp.asarray(update), [*map(jnp.asarray, start)], allow_negative_indices=False
                )
            )
        found = computed(
            "graph.dynamic_update_slice %x update %u at (%i, %j)",
            "f64[4,6]",
            **{"x": x, "u": update, "i": np.array(start[0], np.int32), "j": np.array(start[1], np.int32)},
        )
        yield found[0], expected


def weights() -> Pairs:
    w = numbers(2, 3)
    yield outputs('func @main() {\n  %w: f64[2,3] = graph.param "w"\n  return %w\n}', w=w)[0], w


def _dims(stated: str) -> list[str]:
    return [dim.strip() for dim in stated.strip("[]").split(",") if dim.strip()]


def _name(dtype: Any) -> str:
    return type_of(np.zeros((), dtype)).partition("[")[0]


CHECKS = (
    Check("graph.concat", "onnx.reference Concat", concat, 0),
    Check("graph.dynamic_slice", "jax.lax.dynamic_slice", dynamic_slice, 0),
    Check("graph.dynamic_update_slice", "jax.lax.dynamic_update_slice", dynamic_update_slice, 0),
    Check("graph.expand", "onnx.reference Expand", expand, 0),
    Check("graph.gather", "onnx.reference Gather, numpy", gather, 0),
    Check("graph.gather_elements", "onnx.reference GatherElements, numpy.take_along_axis", gather_elements, 0),
    Check("graph.gather_nd", "onnx.reference GatherND", gather_nd, 0),
    Check("graph.narrow", "numpy.take", narrow, 0),
    Check("graph.param", "the array that is given", weights, 0),
    Check("graph.reshape", "onnx.reference Reshape", reshape, 0),
    Check("graph.top_k", "jax.lax.top_k", top_k, 0),
    Check("graph.transpose", "onnx.reference Transpose", transpose, 0),
)
