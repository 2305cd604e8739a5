"""Statistics and largest elements of partitions beside numpy, JAX and the examples of the NKI documentation."""

from collections.abc import Iterator
from typing import Any

import jax
import ml_dtypes
import numpy as np

from tests.runtime.semantics.check import Check, Pairs
from tests.runtime.semantics.tiles import tile

F32 = np.float32


def of(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(F32)


def bn_stats() -> Iterator[tuple[Any, Any]]:
    for seed, shape in ((1, (4, 512)), (2, (3, 7)), (3, (2, 2)), (4, (5, 4, 6))):
        x = of(seed, *shape) * 3 + 10
        flat = x.reshape(len(x), -1).astype(float)
        expected = [
            number
            for part in (flat[:, ::2], flat[:, 1::2])
            for number in (np.full(len(x), part.shape[1]), part.mean(1), part.var(1) * part.shape[1])
        ]
        yield tile("bn_stats %x", f"f32[{len(x)},6]", x=x)[0], np.stack(expected, 1)


def bn_aggr() -> Iterator[tuple[Any, Any]]:
    for seed, tiles in ((5, 1), (6, 3)):
        x = of(seed, 6, 100 * tiles) * 2 - 30
        stats = [tile("bn_stats %x", "f32[6,6]", x=part)[0] for part in np.split(x, tiles, axis=1)]
        found = tile("bn_aggr %s", "f32[6,2]", s=np.concatenate(stats, axis=1))[0]
        yield found, np.stack([x.astype(float).mean(1), x.astype(float).var(1)], 1)
    by_hand = np.array([[1, 5, 0, 3, 1, 8]], F32)  # 5 alone; three elements of mean 1 and squared deviations 8
    yield tile("bn_aggr %s", "f32[1,2]", s=by_hand)[0], np.array([[2.0, 5.0]])


def max8() -> Iterator[tuple[Any, Any]]:
    for seed, shape in ((7, (4, 100)), (8, (3, 8)), (9, (2, 5, 9))):
        x = np.round(of(seed, *shape) * 4) / 4  # with ties
        expected = np.asarray(jax.lax.top_k(x.reshape(len(x), -1), 8)[0])
        yield tile("max8 %x", f"f32[{len(x)},8]", x=x)[0], expected
    x = np.array([[np.inf, -np.inf, 1, 1, 1, 0, -1, -2, -3, 5]], F32)
    yield tile("max8 %x", "f32[1,8]", x=x)[0], np.array([[np.inf, 5, 1, 1, 1, 0, -1, -2]])
    narrow = x.astype(ml_dtypes.bfloat16)
    yield tile("max8 %x", "f32[1,8]", x=narrow)[0], np.array([[np.inf, 5, 1, 1, 1, 0, -1, -2]])


def nc_find_index8() -> Iterator[tuple[Any, Any]]:
    for seed, shape in ((10, (4, 64)), (11, (2, 4, 8))):
        x = np.round(of(seed, *shape) * 3)
        values, places = jax.lax.top_k(x.reshape(len(x), -1), 8)  # equal ones in the order of their places
        yield tile("nc_find_index8 %x, %v", f"u32[{len(x)},8]", x=x, v=np.asarray(values))[0], np.asarray(places)
    x, wanted = np.arange(8, dtype=F32)[None], np.array([[3, 9, 3, 0, 0, 7, 1, 1]], F32)
    for kind, missing in (("u32", 0xFFFFFFFF), ("u16", 0xFFFF)):
        expected = np.array([[3, missing, missing, 0, missing, 7, 1, missing]])
        yield tile("nc_find_index8 %x, %v", f"{kind}[1,8]", x=x, v=wanted)[0], expected


def nc_match_replace8() -> Iterator[tuple[Any, Any]]:
    example = np.array([[1, 2, 3, 4, 8, 8, 8, 8, 8, 8, 8]], F32)
    values = np.array([[3, 8, 8, 8, 8, 8, 8, 8]], F32)
    found = tile(
        "nc_match_replace8 %x, %v with -1 indices %i", "f32[1,11]", writes={"i": "u32[1,8]"}, x=example, v=values
    )
    yield found[1], np.array([[2, 10, 9, 8, 7, 6, 5, 4]])  # as the documentation says
    yield found[0], np.array([[1, 2, -1, 4, -1, -1, -1, -1, -1, -1, -1]])
    x = of(12, 4, 6, 7)
    flat = x.reshape(4, -1)
    order = np.argsort(-flat, axis=1)[:, :8]
    largest = np.take_along_axis(flat, order, axis=1)
    expected = flat.copy()
    np.put_along_axis(expected, order, -np.inf, axis=1)
    text = "nc_match_replace8 %x, %v with -inf indices %i"
    found = tile(text, "f32[4,6,7]", writes={"i": "u32[4,8]"}, x=x, v=largest)
    yield from zip(found, (expected.reshape(x.shape), order), strict=True)
    absent = tile("nc_match_replace8 %x, %v with 0", "f32[1,11]", x=example, v=np.full((1, 8), 7, F32))
    yield absent[0], example


def eight_times_eight() -> Pairs:
    """Eight largest, then the next eight: what repeated `max8` and `nc_match_replace8` are for."""
    x = of(13, 3, 50)
    first = tile("max8 %x", "f32[3,8]", x=x)[0]
    rest = tile("nc_match_replace8 %x, %v with -inf", "f32[3,50]", x=x, v=first)[0]
    yield np.concatenate([first, tile("max8 %x", "f32[3,8]", x=rest)[0]], 1), -np.sort(-x, axis=1)[:, :16]


CHECKS = (
    Check("bn_stats", "numpy mean and var in f64", bn_stats, 1e-7),
    Check("bn_aggr", "numpy mean and var in f64; hand calculation", bn_aggr, 1e-6),
    Check("max8", "jax.lax.top_k; hand calculation", max8, 0),
    Check("nc_find_index8", "jax.lax.top_k; hand calculation", nc_find_index8, 0),
    Check("nc_match_replace8", "the documentation's example; numpy.argsort", nc_match_replace8, 0),
    Check("nc_match_replace8", "numpy.sort", eight_times_eight, 0),
)
