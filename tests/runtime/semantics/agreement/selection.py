"""Selections of the vector engine beside the numpy equivalents of the NKI documentation."""

import itertools
import operator
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from tests.runtime.semantics.check import Check, Pairs
from tests.runtime.semantics.tiles import on_tensor, tile

LOWEST = np.float32(-3.4028235e38)
BOUNDS = {
    "is_equal": operator.eq,
    "is_less": operator.lt,
    "is_less_equal": operator.le,
    "is_greater": operator.gt,
    "is_greater_equal": operator.ge,
}


def tensor_copy_predicated() -> Iterator[tuple[Any, Any]]:
    random = np.random.default_rng(1)
    kinds = zip((np.float32, np.int32, ml_dtypes.bfloat16), (np.uint8, np.uint16, np.uint32), strict=True)
    for dtype, kind in kinds:
        held, new = (random.normal(size=(4, 6)).astype(np.float32) * 50 for _ in range(2))
        held, new = held.astype(dtype), new.astype(dtype)
        mask = (random.integers(0, 3, (4, 6)) * 100).astype(kind)
        found = on_tensor("tensor_copy_predicated where %m src %n", held, m=mask, n=new)
        yield found.astype(float), np.where(mask, new, held).astype(float)
        found = on_tensor("tensor_copy_predicated where %m src %n {reverse_pred = true}", held, m=mask, n=new)
        yield found.astype(float), np.where(mask, held, new).astype(float)
        found = on_tensor("tensor_copy_predicated where %m scalar 3.0", held, m=mask)
        yield found.astype(float), np.where(mask, np.array(3, dtype), held).astype(float)


def select_reduce() -> Iterator[tuple[Any, Any]]:
    random = np.random.default_rng(2)
    for kind, reverse in itertools.product((np.int8, np.uint8, np.int16, np.uint16), (False, True)):
        x, other = random.normal(size=(5, 7)).astype(np.float32), random.normal(size=(5, 1)).astype(np.float32)
        mask = random.integers(0, 2, (5, 7)).astype(kind)
        flags = "{reverse_pred = true}" if reverse else ""
        chosen = mask == 0 if reverse else mask != 0
        for text, alternative in (("else %o", other), ("scalar -2.5", np.float32(-2.5))):
            statement = f"select_reduce %x where %m {text} reduce reset_reduce to %r {flags}"
            more: dict[str, Any] = {"o": other} if "%o" in text else {}
            expected = np.where(chosen, x, alternative)
            found = tile(statement, "f32[5,7]", writes={"r": "f32[5,1]"}, x=x, m=mask, **more)
            yield from zip(found, (expected, expected.max(axis=1, keepdims=True)), strict=True)


def reduction_goes_on() -> Pairs:
    """Two tiles into one set of accumulators; the largest is taken before the result is rounded."""
    x = np.array([[1.0, 5.0], [256.5, 3.0]], np.float32)
    y = np.array([[2.0, 4.0], [7.0, 8.0]], np.float32)
    mask = np.ones((2, 2), np.uint8)
    first = "%a: f32[2,2] = select_reduce %x where %m scalar 0 reduce reset_reduce"
    found = tile(
        "select_reduce %z where %m scalar 0 reduce reduce to %r",
        "bf16[2,2]",
        first,
        writes={"r": "f32[2,1]"},
        x=x,
        m=mask,
        z=y,
    )
    yield found[1], np.array([[5.0], [256.5]])


def range_select() -> Iterator[tuple[Any, Any]]:
    random = np.random.default_rng(5)
    for (name0, op0), (name1, op1) in zip(BOUNDS.items(), [*BOUNDS.items()][2:] + [*BOUNDS.items()][:2], strict=True):
        x = random.normal(size=(4, 9)).astype(np.float32)
        low, high = (random.integers(0, 12, (4, 1)).astype(np.float32) for _ in range(2))
        start = int(random.integers(0, 3))
        places = start + np.arange(9, dtype=np.float32)[None]
        expected = np.where(op0(places, low) & op1(places, high), x, LOWEST)
        text = f"range_select %x where {name0} %l and {name1} %h" + (f" range_start {start}" if start else "")
        found = tile(f"{text} to %r", "f32[4,9]", writes={"r": "f32[4,1]"}, x=x, l=low, h=high)
        yield from zip(found, (expected, expected.max(axis=1, keepdims=True)), strict=True)


def range_select_in_bf16() -> Pairs:
    """What is not selected becomes minus infinity, and the largest element stays the lowest f32."""
    x, bound = np.ones((2, 3), np.float32), np.full((2, 1), 9, np.float32)
    text = "range_select %x where is_greater %b and is_greater %b to %r"
    found = tile(text, "bf16[2,3]", writes={"r": "f32[2,1]"}, x=x, b=bound)
    yield found[0].astype(float), np.full((2, 3), -np.inf)
    yield found[1], np.full((2, 1), LOWEST)


CHECKS = (
    Check("tensor_copy_predicated", "numpy.where", tensor_copy_predicated, 0),
    Check("select_reduce", "numpy.where and max, as the documentation has them", select_reduce, 0),
    Check("select_reduce", "hand calculation of two tiles", reduction_goes_on, 0),
    Check("range_select", "the documentation's numpy equivalent", range_select, 0),
    Check("range_select", "the documentation's note on short floats", range_select_in_bf16, 0),
)
