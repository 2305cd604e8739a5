"""Small floats with scales by blocks, one block and one element at a time, rounded by ml_dtypes and by fractions."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

import ml_dtypes
import numpy as np

from tests.runtime.semantics.check import Check, Pairs, outputs

KINDS: Final[dict[str, tuple[Any, float]]] = {
    "f8e4m3fn": (ml_dtypes.float8_e4m3fn, 448.0),
    "f8e4m3": (ml_dtypes.float8_e4m3, 240.0),
    "f8e5m2": (ml_dtypes.float8_e5m2, 57344.0),
    "f8e3m4": (ml_dtypes.float8_e3m4, 15.5),
    "f4e2m1": (ml_dtypes.float4_e2m1fn, 6.0),
}
BLOCKS: Final = ((1, 4), (2, 3), (5, 7), (1, 1), (9, 9))
SHAPE: Final = (2, 5, 7)


def blocks(rows: int, cols: int) -> Iterator[tuple[int, int, int, slice, slice]]:
    """The blocks of a value of SHAPE: where its scale stands, and its rows and columns."""
    for outer in range(SHAPE[0]):
        for i, top in enumerate(range(0, SHAPE[1], rows)):
            for j, left in enumerate(range(0, SHAPE[2], cols)):
                yield outer, i, j, slice(top, top + rows), slice(left, left + cols)


def next_power_of_two(number: np.float32) -> float:
    exact, power = Fraction(float(number)), Fraction(1, 2**127)
    while power < exact:
        power *= 2
    return float(power)


def some() -> Any:
    random = np.random.default_rng(4)
    x = (random.normal(size=SHAPE) * np.exp(random.normal(size=(2, 5, 1)) * 4)).astype(np.float32)
    x[0, 0] = 0
    x[1, 2, 3] = 448.0  # a scale of exactly 1, and a power of two
    return x


def cast() -> Pairs:
    x = some()
    for name, (kind, largest) in KINDS.items():
        for rows, cols in BLOCKS:
            for rounded in (False, True):
                counts = (math.ceil(SHAPE[1] / rows), math.ceil(SHAPE[2] / cols))
                scales_text = f"%s: f32[2,{counts[0]},{counts[1]}]"
                more = " {round_scales = true}" if rounded else ""
                text = f"""func @main(%x: f32[2,5,7]) {{
                  %q: {name}[2,5,7], {scales_text} = graph.block_cast %x block {rows} x {cols}{more}
                  return %q, %s
                }}"""
                found, scales = outputs(text, x=x)
                expected, wanted = np.zeros(SHAPE, np.float64), np.ones((2, *counts), np.float32)
                for outer, i, j, down, across in blocks(rows, cols):
                    part = x[outer, down, across]
                    magnitude = max(abs(np.float32(one)) for one in part.ravel())
                    scale = np.float32(magnitude / np.float32(largest)) if magnitude else np.float32(1)
                    scale = np.float32(next_power_of_two(scale)) if rounded else scale
                    wanted[outer, i, j] = scale
                    quotients = part.astype(np.float64) / np.float64(scale)
                    expected[outer, down, across] = quotients.astype(kind).astype(np.float64)
                yield np.asarray(found).astype(np.float64), expected
                yield scales, wanted
    text = """func @main(%x: f32[1,4]) {
      %q: f8e5m2[1,4], %s: f32[1,1] = graph.block_cast %x block 1 x 4
      return %q, %s
    }"""
    q, s = outputs(text, x=np.array([[np.inf, -np.inf, np.nan, 57344 * 2]], np.float32))
    yield q.astype(np.float64), np.array([[np.inf, -np.inf, np.nan, 57344]])
    yield s, np.array([[2.0]])
    # 1.5705287 over its scale is 215.999993, nearer to 208 than to 224; in f32 it is 216, halfway.
    q, _ = outputs(text.replace("f8e5m2", "f8e4m3fn"), x=np.array([[1.5705287, 3.2573931, 0, 1]], np.float32))
    yield q.astype(np.float64), np.array([[208, 448, 0, 144]])
    # In units of the smallest number: 628 / 448 is rounded up to 2, 314 to 320, one of the multiples of 32.
    tiny = np.array([[628, 7, 0, -628]], np.float32) * np.float32(2**-149)
    q, s = outputs(text.replace("f8e5m2", "f8e4m3fn"), x=tiny)
    yield q.astype(np.float64), np.array([[320, 3.5, 0, -320]])
    yield np.ldexp(s.astype(np.float64), 149), np.array([[2.0]])


def uncast() -> Pairs:
    random = np.random.default_rng(5)
    for name, (kind, largest) in KINDS.items():
        for rows, cols in BLOCKS:
            counts = (math.ceil(SHAPE[1] / rows), math.ceil(SHAPE[2] / cols))
            scales = np.exp(random.normal(size=(2, *counts))).astype(np.float32)
            codes = (random.normal(size=SHAPE) * largest / 4).astype(np.float32).clip(-largest, largest).astype(kind)
            text = f"""func @main(%q: {name}[2,5,7], %s: f32[2,{counts[0]},{counts[1]}]) {{
              %x: f32[2,5,7] = graph.block_uncast %q scales %s block {rows} x {cols}
              return %x
            }}"""
            expected = np.zeros(SHAPE)
            for outer, i, j, down, across in blocks(rows, cols):
                expected[outer, down, across] = codes[outer, down, across].astype(np.float64) * float(
                    scales[outer, i, j]
                )
            yield outputs(text, q=codes, s=scales)[0], expected.astype(np.float32)


CHECKS = (
    Check("graph.block_cast", "ml_dtypes, a block and an element at a time; powers of two by fractions", cast, 0),
    Check("graph.block_uncast", "products in f64, an element at a time", uncast, 0),
)
