"""When the conversion of `a` to `b` and then to `c` is the conversion of `a` to `c`: a question about sets of values.

Two arguments, of which one is enough.

1. `holds(b, a)`: `b` represents every value of `a`, so the first conversion changes no value. The second gets the same
   numbers as it would from `a`, and rounds them once. Infinities, a NaN, its sign, and both zeros count as values.
2. `b` and `c` are integers and `holds(b, c)`: both conversions clamp, the first to a range around the second one's. A
   value between the limits of `c` passes the first one as the integer that it is rounded to; one beyond a limit of `c`
   is left beyond that limit, or on it, and the second one gives that limit. A NaN is clamped by its sign by both.

What may be in the way, whichever argument holds.

- The engines of the chip convert through f32. So `a` must be a type that f32 holds: an i32, i64 or f64 loses digits on
  the way in already, and would lose others on the shorter way, or none where a copy of one dtype is left.
- A float of eight bits that has infinities, converted back to itself: where a run saturates, the conversion back makes
  the largest number of an infinity, and a copy would leave it. `holds` knows nothing of that option.
- In ONNX a float out of the range of an integer gives whatever the implementation likes, which may depend on the float
  it comes from; and integers wrap. So argument 2 fails there, and argument 1 where floats lead to an integer `c` that
  does not hold all there is to convert.

Deliberately absent: roundings that happen to come to the same, as that from bf16 through f16 to a float of eight bits;
and NaN payloads, of which nothing is said anywhere.
"""

from __future__ import annotations

from enum import Enum
from functools import cache

from runtime.dtypes import DType, f32, holds


class Arithmetic(Enum):
    """How an instruction converts."""

    ENGINES = "through f32"
    DIRECT = "rounds once, clamps to integers"
    FOREIGN = "rounds once, leaves integers that do not fit to the implementation"


@cache  # dtypes are few, casts are many
def why_not_one(a: DType, b: DType, c: DType, first: Arithmetic, second: Arithmetic) -> str | None:
    """Return why converting `a` to `b` and that to `c` may give another value than `a` to `c`; None if it never does.

    `second` is also what would convert `a` to `c`; where the two are one dtype nothing is converted.
    """
    if Arithmetic.ENGINES in (first, second) and not holds(f32, a):
        return f"the engines compute in f32, which does not hold {a}"
    if a is c and a.is_float and a.bits <= 8 and a.has_infinity:
        return f"{b} to {a} makes an infinity of {a} the largest number where conversions saturate"
    foreign = Arithmetic.FOREIGN in (first, second)
    if holds(b, a):
        if foreign and c.is_int and not (a.is_int and b.is_int) and not holds(c, a):
            return f"what does not fit {c} depends on whether it comes from {a} or {b}"
        return None
    clamps = b.is_int and c.is_int and holds(b, c) and (a.is_float or a.bits > b.bits)
    if clamps and not foreign:
        return None
    return f"{b} does not hold every {a}"


@cache
def why_not_nothing(dtype: DType, how: Arithmetic) -> str | None:
    """Return why a conversion of `dtype` to itself may change a value, or None.

    The scalar engine of targets before trn2 sends copies through f32, too.
    """
    if how is Arithmetic.ENGINES and not holds(f32, dtype):
        return f"the engines compute in f32, which does not hold {dtype}"
    return None
