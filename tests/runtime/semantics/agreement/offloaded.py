"""The offloaded memory intrinsics beside numpy, JAX and ml_dtypes, whose copies and casts are other people's."""

from typing import Any

import jax
import ml_dtypes
import numpy as np
from jax import lax

from tests.runtime.semantics.check import Check, Pairs
from tests.runtime.semantics.written import moved

RNG = np.random.default_rng
X = RNG(1).normal(size=(4, 6)).astype(np.float32) * 1000


def _bits(array: Any) -> Any:
    return np.asarray(array).view(np.uint8)


def copy() -> Pairs:
    odd = X.copy()
    odd[0, :3] = [np.nan, -np.inf, -0.0]
    for shape in ("4,6", "24", "2,3,4", "1,24"):
        expected = jax.numpy.reshape(odd, [int(extent) for extent in shape.split(",")])
        found = moved("%y = offloaded_mem_cpy %x", f"f32[{shape}] dram", x=("f32[4,6] dram", odd))
        yield _bits(found), _bits(expected)
    tiled = moved("%y = offloaded_mem_cpy %x {is_tiled = true, num_tiles = 2}", "f32[4,6] sbuf", x=("f32[4,6] sbuf", X))
    yield tiled, X


def cast() -> Pairs:
    for dtype, there in (("bf16", ml_dtypes.bfloat16), ("f16", np.float16), ("f8e4m3fn", ml_dtypes.float8_e4m3fn)):
        line = "%y = offloaded_mem_cast %x"
        small = X / 10
        yield moved(line, f"{dtype}[4,6] dram", x=("f32[4,6] dram", small)).astype(np.float32), np.asarray(
            lax.convert_element_type(small, there)
        ).astype(np.float32)
        yield moved(line, f"{dtype}[24] dram", x=("f32[4,6] dram", small)).astype(np.float32), small.astype(
            there
        ).astype(np.float32).reshape(24)
    whole = np.array([0, 1, -7, 2**24 + 1, -(2**24) - 3, 2**31 - 1], np.int32)
    yield moved("%y = offloaded_mem_cast %x", "i64[6] dram", x=("i32[6] dram", whole)), whole.astype(np.float32).astype(
        np.int64
    )


def bitcast() -> Pairs:
    cases: tuple[tuple[str, str, Any, Any], ...] = (
        ("f32[4,6]", "i32[4,6]", X, np.int32),
        ("f32[4,6]", "bf16[4,12]", X, ml_dtypes.bfloat16),
        ("bf16[4,6]", "u8[4,12]", X.astype(ml_dtypes.bfloat16), np.uint8),
        ("u8[4,8]", "i64[4,1]", RNG(2).integers(0, 256, (4, 8), np.uint8), np.int64),
    )
    for source, result, array, there in cases:
        found = moved("%y = offloaded_bitcast %x", f"{result} dram", x=(f"{source} dram", array))
        with jax.enable_x64(True):
            by_jax = lax.bitcast_convert_type(array.reshape(*_grouped(array, there)), there)
        yield _bits(found).reshape(-1), _bits(np.ascontiguousarray(by_jax)).reshape(-1)


