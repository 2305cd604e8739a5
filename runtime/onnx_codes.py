"""The numbers by which ONNX files name element types: attributes such as `to` of Cast hold them.

Source: onnx.proto, TensorProto.DataType.
"""

from __future__ import annotations

from typing import Final

from runtime import dtypes as d
from runtime.dtypes import DType

DTYPE_OF_CODE: Final[dict[int, DType]] = {
    1: d.f32,
    2: d.u8,
    3: d.i8,
    4: d.u16,
    5: d.i16,
    6: d.i32,
    7: d.i64,
    9: d.bool_,
    10: d.f16,
    11: d.f64,
    12: d.u32,
    13: d.u64,
    16: d.bf16,
    17: d.f8e4m3fn,
    19: d.f8e5m2,
    21: d.u4,
    22: d.i4,
    23: d.f4e2m1,
    24: d.f8e8m0,
}
"""Absent: text (8), complex numbers (14, 15), the finite f8 types without negative zero (18, 20), 2 and 6 bits."""

CODE_OF_DTYPE: Final[dict[DType, int]] = {dtype: code for code, dtype in DTYPE_OF_CODE.items()}
"""What has no number: f32r, tf32, f8e4m3 with infinities, f8e3m4."""
