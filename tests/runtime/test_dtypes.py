"""Facts about each dtype, which holds which, and promotion: against ml_dtypes, enumeration, and tables made by hand."""

from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from runtime.dtypes import (
    DTYPES,
    DType,
    PromotionError,
    UnknownDTypeError,
    bf16,
    dtype_of,
    f8e4m3,
    f8e4m3fn,
    f32,
    f32r,
    holds,
    is_int_type,
    promote_type,
    tf32,
)
from tests.tree import ROOT

INTEGERS = ["i4", "i8", "i16", "i32", "i64", "u4", "u8", "u16", "u32", "u64"]
NARROW_FLOATS = ["f16", "bf16", "f8e4m3", "f8e4m3fn", "f8e5m2", "f8e3m4", "f8e8m0", "f4e2m1"]
NAMES = ["bool", *INTEGERS, "f64", "f32", "f32r", "tf32", *NARROW_FLOATS]
NARROW = ["bool", "i4", "i8", "i16", "u4", "u8", "u16", *NARROW_FLOATS]

# Name, bits, bytes, exponent bits, mantissa bits, bias, infinity, NaN, largest, smallest normal, smallest subnormal.
FLOATS: list[tuple[str, int, int, int, int, int, bool, bool, float, float, float]] = [
    ("f64", 64, 8, 11, 52, 1023, True, True, 1.7976931348623157e308, 2.2250738585072014e-308, 5e-324),
    ("f32", 32, 4, 8, 23, 127, True, True, float.fromhex("0x1.fffffep127"), 2.0**-126, 2.0**-149),
    ("f32r", 32, 4, 8, 11, 127, True, True, float.fromhex("0x1.ffep127"), 2.0**-126, 2.0**-137),
    ("tf32", 32, 4, 8, 10, 127, True, True, float.fromhex("0x1.ffcp127"), 2.0**-126, 2.0**-136),
    ("f16", 16, 2, 5, 10, 15, True, True, 65504.0, 2.0**-14, 2.0**-24),
    ("bf16", 16, 2, 8, 7, 127, True, True, float.fromhex("0x1.fep127"), 2.0**-126, 2.0**-133),
    ("f8e4m3", 8, 1, 4, 3, 7, True, True, 240.0, 2.0**-6, 2.0**-9),
    ("f8e4m3fn", 8, 1, 4, 3, 7, False, True, 448.0, 2.0**-6, 2.0**-9),
    ("f8e5m2", 8, 1, 5, 2, 15, True, True, 57344.0, 2.0**-14, 2.0**-16),
    ("f8e3m4", 8, 1, 3, 4, 3, True, True, 15.5, 2.0**-2, 2.0**-6),
    ("f8e8m0", 8, 1, 8, 0, 127, False, True, 2.0**127, 2.0**-127, 2.0**-127),
    ("f4e2m1", 4, 1, 2, 1, 1, False, False, 6.0, 1.0, 0.5),
]


def test_all_dtypes_in_order() -> None:
    assert [dtype.name for dtype in DTYPES] == NAMES
    assert [str(dtype) for dtype in DTYPES] == NAMES


@pytest.mark.parametrize("row", FLOATS, ids=[row[0] for row in FLOATS])
def test_facts_of_floats(row: tuple[Any, ...]) -> None:
    dtype = dtype_of(row[0])
    assert dtype.kind == "float" and dtype.is_float and not dtype.is_int and not dtype.is_bool
    assert row[1:] == (
        dtype.bits,
        dtype.itemsize,
        dtype.exponent_bits,
        dtype.mantissa_bits,
        dtype.bias,
        dtype.has_infinity,
        dtype.has_nan,
        dtype.largest,
        dtype.smallest_normal,
        dtype.smallest_subnormal,
    )
    assert dtype.precision == dtype.mantissa_bits + 1
    assert (dtype.has_zero, dtype.is_signed) == ((False, False) if dtype.name == "f8e8m0" else (True, True))
    assert dtype.lowest == (2.0**-127 if dtype.name == "f8e8m0" else -dtype.largest)