def _grouped(array: Any, there: Any) -> tuple[int, ...]:
    """JAX takes the narrow elements of one wide element as a dimension of their own."""
    group = np.dtype(there).itemsize // array.itemsize
    return (*array.shape[:-1], array.shape[-1] // group, group) if group > 1 else array.shape


def concat() -> Pairs:
    for dim in (0, 1, 2):
        parts = [RNG(at).normal(size=(2, 3, 4)).astype(np.float32) for at in range(3)]
        if dim == 1:
            parts[1] = parts[1][:, :1]
        inputs = {
            name: (f"f32[{','.join(map(str, part.shape))}] dram", part) for name, part in zip("abc", parts, strict=True)
        }
        expected = lax.concatenate(parts, dim)
        shape = ",".join(map(str, expected.shape))
        yield moved(f"%y = offloaded_concat %a, %b, %c dim {dim}", f"f32[{shape}] dram", **inputs), expected
    yield moved("%y = offloaded_concat %x dim 0", "f32[4,6] dram", x=("f32[4,6] dram", X)), X


def cut() -> Pairs:
    x = ("f32[4,6] dram", X)
    yield moved("%y = offloaded_slice %x[1 | 6:4, 1:2]", "f32[4,2] dram", x=x), lax.slice(X, (0, 1), (4, 3))
    strided = lax.slice(X, (1, 0), (4, 6), (2, 3))
    yield moved("%y = offloaded_slice %x[6 | 12:2, 3:2]", "f32[2,2] dram", x=x), strided
    yield moved("%y = offloaded_slice %x[23 | 6:1, -1:6]", "f32[1,6] dram", x=x), lax.rev(X, (0, 1))[:1]


def transpose() -> Pairs:
    x = RNG(4).normal(size=(2, 3, 4)).astype(np.float32)
    for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
        expected = lax.transpose(x, order)
        shape = ",".join(map(str, expected.shape))
        line = f"%y = offloaded_transpose %x permutation {list(order)}"
        yield moved(line, f"f32[{shape}] dram", x=("f32[2,3,4] dram", x)), expected
    reshaped = lax.transpose(X.reshape(2, 2, 2, 3), (3, 1, 0, 2)).reshape(6, 4)
    line = "%y = offloaded_transpose %x permutation [3, 1, 0, 2] {src_shape = [2, 2, 2, 3]}"
    yield moved(line, "f32[6,4] dram", x=("f32[4,6] dram", X)), reshaped


def broadcast() -> Pairs:
    for result, dims in (((4, 3, 6), (1,)), ((5, 4, 6), (0,)), ((4, 6, 2), (2,)), ((2, 4, 3, 6), (0, 2)), ((4, 6), ())):
        kept = [dim for dim in range(len(result)) if dim not in dims]
        shape = ",".join(map(str, result))
        line = f"%y = offloaded_broadcast %x broadcast_dims {list(dims)}"
        expected = lax.broadcast_in_dim(X, result, kept)
        yield moved(line, f"f32[{shape}] dram", x=("f32[4,6] dram", X)), expected
    row = X[:1]
    line = "%y = offloaded_broadcast %x broadcast_dims [0]"
    yield moved(line, "f32[5,6] dram", x=("f32[1,6] dram", row)), np.repeat(row, 5, 0)


def fill() -> Pairs:
    for dtype, there in (("f32", np.float32), ("bf16", ml_dtypes.bfloat16), ("f8e5m2", ml_dtypes.float8_e5m2)):
        for value in (0.0, -0.1, 3.14159, 1e4):
            found = moved(f"%y = offloaded_mem_set {value}", f"{dtype}[2,3] dram")
            yield found.astype(np.float32), np.full((2, 3), value).astype(there).astype(np.float32)
    yield moved("%y = offloaded_mem_set -3.0", "i32[4] dram"), np.full(4, -3, np.int32)


def fma() -> Pairs:
    a, b, c = (RNG(at).normal(size=(4, 6)).astype(np.float32) for at in (5, 6, 7))
    x = {"a": ("f32[4,6] dram", a), "b": ("f32[4,6] dram", b), "c": ("f32[4,6] dram", c)}
    exact = 0.3 * a.astype(np.float64) - 2 * b.astype(np.float64) + 1e-3 * c.astype(np.float64)
    yield moved("%y = offloaded_fma %a, %b, %c scales [0.3, -2.0, 0.001]", "f32[4,6] dram", **x), exact
    whole = {name: (kind, np.round(array * 8)) for name, (kind, array) in x.items()}
    expected = (whole["a"][1] / 4 + whole["b"][1] * 2).astype(ml_dtypes.bfloat16)
    halved = moved("%y = offloaded_fma %a, %b scales [0.25, 2.0]", "bf16[4,6] dram", **{n: whole[n] for n in "ab"})
    yield halved.astype(np.float32), expected.astype(np.float32)


CHECKS = (
    Check("offloaded_mem_cpy", "jax.numpy.reshape, the bits", copy, 0.0),
    Check("offloaded_mem_cast", "jax.lax.convert_element_type, ml_dtypes", cast, 0.0),
    Check("offloaded_bitcast", "jax.lax.bitcast_convert_type, the bits", bitcast, 0.0),
    Check("offloaded_concat", "jax.lax.concatenate", concat, 0.0),
    Check("offloaded_slice", "jax.lax.slice, rev", cut, 0.0),
    Check("offloaded_transpose", "jax.lax.transpose", transpose, 0.0),
    Check("offloaded_broadcast", "jax.lax.broadcast_in_dim, numpy.repeat", broadcast, 0.0),
    Check("offloaded_mem_set", "numpy.full, ml_dtypes", fill, 0.0),
    Check("offloaded_fma", "the sum in f64, written out", fma, 3e-7),
)
