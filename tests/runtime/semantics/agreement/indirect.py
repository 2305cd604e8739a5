"""Gathers and scatters by DMA beside JAX and ONNX, and beside the examples that the vendor tests its own with."""

from typing import Any

import jax.numpy as jnp
import ml_dtypes
import numpy as np
from onnx.reference.op_run import OpRun
from onnx.reference.ops.op_gathernd import GatherND
from onnx.reference.ops.op_scatternd import ScatterND

from tests.runtime.semantics.check import Check, Pairs
from tests.runtime.semantics.written import written

RNG = np.random.default_rng
TABLE = RNG(1).normal(size=(12, 5)).astype(np.float32)
ROWS = RNG(2).normal(size=(6, 5)).astype(np.float32)
INDICES = np.array([7, 0, 11, 3, 3, 5])
UNIQUE = np.array([7, 0, 11, 3, 2, 5])
BEYOND = np.array([7, -1, 12, 3, 2**31 - 1, 5])


def _by_onnx(operator: type[OpRun], *inputs: Any, **attributes: Any) -> Any:
    return operator.eval(*inputs, **attributes)


def _column(indices: Any, dtype: Any = np.int32) -> Any:
    return np.asarray(indices).astype(dtype).reshape(-1, 1)


def gathered(line: str, table: Any, indices: Any, result: str = "f32[6,5] sbuf", kind: str = "i32") -> Any:
    """Return what a line makes of `%y`, which holds -1 before, from a table and an index for each row."""
    column = _column(indices, np.int32 if kind == "i32" else np.uint32)
    shape = ",".join(map(str, table.shape))
    text = f"""func @main() {{
  tensor %t: f32[{shape}] dram input
  tensor %i: {kind}[{len(column)},1] sbuf input
  tensor %y: {result} output
  %y = offloaded_mem_set -1.0
  {line}
}}"""
    return written(text, t=table, i=column)


def scattered(line: str, table: Any, rows: Any, indices: Any, kind: str = "f32") -> Any:
    """Return what a line makes of the table `%y`, from rows and an index for each."""
    shapes = [",".join(map(str, array.shape)) for array in (table, rows)]
    text = f"""func @main() {{
  tensor %t: {kind}[{shapes[0]}] dram input
  tensor %x: {kind}[{shapes[1]}] sbuf input
  tensor %i: i32[{len(rows)},1] sbuf input
  tensor %y: {kind}[{shapes[0]}] dram output
  %y = offloaded_mem_cpy %t
  {line}
}}"""
    return written(text, t=table, x=rows, i=_column(indices))


def load() -> Pairs:
    line = "%y = indirect_load %t[0 | 0:6, 1:5] indices %i"
    for kind in ("i32", "u32"):
        found = gathered(line, TABLE, INDICES, kind=kind)
        yield found, jnp.take(TABLE, INDICES, axis=0)
        yield found, _by_onnx(GatherND, TABLE, INDICES.reshape(-1, 1))
    # the step of the leading pair is ignored; the first row and the column are where the access says
    part = gathered("%y = indirect_load %t[7 | 5:6, 1:2] indices %i", TABLE, UNIQUE % 11, "f32[6,2] dram")
    yield part, TABLE[UNIQUE % 11 + 1, 2:4]
    cube = RNG(3).normal(size=(9, 2, 3)).astype(np.float32)
    found = gathered("%y = indirect_load %t[0 | 0:4, 3:2, 1:3] indices %i", cube, [8, 1, 1, 0], "f32[4,2,3] sbuf")
    yield found, jnp.take(cube, np.array([8, 1, 1, 0]), axis=0)
    half = gathered(line, TABLE, INDICES, "bf16[6,5] sbuf")
    yield half.astype(np.float32), TABLE[INDICES].astype(ml_dtypes.bfloat16).astype(np.float32)
    skipping = gathered(f"{line} {{oob_mode = skip}}", TABLE, BEYOND)
    unsigned = BEYOND.astype(np.uint32)
    yield skipping, jnp.take(TABLE, unsigned, axis=0, mode="fill", fill_value=-1)
    yield gathered(f"{line} {{oob_mode = skip, max_index = 6}}", TABLE, INDICES), np.where(
        INDICES[:, None] < 6, TABLE[INDICES], np.float32(-1)
    )
    alone = "%y = indirect_load %t[0 | 0:1, 1:5] indices %i {oob_mode = skip}"
    yield gathered(alone, TABLE, [12], "f32[1,5] sbuf"), np.full((1, 5), -1, np.float32)
    adding = f"{line} rmw add {{unique_indices = true, oob_mode = skip}}"
    yield gathered(adding, TABLE, UNIQUE), jnp.take(TABLE, UNIQUE, axis=0) - 1
    yield gathered(adding, TABLE, BEYOND), jnp.take(TABLE, unsigned, axis=0, mode="fill", fill_value=0) - 1