@pytest.mark.parametrize("name", [row[0] for row in FLOATS if row[0] not in ("f32r", "tf32")])
def test_facts_of_floats_agree_with_ml_dtypes(name: str) -> None:
    dtype, info = dtype_of(name), ml_dtypes.finfo(dtype_of(name).numpy)  # type: ignore[no-untyped-call]
    assert (dtype.bits, dtype.mantissa_bits, dtype.exponent_bits) == (info.bits, info.nmant, info.nexp)
    assert dtype.largest == float(info.max) and dtype.lowest == float(info.min)
    assert dtype.smallest_normal == float(info.smallest_normal)
    assert dtype.smallest_subnormal == float(info.smallest_subnormal)


@pytest.mark.parametrize("name", INTEGERS)
def test_facts_of_integers(name: str) -> None:
    dtype, info = dtype_of(name), ml_dtypes.iinfo(dtype_of(name).numpy)  # type: ignore[no-untyped-call]
    assert (dtype.kind, dtype.bits) == ({"i": "int", "u": "uint"}[name[0]], int(name[1:]))
    assert dtype.itemsize == max(1, dtype.bits // 8)
    assert (dtype.lowest, dtype.largest) == (int(info.min), int(info.max))
    assert dtype.is_int and not dtype.is_float and not dtype.is_bool and dtype.is_signed == (name[0] == "i")
    assert not dtype.has_infinity and not dtype.has_nan and dtype.has_zero
    assert dtype.precision == (dtype.bits - 1 if name[0] == "i" else dtype.bits)


def test_facts_of_bool() -> None:
    dtype = dtype_of("bool")
    assert (dtype.kind, dtype.bits, dtype.itemsize, dtype.lowest, dtype.largest) == ("bool", 8, 1, 0, 1)
    assert dtype.is_bool and not dtype.is_int and not dtype.is_float and not dtype.is_signed


def test_the_integer_side_of_the_class_test() -> None:
    assert [dtype.name for dtype in DTYPES if is_int_type(dtype)] == ["bool", *INTEGERS]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_an_array_element_takes_itemsize_bytes(dtype: DType) -> None:
    assert dtype.numpy.itemsize == dtype.itemsize
    assert dtype.numpy is dtype.numpy


def test_two_e4m3_types_and_two_rounded_f32_types() -> None:
    assert f8e4m3.numpy == ml_dtypes.float8_e4m3 and f8e4m3fn.numpy == ml_dtypes.float8_e4m3fn
    assert f32r is not tf32 and f32r.numpy == tf32.numpy == np.float32


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_there_is_one_object_for_each_dtype(dtype: DType) -> None:
    assert dtype_of(dtype.name) is dtype
    assert copy.copy(dtype) is dtype and copy.deepcopy([dtype])[0] is dtype
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(dtype, protocol)) is dtype
    with pytest.raises(TypeError, match="one object for each dtype"):
        type(dtype)()
    with pytest.raises(AttributeError, match="cannot set 'bits'"):
        dtype.bits = 3
    with pytest.raises(AttributeError, match="cannot delete 'bits'"):
        del dtype.bits


def test_equality_and_hash_are_those_of_identity() -> None:
    assert DType.__eq__ is object.__eq__ and DType.__hash__ is object.__hash__
    assert not hasattr(f32, "__dict__")


