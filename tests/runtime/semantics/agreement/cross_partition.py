"""Reductions over partitions, shuffles and gathers beside numpy, as the NKI documentation has them."""

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from tests.runtime.semantics.check import Check
from tests.runtime.semantics.tiles import on_tensor, tile

F32 = np.float32
RNG = np.random.default_rng


def tensor_partition_reduce() -> Iterator[tuple[Any, Any]]:
    x = np.round(RNG(1).normal(size=(32, 3, 4)) * 8).astype(F32)
    for op, fold in (("add", np.sum), ("average", np.mean), ("max", np.max)):
        found = tile(f"tensor_partition_reduce {op} %x", "f32[1,3,4]", x=x)[0]
        yield found, fold(x, axis=0, keepdims=True)
    bits = RNG(2).integers(-(2**31), 2**31, (5, 6), dtype=np.int32)
    for op, combine in (("bitwise_or", np.bitwise_or), ("bitwise_and", np.bitwise_and)):
        found = tile(f"tensor_partition_reduce {op} %x", "i32[1,6]", x=bits)[0]
        yield found, combine.reduce(bits, axis=0, keepdims=True)


def nc_stream_shuffle() -> Iterator[tuple[Any, Any]]:
    """The three examples of the documentation, and partitions that stay as they are."""
    rotate = [(i - 1) % 32 for i in range(32)]
    x = RNG(3).normal(size=(128, 5)).astype(F32)
    expected = np.concatenate([np.roll(part, 1, axis=0) for part in np.split(x, 4)])
    yield tile(f"nc_stream_shuffle %x mask {rotate}", "f32[128,5]", x=x)[0], expected
    yield tile(f"nc_stream_shuffle %x mask {rotate}", "f32[32,5]", x=x[:32])[0], np.roll(x[:32], 1, axis=0)
    yield tile(f"nc_stream_shuffle %x mask {[0] * 32}", "f32[32,5]", x=x[:1])[0], np.repeat(x[:1], 32, axis=0)
    held = RNG(4).integers(-9, 9, (64, 3), dtype=np.int16)
    new = RNG(5).integers(-9, 9, (64, 3), dtype=np.int16)
    mask = [255 if i % 3 else 31 - i for i in range(32)]
    expected = held.copy()
    for i in range(64):
        if i % 32 % 3 == 0:
            expected[i] = new[i // 32 * 32 + 31 - i % 32]
    yield on_tensor(f"nc_stream_shuffle %x mask {mask}", held, x=new), expected


def nc_n_gather() -> Iterator[tuple[Any, Any]]:
    for dtype in (F32, np.int32, ml_dtypes.bfloat16):
        x = (RNG(6).normal(size=(4, 3, 50)) * 1000).astype(dtype)
        indices = RNG(7).integers(0, 150, (4, 2, 6)).astype(np.uint32)
        kind = {F32: "f32", np.int32: "i32"}.get(dtype, "bf16")
        found = tile("nc_n_gather %x at %i", f"{kind}[4,2,6]", x=x, i=indices)[0]
        expected = np.take_along_axis(x.reshape(4, -1), indices.reshape(4, -1).astype(int), axis=1).reshape(4, 2, 6)
        yield found.astype(float), expected.astype(float)


def local_gather() -> Iterator[tuple[Any, Any]]:
    """The numpy semantics of the documentation's own example."""
    for seed, each, valid, cores in ((8, 4, 64, 8), (9, 1, 50, 2), (10, 32, 3, 1)):
        partitions = 16 * cores
        buffer = RNG(seed).normal(size=(partitions, 96, each)).astype(F32)
        index = RNG(seed).integers(0, 96, (partitions, 4)).astype(np.uint16)
        expected = np.empty((partitions, valid, each), F32)
        for core in range(cores):
            part = slice(16 * core, 16 * core + 16)
            listed = index[part].flatten(order="F")[:valid]
            expected[part] = np.take(buffer[part], listed, axis=1)
        text = "local_gather %x at %i" + (f" elements {each}" if each > 1 else "") + f" valid {valid}"
        kind = f"f32[{partitions},{valid}{f',{each}' if each > 1 else ''}]"
        found = tile(text, kind, x=buffer, i=(index * each).astype(np.uint16))[0]
        yield found, expected.reshape(found.shape)
    whole = np.arange(16 * 5, dtype=F32).reshape(16, 5)
    index = np.tile(np.array([[0, 3]], np.uint16), (16, 1))
    found = tile("local_gather %x at %i", "f32[16,32]", x=whole, i=index)[0]
    yield found, np.concatenate([np.repeat(whole[:, :1], 16, axis=1), np.repeat(whole[:, 3:4], 16, axis=1)], 1)


def nonzero_with_count() -> Iterator[tuple[Any, Any]]:
    example = np.array([[0, 1, 1, 0, 0, 1, 0, 0]], F32)
    found = on_tensor("nonzero_with_count %x offset 16", np.zeros((1, 9), np.int32), x=example)
    yield found, np.array([[17, 18, 21, -1, -1, -1, -1, -1, 3]])  # as the documentation says
    held = np.full((40, 12), 77, np.int32)
    x = RNG(11).integers(-1, 2, (40, 11), dtype=np.int32)
    x[16], x[32] = 0, 5
    expected = held.copy()
    for partition in (0, 16, 32):
        places = [i for i, value in enumerate(x[partition]) if value != 0]
        expected[partition] = [*places, *[-5] * (11 - len(places)), len(places)]
    yield on_tensor("nonzero_with_count %x padding -5", held, x=x), expected


def bounds_by_loops(numbers: Any) -> Any:
    """The loops of the documentation's example."""
    n = len(numbers)
    low, high = [0] * n, [0] * n
    for i in range(n):
        same = i > 0 and numbers[i] == numbers[i - 1]
        low[i] = n if numbers[i] == 0 else low[i - 1] if same else i
    for i in reversed(range(n)):
        same = i < n - 1 and numbers[i] == numbers[i + 1]
        high[i] = -1 if numbers[i] == 0 else high[i + 1] if same else i + 1
    return np.array([[low, high]])


def sequence_bounds() -> Iterator[tuple[Any, Any]]:
    example = np.array([[0, 1, 1, 2, 2, 2, 0, 3, 3]], np.int32)
    expected = [[[9, 1, 1, 3, 3, 3, 9, 7, 7], [-1, 3, 3, 6, 6, 6, -1, 9, 9]]]  # as the example says
    yield tile("sequence_bounds %s", "i32[1,2,9]", s=example)[0], np.array(expected)
    for seed in range(3):
        numbers = np.sort(RNG(seed).integers(0, 20, (1, 32))).astype(F32)
        yield tile("sequence_bounds %s", "f32[1,2,32]", s=numbers)[0], bounds_by_loops(numbers[0])
        mixed = RNG(seed).integers(0, 3, (1, 25)).astype(np.int32)
        yield tile("sequence_bounds %s", "i32[1,2,25]", s=mixed)[0], bounds_by_loops(mixed[0])


CHECKS = (
    Check("tensor_partition_reduce", "numpy along the first axis", tensor_partition_reduce, 0),
    Check("nc_stream_shuffle", "the documentation's examples; numpy.roll", nc_stream_shuffle, 0),
    Check("nc_n_gather", "numpy.take_along_axis", nc_n_gather, 0),
    Check("local_gather", "the documentation's numpy semantics", local_gather, 0),
    Check("nonzero_with_count", "the documentation's example and loop", nonzero_with_count, 0),
    Check("sequence_bounds", "the documentation's example and loops", sequence_bounds, 0),
)
