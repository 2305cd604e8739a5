"""Transfers by DMA beside JAX, and beside the formulas of the documentation written out in numpy."""

from typing import Any

import ml_dtypes
import numpy as np
from jax import lax

from tests.runtime.semantics.check import Check, Pairs
from tests.runtime.semantics.written import moved, written

RNG = np.random.default_rng
A = RNG(1).normal(size=(16, 12)).astype(np.float32)
X = RNG(2).normal(size=(4, 6)).astype(np.float32)
OFFSET = "i32[1,1] sbuf"
WHOLE = RNG(3).integers(-(2**30), 2**30, (4, 6)).astype(np.int32)
DOUBLED = (WHOLE.astype(np.float32) + WHOLE.astype(np.float32)).astype(np.int32)  # in f32, as DMA adds


def _word(value: int) -> Any:
    return np.array([[value]], np.int32)


def _after(first: str, line: str, result: str, **inputs: tuple[str, Any]) -> Any:
    """What `%y` holds after it was set to `first`, and then a line has run."""
    tensors = "".join(f"  tensor %{name}: {kind} input\n" for name, (kind, _) in inputs.items())
    text = f"func @main() {{\n{tensors}  tensor %y: {result} output\n  %y = dma_copy {first}\n  {line}\n}}"
    return written(text, **{name: array for name, (_, array) in inputs.items()})


def copy() -> Pairs:
    x = ("f32[4,6] dram", X)
    yield moved("%y = dma_copy %x", "f32[2,12] sbuf", x=x), X.reshape(2, 12)
    for dtype, there in (("bf16", ml_dtypes.bfloat16), ("f8e5m2", ml_dtypes.float8_e5m2), ("i32", np.int32)):
        expected = np.rint(X).astype(there) if dtype == "i32" else X.astype(there)
        yield moved("%y = dma_copy %x", f"{dtype}[4,6] dram", x=x).astype(np.float64), expected.astype(np.float64)
    for start in (0, 3, 12):  # the formula: offset + scalar_offset * prod(A.shape[indirect_dim + 1 :])
        flat = A.reshape(-1)
        expected = np.stack([flat[2 + start * 12 + row * 12 :][:6] for row in range(4)])
        line = "%y = dma_copy %a[2 | 12:4, 1:6] src_offset %i"
        found = moved(line, "f32[4,6] sbuf", a=("f32[16,12] dram", A), i=(OFFSET, _word(start)))
        yield found, expected
        yield found, lax.dynamic_slice(A, (start, 2), (4, 6))
    line = "%y = dma_copy %a[0 | 12:16, 1:3] src_offset %i {src_dim = 1}"
    found = moved(line, "f32[16,3] dram", a=("f32[16,12] sbuf", A), i=(OFFSET, _word(7)))
    yield found, lax.dynamic_slice(A, (0, 7), (16, 3))
    inputs = {"a": ("f32[16,12] dram", A), "x": ("f32[4,6] sbuf", X), "i": (OFFSET, _word(5))}
    line = "%y[3 | 12:4, 1:6] = dma_copy %x dst_offset %i"
    yield _after("%a", line, "f32[16,12] dram", **inputs), lax.dynamic_update_slice(A, X, (5, 3))
    line = "%y[3 | 12:4, 1:6] = dma_copy %x dst_offset %i rmw add"
    patch = lax.dynamic_slice(A, (5, 3), (4, 6)) + X
    yield _after("%a", line, "f32[16,12] dram", **inputs), lax.dynamic_update_slice(A, patch, (5, 3))
    yield _after("%a", "%y = dma_copy %a rmw add", "f32[16,12] dram", a=inputs["a"]), A + A
    whole = {"a": ("i32[4,6] dram", WHOLE)}
    yield _after("%a", "%y = dma_copy %a rmw add", "i32[4,6] dram", **whole), DOUBLED
    for beyond in (-1, 13):
        inputs["i"] = (OFFSET, _word(beyond))
        line = "%y[3 | 12:4, 1:6] = dma_copy %x dst_offset %i {oob_mode = skip}"
        yield _after("%a", line, "f32[16,12] dram", **inputs), A


