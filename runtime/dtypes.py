"""The element types: what values each one has, which holds which, and how two are promoted to one.

Deliberately absent: rounding (`runtime/rounding.py`), and numpy at import time, since most users of a dtype never touch
an array.

There is one object for each dtype, so `is`, `==` and `hash` are those of object identity; pickling and copying keep it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from runtime.diagnostics import did_you_mean_dtype

if TYPE_CHECKING:
    import numpy as np

DTypeKind = Literal["bool", "int", "uint", "float"]


class DType:
    """An element type; get one by name from `dtype_of`, or use the constants of this module.

    Units: `bits` is what an element takes in a packed tensor; `itemsize` counts the bytes of an element that stands
    alone, as in a numpy array. A bool is stored in a byte. f32r and tf32 are stored as f32, the dropped mantissa bits
    being zero.

    Every finite value of a dtype is a multiple of `smallest_subnormal`, which is 1 for bool and the integers.
    """

    __slots__ = (
        "_numpy",
        "bias",
        "bits",
        "exponent_bits",
        "has_infinity",
        "has_nan",
        "has_zero",
        "itemsize",
        "kind",
        "largest",
        "lowest",
        "mantissa_bits",
        "name",
        "numpy_name",
        "precision",
        "smallest_normal",
        "smallest_subnormal",
    )

    name: str
    kind: DTypeKind
    bits: int
    itemsize: int  # bytes
    exponent_bits: int  # 0 for bool and the integers, as are the next two
    mantissa_bits: int  # explicit ones, without the leading one
    bias: int
    precision: int  # significant bits of a normal value, the leading one included; of an integer all bits but the sign
    has_infinity: bool
    has_nan: bool
    has_zero: bool  # all but f8e8m0
    largest: int | float  # the largest finite value
    lowest: int | float  # the most negative finite value; for f8e8m0, which has no sign, the smallest value
    smallest_normal: int | float
    smallest_subnormal: int | float  # `smallest_normal` where there are no subnormals
    numpy_name: str  # of the array element, in numpy or else in ml_dtypes
    _numpy: np.dtype[Any] | None

    def __new__(cls) -> DType:
        raise TypeError("there is one object for each dtype: use dtype_of(name) or the constants of runtime.dtypes")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a DType is immutable and shared: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a DType is immutable and shared: cannot delete {name!r}")

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (dtype_of, (self.name,))

    @property
    def is_float(self) -> bool:
        """Whether this is a floating-point type."""
        return self.kind == "float"

    @property
    def is_int(self) -> bool:
        """Whether this is a signed or unsigned integer; bool is not. `is_int_type` is another question."""
        return self.kind == "int" or self.kind == "uint"

    @property
    def is_bool(self) -> bool:
        """Whether this is bool."""
        return self.kind == "bool"

    @property
    def is_signed(self) -> bool:
        """Whether there are negative values."""
        return self.lowest < 0

    @property
    def numpy(self) -> np.dtype[Any]:
        """The numpy dtype of an array of these elements; sub-byte elements stand one a byte."""
        if self._numpy is None:
            import ml_dtypes
            import numpy as np

            found = np.dtype(getattr(ml_dtypes, self.numpy_name, self.numpy_name))
            object.__setattr__(self, "_numpy", found)
            return found
        return self._numpy

    def __repr__(self) -> str:
        return self.name


class UnknownDTypeError(ValueError):
    """No dtype has this name."""


class PromotionError(ValueError):
    """Two dtypes have no common one that the compiler would pick by itself."""


def dtype_of(name: str) -> DType:
    """Return the dtype with this name.

    Raises: UnknownDTypeError with near names, also for the spellings of other systems (`float32`, `fp8_e4m3`, `int8`).
    """
    found = _BY_NAME.get(name)
    if found is None:
        help_text = did_you_mean_dtype(name, _BY_NAME) or f"known: {', '.join(_BY_NAME)}"
        raise UnknownDTypeError(f'no data type is called "{name}"; {help_text}')
    return found


def is_int_type(dtype: DType) -> bool:
    """Whether a dtype is on the integer side of the int/float class test; bool is, since it is stored as u8.

    Source: NeuronEliminateCasts, gate 4 of `shouldMutateInstDstType`, which compares the class of two dtypes.
    """
    return dtype.kind != "float"


def holds(a: DType, b: DType) -> bool:
    """Return whether `a` represents every value of `b`, so that a cast from `b` to `a` and back changes nothing.

    Counted as values: subnormals, infinities, a NaN (not its payload) and both zeros. An integer type has one zero; any
    float type but f8e8m0 has it too.
    """
    return a is b or (
        a.precision >= b.precision
        and a.largest >= b.largest
        and a.lowest <= b.lowest
        # Both are powers of two, so every value of b is on the grid of a. That of an integer type is 1, of no float.
        and a.smallest_subnormal <= b.smallest_subnormal
        and a.has_infinity >= b.has_infinity
        and a.has_nan >= b.has_nan
        and a.has_zero >= b.has_zero
    )


def promote_type(a: DType, b: DType) -> DType:
    """Return the dtype in which the source compiler computes with an `a` and a `b`.

    A dtype with itself is that dtype. One float: the float, however narrow. Two floats: the wider, and among equal
    widths the first of `f64 f32r f32 bf16 f16 f8e4m3 f8e4m3fn f8e5m2`. Two integers of one sign: the wider. A signed
    and an unsigned one: the narrowest signed type that holds both, or f32 where u64 takes part.

    Raises: PromotionError for f8e8m0 with another float and for bool with an integer.
    Source: penguin, promotion lattice. Decided here, where it is silent: u32 with a signed type is i64 (the other
    candidate, f32, would lose bits), and widths count in bits, so that i4 and f4e2m1 are narrower than i8 and f8e4m3.
    """
    if a is b:
        return a
    if a.is_float and b.is_float:
        return _promote_floats(a, b)
    if a.is_float or b.is_float:
        return a if a.is_float else b
    for dtype in (a, b):
        if not dtype.is_int:
            raise PromotionError(f"unexpected dtype: {dtype}")
    return _promote_ints(a, b)


def _promote_floats(a: DType, b: DType) -> DType:
    if f8e8m0 in (a, b):
        raise PromotionError(
            f"No available implicit dtype promotion path between {a} and {b}. Use .astype(dtype) explicitly."
        )
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return next(dtype for dtype in (f64, f32r, f32, bf16, f16, f8e4m3, f8e4m3fn, f8e5m2) if dtype in (a, b))


def _promote_ints(a: DType, b: DType) -> DType:
    if a.kind == b.kind:
        return a if a.bits > b.bits else b
    if u64 in (a, b):
        return f32
    return next(signed for signed in (i8, i16, i32, i64) if holds(signed, a) and holds(signed, b))


def _make(name: str, kind: DTypeKind, bits: int, numpy_name: str, facts: dict[str, object]) -> DType:
    new = object.__new__(DType)
    always = {"name": name, "kind": kind, "bits": bits, "itemsize": (bits + 7) // 8, "numpy_name": numpy_name}
    for field, value in (always | facts | {"_numpy": None}).items():
        object.__setattr__(new, field, value)
    return new


def _integer(name: str, kind: DTypeKind, bits: int, numpy_name: str) -> DType:
    value_bits = {"bool": 1, "int": bits - 1}.get(kind, bits)
    facts: dict[str, object] = {
        "exponent_bits": 0,
        "mantissa_bits": 0,
        "bias": 0,
        "precision": value_bits,
        "has_infinity": False,
        "has_nan": False,
        "has_zero": True,
        "largest": 2**value_bits - 1,
        "lowest": -(2**value_bits) if kind == "int" else 0,
        "smallest_normal": 1,
        "smallest_subnormal": 1,
    }
    return _make(name, kind, bits, numpy_name, facts)


def _float(
    name: str, bits: int, numpy_name: str, exponent_bits: int, mantissa_bits: int, **exceptions: object
) -> DType:
    """Make a float in the manner of IEEE 754, the top exponent kept for infinity and NaN, but for the `exceptions`."""
    bias = 2 ** (exponent_bits - 1) - 1
    largest = (2 - 2.0**-mantissa_bits) * 2.0**bias
    facts: dict[str, object] = {
        "exponent_bits": exponent_bits,
        "mantissa_bits": mantissa_bits,
        "bias": bias,
        "precision": mantissa_bits + 1,
        "has_infinity": True,
        "has_nan": True,
        "has_zero": True,
        "largest": largest,
        "lowest": -largest,
        "smallest_normal": 2.0 ** (1 - bias),
        "smallest_subnormal": 2.0 ** (1 - bias - mantissa_bits),
    }
    return _make(name, "float", bits, numpy_name, facts | exceptions)


bool_: Final = _integer("bool", "bool", 8, "bool")
i4: Final = _integer("i4", "int", 4, "int4")
i8: Final = _integer("i8", "int", 8, "int8")
i16: Final = _integer("i16", "int", 16, "int16")
i32: Final = _integer("i32", "int", 32, "int32")
i64: Final = _integer("i64", "int", 64, "int64")
u4: Final = _integer("u4", "uint", 4, "uint4")
u8: Final = _integer("u8", "uint", 8, "uint8")
u16: Final = _integer("u16", "uint", 16, "uint16")
u32: Final = _integer("u32", "uint", 32, "uint32")
u64: Final = _integer("u64", "uint", 64, "uint64")
f64: Final = _float("f64", 64, "float64", 11, 52)
f32: Final = _float("f32", 32, "float32", 8, 23)
f32r: Final = _float("f32r", 32, "float32", 8, 11)  # the tensor engine's rounded f32; not tf32
tf32: Final = _float("tf32", 32, "float32", 8, 10)
f16: Final = _float("f16", 16, "float16", 5, 10)
bf16: Final = _float("bf16", 16, "bfloat16", 8, 7)
f8e4m3: Final = _float("f8e4m3", 8, "float8_e4m3", 4, 3)  # largest 240; the accelerator's fp8_e4m3
# No infinity: the top exponent holds numbers, and only its all-ones mantissa is NaN.
f8e4m3fn: Final = _float("f8e4m3fn", 8, "float8_e4m3fn", 4, 3, has_infinity=False, largest=448.0, lowest=-448.0)
f8e5m2: Final = _float("f8e5m2", 8, "float8_e5m2", 5, 2)
f8e3m4: Final = _float("f8e3m4", 8, "float8_e3m4", 3, 4)
# A power of two and NaN: no sign, no zero, no subnormals.
f8e8m0: Final = _float(
    "f8e8m0",
    8,
    "float8_e8m0fnu",
    8,
    0,
    has_infinity=False,
    has_zero=False,
    largest=2.0**127,
    lowest=2.0**-127,
    smallest_normal=2.0**-127,
    smallest_subnormal=2.0**-127,
)
# Numbers only.
f4e2m1: Final = _float("f4e2m1", 4, "float4_e2m1fn", 2, 1, has_infinity=False, has_nan=False, largest=6.0, lowest=-6.0)

DTYPES: Final[tuple[DType, ...]] = (
    *(bool_, i4, i8, i16, i32, i64, u4, u8, u16, u32, u64),
    *(f64, f32, f32r, tf32, f16, bf16, f8e4m3, f8e4m3fn, f8e5m2, f8e3m4, f8e8m0, f4e2m1),
)
"""Every dtype, in the order of the documentation."""

_BY_NAME: Final = {dtype.name: dtype for dtype in DTYPES}