def test_importing_dtypes_and_targets_loads_no_array_library() -> None:
    program = (
        "import sys, types\n"
        "package = sys.modules['runtime'] = types.ModuleType('runtime')\n"  # without what runtime/__init__.py imports
        "package.__path__ = ['runtime']\n"
        "import runtime.dtypes, runtime.targets\n"
        "sys.exit(', '.join({'numpy', 'ml_dtypes'} & set(sys.modules)) or None)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize(
    ("wrong", "near"),
    [
        ("fb16", '"bf16"'),
        ("float32", '"f32"'),
        ("bfloat16", '"bf16"'),
        ("fp8_e4m3", '"f8e4m3"'),
        ("float8_e4m3fn", '"f8e4m3fn"'),
        ("uint8", '"u8"'),
        ("int64", '"i64"'),
        ("tfloat32", '"tf32"'),
        ("fp32r", '"f32r"'),
        ("F32", '"f32"'),
        ("fp8", '"f8e4m3", "f8e4m3fn", "f8e5m2"'),
        ("float8", '"f8e3m4"'),
        ("half", '"f16"'),
        ("torch.bfloat16", '"bf16"'),
        ("double", '"f64"'),
    ],
)
def test_an_unknown_name_is_answered_with_near_ones(wrong: str, near: str) -> None:
    with pytest.raises(UnknownDTypeError) as caught:
        dtype_of(wrong)
    message = str(caught.value)
    assert message.startswith(f'no data type is called "{wrong}"; did you mean ') and near in message


def test_an_unknown_name_like_no_other_is_answered_with_all_of_them() -> None:
    with pytest.raises(ValueError, match=f'^no data type is called "quaternion"; known: {", ".join(NAMES)}$'):
        dtype_of("quaternion")


# holds


def every_value(dtype: DType) -> set[object]:
    """Return the values of a dtype of at most 16 bits: numbers as text that tells the zeros apart, and NaN."""
    if dtype.name == "bool":
        values: NDArray[Any] = np.array([0.0, 1.0])
    elif dtype.is_int:
        signed, bits = dtype.name[0] == "i", int(dtype.name[1:])
        values = np.arange(1 << bits, dtype=np.float64) - ((1 << (bits - 1)) if signed else 0)
    else:
        with np.errstate(invalid="ignore"):  # signalling NaNs
            values = np.arange(1 << dtype.bits, dtype=f"u{dtype.itemsize}").view(dtype.numpy).astype(np.float64)
    return {"nan" if math.isnan(value) else value.hex() for value in values.tolist()}


def test_holds_is_what_enumeration_says_for_all_pairs_up_to_16_bits() -> None:
    values = {name: every_value(dtype_of(name)) for name in NARROW}
    wrong = [
        (a, b, holds(dtype_of(a), dtype_of(b)))
        for a in NARROW
        for b in NARROW
        if holds(dtype_of(a), dtype_of(b)) is not (values[a] >= values[b])
    ]
    assert not wrong


FP8_AND_FP4 = "f8e4m3 f8e4m3fn f8e5m2 f8e3m4 f8e8m0 f4e2m1"
WIDE = {
    "i32": "bool i4 i8 i16 i32 u4 u8 u16",
    "i64": "bool i4 i8 i16 i32 i64 u4 u8 u16 u32",
    "u32": "bool u4 u8 u16 u32",
    "u64": "bool u4 u8 u16 u32 u64",
    "f64": f"bool i4 i8 i16 i32 u4 u8 u16 u32 f64 f32 f32r tf32 f16 bf16 {FP8_AND_FP4}",
    "f32": f"bool i4 i8 i16 u4 u8 u16 f32 f32r tf32 f16 bf16 {FP8_AND_FP4}",
    "f32r": f"bool i4 i8 u4 u8 f32r tf32 f16 bf16 {FP8_AND_FP4}",  # 12 significant bits: no 16-bit integers
    "tf32": f"bool i4 i8 u4 u8 tf32 f16 bf16 {FP8_AND_FP4}",
}


@pytest.mark.parametrize("a", WIDE)
def test_what_a_wide_type_holds(a: str) -> None:
    assert [b for b in NAMES if holds(dtype_of(a), dtype_of(b))] == WIDE[a].split()


def test_no_narrow_type_holds_a_wide_one() -> None:
    assert not [(a, b) for a in NARROW for b in WIDE if holds(dtype_of(a), dtype_of(b))]