def the_vendors_load() -> Pairs:
    """`nki/test/test_nki_isa_dma_copy.py`: a gather of every third of 128 rows into 64, which leads out of them."""
    a = RNG(4).random((128, 512)).astype(np.float32)
    expected = np.full((64, 512), -1, a.dtype)
    indices = 3 * np.arange(128 // 3 + 1)
    expected[0 : len(indices)] = a[indices, :]
    line = "%y = indirect_load %t[0 | 512:64, 1:512] indices %i {oob_mode = skip}"
    yield gathered(line, a, 3 * np.arange(64), "f32[64,512] sbuf"), expected
    even = gathered("%y = indirect_load %t[0 | 512:64, 1:512] indices %i", a, 2 * np.arange(64), "f32[64,512] sbuf")
    yield even, a[2 * np.arange(64)]


def save() -> Pairs:
    line = "%y[0 | 0:6, 1:5] = indirect_save %x indices %i"
    found = scattered(line, TABLE, ROWS, UNIQUE)
    yield found, jnp.asarray(TABLE).at[UNIQUE].set(ROWS)
    yield found, _by_onnx(ScatterND, TABLE, UNIQUE.reshape(-1, 1), ROWS, reduction="none")
    last = TABLE.copy()
    for index, row in zip(INDICES, ROWS, strict=True):
        last[index] = row
    yield scattered(line, TABLE, ROWS, INDICES), last
    dropped = jnp.asarray(TABLE).at[BEYOND.astype(np.uint32)].set(ROWS, mode="drop")
    yield scattered(f"{line} {{oob_mode = skip}}", TABLE, ROWS, BEYOND), dropped
    part = TABLE.copy()
    part[UNIQUE % 11 + 1, 3:] = ROWS[:, :2]
    yield scattered("%y[8 | 0:6, 1:2] = indirect_save %x[0 | 5:6, 1:2] indices %i", TABLE, ROWS, UNIQUE % 11), part


def the_vendors_save() -> Pairs:
    """The same file: every third of 128 rows is written, of 64 that are there."""
    a = RNG(5).random((64, 512)).astype(np.float32)
    expected = np.full((128, 512), -1, a.dtype)
    indices = 3 * np.arange(128 // 3 + 1)
    expected[indices, :] = a[0 : len(indices), :]
    line = "%y[0 | 512:64, 1:512] = indirect_save %x indices %i {oob_mode = skip}"
    yield scattered(line, np.full((128, 512), -1, np.float32), a, 3 * np.arange(64)), expected


def save_accumulate() -> Pairs:
    line = "%y[0 | 0:6, 1:5] = indirect_save_accumulate add %x indices %i"
    table, rows = np.round(TABLE * 16), np.round(ROWS * 16)  # so that every order of the sum gives the same
    for indices in (UNIQUE, INDICES):
        found = scattered(line, table, rows, indices)
        yield found, jnp.asarray(table).at[indices].add(rows)
        yield found, _by_onnx(ScatterND, table, indices.reshape(-1, 1), rows, reduction="add")
    dropped = jnp.asarray(table).at[BEYOND.astype(np.uint32)].add(rows, mode="drop")
    yield scattered(f"{line} {{oob_mode = skip}}", table, rows, BEYOND), dropped
    few = jnp.asarray(table).at[INDICES[:4]].add(rows[:4])
    yield scattered(f"{line} {{num_indices = 4}}", table, rows, INDICES), few
    yield scattered(f"{line} {{num_indices = 0}}", table, rows, INDICES), table
    whole = RNG(6).integers(-(2**20), 2**20, (12, 5)).astype(np.int32)
    more = RNG(7).integers(-(2**20), 2**20, (6, 5)).astype(np.int32)
    yield scattered(line, whole, more, INDICES, "i32"), jnp.asarray(whole).at[INDICES].add(more)
    whole, more = whole * 1023, more * 1023  # DMA adds in f32, which does not hold these
    summed = whole.copy()
    summed[UNIQUE] = whole[UNIQUE].astype(np.float32) + more.astype(np.float32)
    yield scattered(line, whole, more, UNIQUE, "i32"), summed


def the_vendors_addition() -> Pairs:
    """The same file: rows are added to every second one of 128, which are 1."""
    a = RNG(8).random((64, 512)).astype(np.float32)
    expected = np.full((128, 512), 1, a.dtype)
    expected[2 * np.arange(64)] += a
    line = (
        "%y[0 | 512:64, 1:512] = indirect_save_accumulate add %x indices %i {unique_indices = true, dge_mode = swdge}"
    )
    yield scattered(line, np.full((128, 512), 1, np.float32), a, 2 * np.arange(64)), expected


CHECKS = (
    Check("indirect_load", "jax.numpy.take, onnx.reference GatherND, numpy", load, 0.0),
    Check("indirect_load", "the vendor's tests of nki.isa.dma_copy", the_vendors_load, 0.0),
    Check("indirect_save", "jax scatter, onnx.reference ScatterND, a loop", save, 0.0),
    Check("indirect_save", "the vendor's tests of nki.isa.dma_copy", the_vendors_save, 0.0),
    Check("indirect_save_accumulate", "jax scatter-add, onnx.reference ScatterND add", save_accumulate, 0.0),
    Check("indirect_save_accumulate", "the vendor's tests of nki.isa.dma_copy", the_vendors_addition, 0.0),
)
