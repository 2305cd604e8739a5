"""Codes of small floats and their scales beside the formulas of the specification, by searching all codes."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tests.runtime.semantics.check import Check, Pairs, outputs
from tests.runtime.semantics.small_floats import (
    E2M1,
    E2M3,
    E3M2,
    E4M3,
    E4M3FNUZ,
    E5M2,
    E5M2FNUZ,
    Form,
    meaning,
    numbers,
)

RNG = np.random.default_rng
FORMATS = {
    "f8e4m3": E4M3,
    "f8e5m2": E5M2,
    "f8e4m3fnuz": E4M3FNUZ,
    "f8e5m2fnuz": E5M2FNUZ,
    "f6e2m3": E2M3,
    "f6e3m2": E3M2,
    "f4e2m1": E2M1,
}
LAYOUTS: tuple[tuple[str, int | None], ...] = (("per_tensor", None), ("mx_e8m0", None), ("mx_e8m0", 8), ("nvfp4", None))


def nearest(value: float, form: Form) -> int:
    """Return the code of the nearest number, of two equally near ones that with an even last bit; 0 for NaN."""
    if math.isnan(value):
        return 0
    found = numbers(form)
    bounded = max(min(value, max(found.values())), min(found.values()))
    distances = {code: abs(number - bounded) for code, number in found.items()}
    least = min(distances.values())
    return min((c for c, distance in distances.items() if distance == least), key=lambda c: (c & 1, c))


def quantize() -> Pairs:
    for name, form in FORMATS.items():
        largest = max(numbers(form).values())
        edges = [0.0, largest, largest * 1.01, -1e9, math.inf, -math.inf, math.nan, 1e-9]
        halves = [sum(pair) / 2 for pair in pairwise(sorted(numbers(form).values()))]
        x = np.array([*edges, *halves, *RNG(1).normal(size=20) * largest / 2], np.float32)
        text = f"""func @main(%x: f32[{len(x)}], %s: f32[1]) {{
          %q: u8[{len(x)}] = graph.scaled_quantize %x scale %s as {name} layout per_tensor
          return %q
        }}"""
        for one in (1.0, 0.25):
            (codes,) = outputs(text, x=(x * np.float32(one)).astype(np.float32), s=np.array([one], np.float32))
            expected = [nearest(float(value), form) for value in x]
            # of the two codes of zero either is right
            yield [meaning(int(c), form) for c in codes], [meaning(c, form) for c in expected]
    x = RNG(2).normal(size=(3, 40)).astype(np.float32)
    for layout, block in LAYOUTS[1:]:
        each = block or {"mx_e8m0": 32, "nvfp4": 16}[layout]
        scale = RNG(3).integers(120, 130, (3, -(-40 // each))) if layout == "mx_e8m0" else _e4m3(3, -(-40 // each))
        text = f"""func @main(%x: f32[3,40], %s: u8[3,{scale.shape[1]}]) {{
          %q: u8[3,40] = graph.scaled_quantize %x scale %s as f8e4m3 layout {layout}{_block(block)}
          return %q
        }}"""
        (codes,) = outputs(text, x=x, s=scale.astype(np.uint8))
        quotients = x / _numbers(scale, layout, each, 40).astype(np.float32)
        yield codes, np.array([[nearest(float(value), E4M3) for value in row] for row in quotients])
    text = """func @main(%x: f32[2], %s: f32[1]) {
      %q: u8[2] = graph.scaled_quantize %x scale %s as f8e4m3 layout per_tensor
      return %q
    }"""
    yield outputs(text, x=np.ones(2, np.float32), s=np.zeros(1, np.float32))[0], np.zeros(2)


def scale() -> Pairs:
    for name, form in FORMATS.items():
        largest = max(numbers(form).values())
        for layout, block in LAYOUTS:
            each = block or {"mx_e8m0": 32, "nvfp4": 16, "per_tensor": 120}[layout]
            x = (RNG(4).normal(size=(3, 40)) * np.exp(RNG(5).normal(size=(3, 1)) * 5)).astype(np.float32)
            x[1, :32] = 0
            x[2, 0] = largest * 4  # a power of two
            shape = "f32[1]" if layout == "per_tensor" else f"u8[3,{-(-40 // each)}]"
            text = f"""func @main(%x: f32[3,40]) {{
              %s: {shape} = graph.scaled_quant_scale %x as {name} layout {layout}{_block(block)}
              return %s
            }}"""
            parts = [x.ravel()] if layout == "per_tensor" else [r[a : a + each] for r in x for a in range(0, 40, each)]
            expected = np.array([_scale(part, largest, layout) for part in parts])
            yield outputs(text, x=x)[0].ravel(), expected


def _scale(part: Any, largest: float, layout: str) -> float:
    magnitude = float(np.abs(part).max())
    quotient = float(np.float32(magnitude) / np.float32(largest)) if magnitude else 1.0
    if layout == "mx_e8m0":
        return max(0, math.ceil(math.log2(quotient)) + 127)
    return nearest(quotient, E4M3) if layout == "nvfp4" else quotient


def dequantize() -> Pairs:
    for name, form in FORMATS.items():
        every = np.arange(256, dtype=np.uint8)  # bits above the code do not count
        text = f"""func @main(%q: u8[{len(every)}], %s: f32[1]) {{
          %x: f32[{len(every)}] = graph.scaled_dequantize %q scale %s as {name} layout per_tensor
          return %x
        }}"""
        expected = np.array([meaning(int(c), form) * 0.375 for c in every])
        yield outputs(text, q=every, s=np.array([0.375], np.float32))[0], expected
    codes: Any = RNG(6).integers(0, 0x7F, (3, 40)).astype(np.uint8)
    values = np.array([[meaning(int(c), E4M3) for c in row] for row in codes])
    for layout, block in LAYOUTS[1:]:
        each = block or {"mx_e8m0": 32, "nvfp4": 16}[layout]
        scale = RNG(7).integers(120, 130, (3, -(-40 // each))) if layout == "mx_e8m0" else _e4m3(3, -(-40 // each))
        text = f"""func @main(%q: u8[3,40], %s: u8[3,{scale.shape[1]}]) {{
          %x: f32[3,40] = graph.scaled_dequantize %q scale %s as f8e4m3 layout {layout}{_block(block)}
          return %x
        }}"""
        yield outputs(text, q=codes, s=scale.astype(np.uint8))[0], values * _numbers(scale, layout, each, 40)
    text = """func @main(%q: u8[], %s: f32[1]) {
      %x: f32[] = graph.scaled_dequantize %q scale %s as f8e4m3 layout per_tensor
      return %x
    }"""
    yield outputs(text, q=np.uint8(0x38), s=np.array([0.375], np.float32))[0], 0.375  # 0x38 is 1


def matmul() -> Pairs:
    left, right = (np.array(RNG(seed).integers(0, 0x7B, (n, 40)), np.uint8) for seed, n in ((8, 3), (9, 5)))
    a = np.array([[meaning(int(c), E4M3) for c in row] for row in left])
    b = np.array([[meaning(int(c), E5M2) for c in row] for row in right]) / 512
    for layout, block in LAYOUTS:
        each = block or {"mx_e8m0": 32, "nvfp4": 16, "per_tensor": 40}[layout]
        if layout == "per_tensor":
            s, t = np.array([0.5], np.float32), np.array([3 / 512], np.float32)
            product = np.einsum("mk,nk->mn", a * 0.5, b * 3)
        else:
            s, t = (_some(layout, n, -(-40 // each), seed) for n, seed in ((3, 10), (5, 11)))
            product = np.einsum("mk,nk->mn", a * _numbers(s, layout, each, 40), b * 512 * _numbers(t, layout, each, 40))
        kind = "f32" if layout == "per_tensor" else "u8"
        types = f"%s: {_type(s.shape, kind)}, %t: {_type(t.shape, kind)}"
        for bias in (None, RNG(12).normal(size=5).astype(np.float32)):
            more = ("", "") if bias is None else (", %b: f32[5]", " bias %b")
            how = f"layout {layout}{more[1]}{_block(block)}"
            text = f"""func @main(%l: u8[3,40], %r: u8[5,40], {types}{more[0]}) {{
              %y: f32[3,5] = graph.scaled_matmul %l as f8e4m3 scale %s, %r as f8e5m2 scale %t {how}
              return %y
            }}"""
            arrays = {"l": left, "r": right, "s": s, "t": t, **({} if bias is None else {"b": bias})}
            yield outputs(text, **arrays)[0], product if bias is None else product + bias.astype(np.float64)


def _some(layout: str, rows: int, blocks: int, seed: int) -> Any:
    return RNG(seed).integers(120, 130, (rows, blocks)).astype(np.uint8) if layout == "mx_e8m0" else _e4m3(rows, blocks)


def _e4m3(rows: int, blocks: int) -> Any:
    return RNG(13).integers(0x28, 0x48, (rows, blocks)).astype(np.uint8)


def _numbers(scale: Any, layout: str, each: int, extent: int) -> Any:
    """Return the scale of each element."""
    read = (lambda c: 2.0 ** (c - 127)) if layout == "mx_e8m0" else (lambda c: meaning(c, E4M3))
    return np.array([[read(int(row[at // each])) for at in range(extent)] for row in scale])


def _block(block: int | None) -> str:
    return "" if block is None else f" {{block = {block}}}"


def _type(shape: Sequence[int], dtype: str) -> str:
    return f"{dtype}[{','.join(map(str, shape))}]"


CHECKS = (
    Check("graph.scaled_quantize", "a search of all codes by the formulas of MX 1.0", quantize, 0),
    Check("graph.scaled_quant_scale", "the formulas of MX 1.0 and E4M3, rounded as RLX documents", scale, 0),
    Check("graph.scaled_dequantize", "the formulas of MX 1.0", dequantize, 1e-7),
    Check("graph.scaled_matmul", "the formulas of MX 1.0, numpy.einsum", matmul, 1e-7),
)