# promote_type


@pytest.mark.parametrize(
    ("a", "others", "result"),
    [
        # Two floats: the wider one.
        ("f64", "f32 f32r tf32 f16 bf16 f8e4m3 f8e4m3fn f8e5m2 f8e3m4 f4e2m1", "f64"),
        ("f32", "tf32 f16 bf16 f8e4m3 f8e4m3fn f8e5m2 f8e3m4 f4e2m1", "f32"),
        ("f16", "f8e4m3 f8e4m3fn f8e5m2 f8e3m4 f4e2m1", "f16"),
        ("bf16", "f8e4m3 f8e4m3fn f8e5m2 f8e3m4 f4e2m1", "bf16"),
        # Of one width: the first in the order.
        ("f32r", "f32 tf32", "f32r"),
        ("bf16", "f16", "bf16"),
        ("f8e4m3", "f8e4m3fn f8e5m2 f8e3m4", "f8e4m3"),
        ("f8e4m3fn", "f8e5m2 f8e3m4", "f8e4m3fn"),
        ("f8e5m2", "f8e3m4", "f8e5m2"),
        ("f8e3m4", "f4e2m1", "f8e3m4"),
        # One float: that one, however narrow.
        ("f8e5m2", "bool i4 i8 i16 i32 i64 u4 u8 u16 u32 u64", "f8e5m2"),
        ("bf16", "bool i4 i8 i16 i32 i64 u4 u8 u16 u32 u64", "bf16"),
        ("f8e8m0", "i32 u8", "f8e8m0"),
        # Two integers of one sign: the wider one.
        ("i64", "i4 i8 i16 i32", "i64"),
        ("i16", "i4 i8", "i16"),
        ("i8", "i4", "i8"),
        ("u64", "u4 u8 u16 u32", "u64"),
        ("u32", "u4 u8 u16", "u32"),
        ("u8", "u4", "u8"),
        # A signed and an unsigned one: the narrowest signed type that holds both.
        ("u8", "i4 i8 i16", "i16"),
        ("u16", "i4 i8 i16 i32", "i32"),
        ("u8", "i32", "i32"),
        ("u4", "i4 i8", "i8"),
        ("u4", "i16", "i16"),
        ("u32", "i4 i8 i16 i32 i64", "i64"),
        ("i64", "u4 u8 u16 u32", "i64"),
        ("u64", "i4 i8 i16 i32 i64", "f32"),
    ],
)
def test_promotion(a: str, others: str, result: str) -> None:
    for b in others.split():
        assert promote_type(dtype_of(a), dtype_of(b)).name == result, b
        assert promote_type(dtype_of(b), dtype_of(a)).name == result, b


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_dtype_is_promoted_with_itself_to_itself(dtype: DType) -> None:
    assert promote_type(dtype, dtype) is dtype


@pytest.mark.parametrize("other", ["f64", "f32", "bf16", "f8e4m3", "f4e2m1"])
def test_there_is_no_path_from_f8e8m0_to_another_float(other: str) -> None:
    with pytest.raises(PromotionError) as caught:
        promote_type(dtype_of("f8e8m0"), dtype_of(other))
    assert str(caught.value) == (
        f"No available implicit dtype promotion path between f8e8m0 and {other}. Use .astype(dtype) explicitly."
    )


@pytest.mark.parametrize("name", INTEGERS)
def test_bool_is_not_promoted_with_integers(name: str) -> None:
    for a, b in (("bool", name), (name, "bool")):
        with pytest.raises(ValueError, match="^unexpected dtype: bool$"):
            promote_type(dtype_of(a), dtype_of(b))


def test_promotion_that_loses_values_is_as_documented() -> None:
    """f16 with bf16 keeps the range and loses mantissa bits: a fact about the source compiler, not a mistake here."""
    assert promote_type(dtype_of("f16"), bf16) is bf16 and not holds(bf16, dtype_of("f16"))
