"""Constants and floats in text: exact to the bit, and as short as numpy writes them."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.constants import Constant
from runtime.dtypes import DTYPES, DType, bf16, f8e8m0, f16, f32, f64, i4, tf32, u8
from runtime.text.constant_reader import read_tensor
from runtime.text.contents import constant_text, contents_text
from runtime.text.numbers import float_text, read_float
from runtime.text.scanner import Scanner
from runtime.text.source import SourceText
from tests.runtime.random_programs import constants

SMALL = [dtype for dtype in DTYPES if dtype.bits in (8, 16) and not dtype.is_bool]


def read(text: str) -> Constant:
    scanner = Scanner(SourceText(text, "f.ir"))
    constant = read_tensor(scanner, "it")
    assert scanner.pos == len(text) and isinstance(constant, Constant)
    return constant


@pytest.mark.parametrize("dtype", SMALL, ids=str)
def test_the_elements_of_a_small_dtype_read_back_to_their_bits(dtype: DType) -> None:
    bits = np.arange(0, 2**dtype.bits, 1 if dtype.bits == 8 else 7, dtype=f"u{dtype.itemsize}")
    for part in np.array_split(bits, max(1, bits.size // 100)):  # few enough that they are written as numbers
        constant = Constant(part.view(dtype.numpy), dtype)
        text = constant_text(constant)
        assert '"' not in text
        assert read(text).array.tobytes() == part.tobytes()


@given(constants())
def test_any_constant_reads_back_equal(constant: Constant) -> None:
    assert read(constant_text(constant)) == constant


@given(st.floats(width=32, allow_nan=False))
def test_an_f32_is_written_with_the_digits_of_numpy(value: float) -> None:
    text = contents_text(Constant.of(value, f32))
    assert text == f"dense<{float(str(np.float32(value)))!r}>"


@given(st.floats(width=16, allow_nan=False))
def test_an_f16_is_written_with_the_digits_of_numpy(value: float) -> None:
    text = contents_text(Constant.of(value, f16))
    assert text == f"dense<{float(str(np.float16(value)))!r}>"


@pytest.mark.parametrize(
    ("values", "dtype", "text"),
    [
        ([1.0, 2.0], f32, "f32[2] dense<[1.0, 2.0]>"),
        ([[1.0, 2.0], [3.0, 4.0]], bf16, "bf16[2,2] dense<[[1.0, 2.0], [3.0, 4.0]]>"),
        ([7, 7, 7], u8, "u8[3] dense<7>"),
        (0.1, f64, "f64[] dense<0.1>"),
        ([0.0, -0.0], f32, "f32[2] dense<[0.0, -0.0]>"),
        ([np.nan, np.inf, -np.inf], f16, "f16[3] dense<[nan, inf, -inf]>"),
        ([-8, 7], i4, "i4[2] dense<[-8, 7]>"),
        ([2.0**-10, 4.0], f8e8m0, "f8e8m0[2] dense<[0.001, 4.0]>"),
        (np.zeros((2, 0)), f32, 'f32[2,0] dense<"">'),
        (np.arange(129), u8, f'u8[129] dense<"{bytes(range(129)).hex()}">'),
        (np.zeros(1000), f32, "f32[1000] dense<0.0>"),
    ],
)
def test_how_constants_are_written(values: Any, dtype: DType, text: str) -> None:
    assert constant_text(Constant.of(values, dtype)) == text


def test_bytes_are_little_endian() -> None:
    expected = "".join(struct.pack("<f", k).hex() for k in range(200))
    assert constant_text(Constant.of(range(200), f32)) == f'f32[200] dense<"{expected}">'


def test_bits_off_the_grid_of_tf32_are_kept() -> None:
    bits = np.array([0x3DCCCCCD, 0x3F800000], np.uint32)  # 0.1 with all bits of f32, and 1
    assert constant_text(Constant(bits.view(np.float32), tf32)) == "tf32[2] dense<[0x3dcccccd, 1.0]>"
    assert read("tf32[2] dense<[0x3dcccccd, 1.0]>").array.tobytes() == bits.tobytes()


def test_a_splat_costs_nothing() -> None:
    constant = read("f32[1048576,1048576] dense<0.5>")
    assert constant.array.strides == (0, 0)
    assert constant_text(constant) == "f32[1048576,1048576] dense<0.5>"


def test_numbers_are_rounded_to_nearest_ties_to_even() -> None:
    # Of bf16, 8 significant bits: between 1 and 2 the spacing is 2**-7, and 1 + 3 * 2**-8 is halfway.
    assert read("bf16[2] dense<[1.01171875, 1.00390625]>").array.astype(np.float32).tolist() == [1.015625, 1.0]


@given(st.binary(min_size=8, max_size=8))
def test_any_double_reads_back_to_its_bits(data: bytes) -> None:
    (value,) = struct.unpack("<d", data)
    text = float_text(value)
    assert struct.pack("<d", read_float(Scanner(SourceText(text, "f.ir")), "it")) == data
