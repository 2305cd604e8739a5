"""Ramps, constants and selections by them beside the loops of the NKI documentation, and beside numpy and JAX."""

import itertools
import operator
from collections.abc import Iterator
from typing import Any

import jax
import ml_dtypes
import numpy as np

from tests.runtime.semantics.check import Check, Pairs
from tests.runtime.semantics.tiles import tile

COMPARISONS = {
    "is_equal": operator.eq,
    "not_equal": operator.ne,
    "is_less": operator.lt,
    "is_less_equal": operator.le,
    "is_greater": operator.gt,
    "is_greater_equal": operator.ge,
}
PATTERNS = (
    ([1], [6], 0, 0),
    ([0], [4], 7, 1),
    ([-3], [5], 100, -20),
    ([6, 1], [2, 6], 0, 12),
    ([1, -2, 5], [2, 3, 2], -4, 3),
    ([10, 0, 1, 7], [2, 2, 1, 3], 5, -1),
)


def numbers(pattern: tuple[Any, ...], partitions: int) -> list[list[int]]:
    """The nested loops of the documentation, in Python's whole numbers."""
    steps, counts, offset, multiplier = pattern
    return [
        [
            offset + channel * multiplier + sum(at * step for at, step in zip(place, steps, strict=True))
            for place in itertools.product(*map(range, counts))
        ]
        for channel in range(partitions)
    ]


def words(pattern: tuple[Any, ...]) -> str:
    steps, counts, offset, multiplier = pattern
    text = f"steps {steps} counts {counts}"
    text += f" offset {offset}" if offset else ""
    return text + (f" channel_multiplier {multiplier}" if multiplier else "")


def iota() -> Pairs:
    for pattern in PATTERNS:
        for partitions in (1, 3):
            expected = numbers(pattern, partitions)
            kind = f"[{partitions},{len(expected[0])}]"
            yield tile(f"iota {words(pattern)}", f"i32{kind}")[0], np.array(expected)
            yield tile(f"iota {words(pattern)}", f"bf16{kind}")[0].astype(float), np.array(expected).astype(
                ml_dtypes.bfloat16
            ).astype(float)
    found = tile("iota steps [1] counts [9] channel_multiplier 9", "f32[4,3,3]")[0]
    yield found, jax.lax.iota("float32", 36).reshape(4, 3, 3)


def memset() -> Pairs:
    for value, kind, expected in (
        ("2.5", "f32[3,2]", np.full((3, 2), 2.5)),
        ("16777217", "i32[3,2]", np.full((3, 2), 16777217)),
        ("-7", "i8[1,4]", np.full((1, 4), -7)),
        ("inf", "f32[2,2]", np.full((2, 2), np.inf)),
        ("1.00390625", "f32[2,2]", np.full((2, 2), 257 / 256)),
    ):
        yield tile(f"memset {value}", kind)[0], expected
    halfway = np.full((2, 2), 257 / 256).astype(ml_dtypes.bfloat16).astype(float)
    yield tile("memset 1.00390625", "bf16[2,2]")[0].astype(float), halfway


def affine_select() -> Iterator[tuple[Any, Any]]:
    random = np.random.default_rng(3)
    for pattern, (name, compare) in zip(PATTERNS, COMPARISONS.items(), strict=True):
        ramp = np.array(numbers(pattern, 3))
        x = random.normal(size=ramp.shape).astype(np.float32)
        text = f"affine_select {name} %x else -1.5 {words(pattern)}"
        yield tile(text, f"f32[3,{x.shape[1]}]", x=x)[0], np.where(compare(ramp, 0), x, np.float32(-1.5))
    whole = np.array([[2**31 - 1, 2**24 + 1, -5]], np.int32)  # of one dtype: not through f32
    found = tile("affine_select is_less %x else 2 steps [1] counts [3] offset -2", "i32[1,3]", x=whole)[0]
    yield found, np.array([[2**31 - 1, 2**24 + 1, 2]])
    found = tile("affine_select is_less %x else 2 steps [1] counts [3] offset -2", "f32[1,3]", x=whole)[0]
    yield found, np.array([[2**31, 2**24, 2]])


def causal_mask() -> Pairs:
    x = np.random.default_rng(4).normal(size=(7, 7)).astype(np.float32)
    found = tile(
        "affine_select is_greater_equal %x else -inf steps [-1] counts [7] channel_multiplier 1", "f32[7,7]", x=x
    )[0]
    yield found, np.where(np.tril(np.ones((7, 7), bool)), x, -np.inf)


CHECKS = (
    Check("iota", "the documentation's loops; jax.lax.iota", iota, 0),
    Check("memset", "numpy.full", memset, 0),
    Check("affine_select", "the documentation's loops", affine_select, 0),
    Check("affine_select", "numpy.tril", causal_mask, 0),
)
