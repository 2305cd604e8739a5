"""Tiles with shared scales beside the formulas of the OCP specification and of the NKI documentation, code by code."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

import runtime
from tests.runtime.semantics.check import Array, Check
from tests.runtime.semantics.from_arrays import type_of
from tests.runtime.semantics.small_floats import E2M1, E4M3, E5M2, Form, meaning, numbers

FORMATS: dict[str, tuple[Any, Form, int]] = {  # with the largest exponent
    "f8e4m3fn": (ml_dtypes.float8_e4m3fn, E4M3, 8),
    "f8e5m2": (ml_dtypes.float8_e5m2, E5M2, 15),
    "f4e2m1": (ml_dtypes.float4_e2m1fn, E2M1, 2),
}
UNUSED = 255  # a scale that is no number, where none is read


def nearest(value: float, form: Form) -> int:
    """Return the code that is nearest to a number; halves go to the even one, zeros keep their sign."""
    codes = numbers(form)
    signed = [code for code in codes if code >> form.width - 1 == int(math.copysign(1, value) < 0)]
    return min(signed, key=lambda code: (abs(codes[code] - value), code & 1))


def place(group: int, partitions: int, rows: int) -> int:
    """Return the partition of a tile of scales where those of a group stand."""
    return group if rows < partitions else group // 4 * 32 + group % 4


def quantized(x: Array, form: Form, most: int, rows: int) -> tuple[Array, Array]:
    """Return the codes of the elements, and those of the scales."""
    codes, scales = np.zeros(x.shape, np.uint8), np.full((rows, x.shape[1] // 4), UNUSED, np.uint8)
    for group in range(len(x) // 8):
        for column in range(x.shape[1] // 4):
            at = slice(8 * group, 8 * group + 8), slice(4 * column, 4 * column + 4)
            largest = float(np.abs(x[at].astype(np.float64)).max())
            exponent = math.floor(math.log2(largest)) - (most - 1) if largest else -127
            scales[place(group, len(x), rows), column] = exponent + 127
            for i, j in np.ndindex(8, 4):
                codes[at][i, j] = nearest(float(x[at][i, j]) / 2.0**exponent, form)
    return codes, scales


def quantize_mx() -> Iterator[tuple[Any, Any]]:
    """Elements of very different magnitudes, zeros of both signs, a group of zeros; every layout of the scales."""
    random = np.random.default_rng(1)
    for partitions, rows, name in ((32, 4, "f8e4m3fn"), (32, 32, "f8e5m2"), (64, 64, "f8e5m2"), (96, 96, "f8e4m3fn")):
        dtype, form, most = FORMATS[name]
        for low in (ml_dtypes.bfloat16, np.float16):
            x = (random.normal(size=(partitions, 12)) * 2.0 ** random.integers(-9, 9, (partitions, 12))).astype(low)
            x[:8, :4], x[8, 0], x[9, 1] = 0, -0.0, 1.0
            codes, scales = quantized(x, form, most, rows)
            before = np.full_like(scales, UNUSED)
            text = (
                f"target trn3\nfunc @main() {{\n  tensor %x: {type_of(x)} sbuf input\n"
                f"  tensor %q: {name}[{partitions},12] sbuf output\n  tensor %s: u8[{rows},3] sbuf input output\n"
                "  %q = quantize_mx %x scales %s\n}"
            )
            found = ran(text, x=x, s=before)
            yield found["q"].view(np.uint8), codes
            yield found["s"], scales
            assert found["q"].dtype == dtype


def matmul_mx() -> Iterator[tuple[Any, Any]]:
    """All formats beside each other, one quadrant and several, scales packed and not, and a sum with what is there."""
    random = np.random.default_rng(2)
    for left, right, partitions, rows in (
        ("f8e4m3fn", "f8e5m2", 32, 4),
        ("f4e2m1", "f8e4m3fn", 64, 64),
        ("f8e5m2", "f4e2m1", 128, 128),
        ("f4e2m1", "f4e2m1", 32, 32),
    ):
        sides = [side(random, name, partitions, rows, count) for name, count in ((left, 6), (right, 5))]
        (w, ws, decoded_w), (x, xs, decoded_x) = sides
        expected = np.einsum("kiq,kjq->ij", decoded_w, decoded_x)
        held = random.normal(size=expected.shape).astype(np.float32)
        text = (
            "target trn3\nfunc @main() {\n"
            f"  tensor %w: {left}[{partitions},24] sbuf input\n  tensor %ws: u8[{rows},6] sbuf input\n"
            f"  tensor %x: {right}[{partitions},20] sbuf input\n  tensor %xs: u8[{rows},5] sbuf input\n"
            "  tensor %y: f32[6,5] psum output\n  tensor %z: f32[6,5] psum input output\n"
            "  %y = matmul_mx %w scale %ws, %x scale %xs\n"
            "  %z = matmul_mx %w scale %ws, %x scale %xs {accumulate = true}\n}"
        )
        found = ran(text, w=w, ws=ws, x=x, xs=xs, z=held)
        yield found["y"], expected
        yield found["z"], expected + held


def side(random: np.random.Generator, name: str, partitions: int, rows: int, count: int) -> tuple[Array, Array, Array]:
    """Return the elements of an operand and their scales, and what they mean: [K, count, 4]."""
    dtype, form, _ = FORMATS[name]
    codes = random.choice(sorted(numbers(form)), (partitions, 4 * count)).astype(np.uint8)
    scales = np.full((rows, count), UNUSED, np.uint8)
    decoded = np.zeros((partitions, count, 4))
    for partition, column, q in np.ndindex(*decoded.shape):
        at = place(partition // 8, partitions, rows), column
        if scales[at] == UNUSED:
            scales[at] = 127 - 12 + random.integers(0, 6)
        decoded[partition, column, q] = meaning(int(codes[partition, 4 * column + q]), form) * 2.0 ** (
            int(scales[at]) - 127
        )
    return codes.view(dtype), scales, decoded


def ran(text: str, **inputs: Array) -> dict[str, Array]:
    """Return what a program writes to its output tensors; a program that is not valid fails the test."""
    module = runtime.parse(text, "check.txt")
    problems = runtime.verify(module)
    assert not problems, "\n".join(map(str, problems))
    return {str(name): array for name, array in runtime.run(module, inputs).items()}


CHECKS = (
    Check("quantize_mx", "OCP MX 1.0, code by code, with the scale of the NKI documentation", quantize_mx, 0),
    Check("matmul_mx", "OCP MX 1.0, code by code, and numpy einsum in f64", matmul_mx, 1e-6),
)