def transpose() -> Pairs:
    for shape, order in (((16, 8), (1, 0)), ((4, 5, 6), (2, 1, 0)), ((2, 3, 4, 5), (3, 1, 2, 0))):
        x = RNG(3).normal(size=shape).astype(ml_dtypes.bfloat16)
        expected = lax.transpose(x, order)
        kinds = (",".join(map(str, shape)), ",".join(map(str, expected.shape)))
        found = moved("%y = dma_transpose %x", f"bf16[{kinds[1]}] sbuf", x=(f"bf16[{kinds[0]}] dram", x))
        yield found.astype(np.float32), np.asarray(expected).astype(np.float32)
    table = RNG(4).normal(size=(40, 8)).astype(np.float16)
    for columns in (1, 2):
        rows = 32 if columns == 1 else 128
        index = RNG(5).integers(0, 40, (rows, columns)).astype(np.uint32)
        taken = rows * columns - 16
        flat_indices = index.T.flatten()[:taken]  # the three lines of the documentation
        gathered = table[flat_indices, :]
        line = f"%y = dma_transpose %t[0 | 0:{taken}, 1:8] indices %i"
        inputs: dict[str, tuple[str, Any]] = {
            "t": ("f16[40,8] dram", table),
            "i": (f"u32[{rows},{columns}] sbuf", index),
        }
        yield moved(line, f"f16[8,{taken}] sbuf", **inputs), gathered.T
    index = np.arange(16, dtype=np.uint32).reshape(16, 1) * 3
    y = np.ones((8, 16), np.float16)
    y[:, :14] = table[index[:14, 0]].T  # 42 and 45 lead out of the 40 rows
    line = "%y = dma_transpose %t[0 | 0:16, 1:8] indices %i {oob_mode = skip}"
    inputs = {"t": ("f16[40,8] dram", table), "i": ("u32[16,1] sbuf", index), "o": ("f16[8,16] dram", np.ones_like(y))}
    yield _after("%o", line, "f16[8,16] sbuf", **inputs), y
    cube = RNG(6).normal(size=(20, 3, 1, 4)).astype(np.float16)
    line = "%y = dma_transpose %t[0 | 0:16, 4:3, 4:1, 1:4] indices %i"
    index = RNG(7).permutation(16).astype(np.uint32).reshape(16, 1)
    found = moved(line, "f16[4,3,1,16] sbuf", t=("f16[20,3,1,4] dram", cube), i=("u32[16,1] sbuf", index))
    yield found, cube[index[:, 0]].transpose(3, 1, 2, 0)


def compute() -> Pairs:
    parts = [RNG(at).integers(-50, 50, (4, 6)).astype(np.float32) for at in range(3)]
    inputs = {name: ("f32[4,6] dram", part) for name, part in zip("abc", parts, strict=True)}
    yield moved("%y = dma_compute add %a, %b, %c", "f32[4,6] sbuf", **inputs), np.sum(parts, axis=0)
    line = "%y = dma_compute add %a, %b {scales = [1.0, 1.0]}"
    half = moved(line, "bf16[24] dram", a=inputs["a"], b=inputs["b"])
    yield half.astype(np.float32), (parts[0] + parts[1]).astype(ml_dtypes.bfloat16).astype(np.float32).reshape(24)
    yield moved("%y = dma_compute add %x", "f32[4,6] dram", x=("f32[4,6] dram", X)), X
    yield moved("%y = dma_compute add %x, %x", "i32[4,6] dram", x=("i32[4,6] dram", WHOLE)), DOUBLED


def load() -> Pairs:
    row = X[:1]
    line = "%y = sb_atom_load %x {has_partition_broadcast = true}"
    yield moved(line, "f32[8,6] sbuf", x=("f32[1,6] dram", row)), lax.broadcast_in_dim(row[0], (8, 6), (1,))
    found = moved("%y = sb_atom_load %x", "bf16[4,6] sbuf", x=("f32[4,6] dram", X))
    yield found.astype(np.float32), X.astype(ml_dtypes.bfloat16).astype(np.float32)


def store() -> Pairs:
    x, old = ("f32[4,6] sbuf", X), ("f32[4,6] dram", A[:4, :6])
    yield _after("%o", "%y = sb_atom_store %x", "f32[4,6] dram", x=x, o=old), X
    yield _after("%o", "%y = sb_atom_store %x rmw add", "f32[4,6] dram", x=x, o=old), A[:4, :6] + X
    whole = {"x": ("i32[4,6] sbuf", WHOLE), "o": ("i32[4,6] dram", WHOLE)}
    yield _after("%o", "%y = sb_atom_store %x rmw add", "i32[4,6] dram", **whole), DOUBLED


CHECKS = (
    Check("dma_copy", "the documented formula; jax.lax.dynamic_slice, dynamic_update_slice; ml_dtypes", copy, 0.0),
    Check("dma_transpose", "jax.lax.transpose; the documented formula for a gather", transpose, 0.0),
    Check("dma_compute", "numpy.sum, ml_dtypes", compute, 0.0),
    Check("sb_atom_load", "jax.lax.broadcast_in_dim, ml_dtypes", load, 0.0),
    Check("sb_atom_store", "numpy", store, 0.0),
)
