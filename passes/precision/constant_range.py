"""Which constants a lower float cannot hold: judged by their values.

A finite element that would become an infinity is a reason; an infinity itself is none. A scalar, or an operand that is
a divisor, an epsilon or a bound, must not become zero or subnormal either. Small elements of a weight are no reason.
"""

from __future__ import annotations

from typing import Any

from runtime.constants import Constant
from runtime.dtypes import DType
from runtime.generic import Initializer, OnnxNode
from runtime.lazy_tensors import LazyTensor
from runtime.rounding import cast_array, natural_dtype
from runtime.values import Operand

_INFINITY = float("inf")


class ConstantRange:
    """Answers for one lower float, and looks at each constant once."""

    def __init__(self, low: DType) -> None:
        self.low = low
        self._answers: dict[tuple[Operand, bool], str | None] = {}

    def why_unfit(self, value: Operand, scalar_role: bool = False) -> str | None:
        """Return why a constant must not be narrowed, or None; None too for what is no constant."""
        key = (value, scalar_role)
        if key not in self._answers:
            self._answers[key] = self._judge(contents_of(value), scalar_role)
        return self._answers[key]

    def _judge(self, contents: Constant | LazyTensor | float | None, scalar_role: bool) -> str | None:
        if contents is None:
            return None
        if isinstance(contents, float):
            return self._scalar(contents)
        dtype = contents.dtype
        if dtype is None or dtype.is_bool:
            return None
        array: Any = contents.array
        if array.size == 1:
            return self._scalar(float(array.reshape(-1)[0]))
        if not array.size or natural_dtype(array.dtype) is None:
            return None
        narrowed = cast_array(array, dtype, self.low).astype("float32")
        if ((abs(narrowed) == _INFINITY) & (abs(array) != _INFINITY)).any():
            return f"a constant has elements beyond the range of {self.low}"
        if scalar_role and ((array != 0) & (abs(array) < self.low.smallest_normal)).any():
            return f"a constant has elements that {self.low} would lose"
        return None

    def _scalar(self, number: float) -> str | None:
        # Half a unit in the last place beyond the largest value still rounds to it.
        bits = self.low.mantissa_bits
        limit = self.low.largest / (2 - 2.0**-bits) * (2 - 2.0 ** -(bits + 1))
        if limit <= abs(number) < _INFINITY:
            return f"the constant {number:g} is beyond the range of {self.low}"
        if 0 < abs(number) < self.low.smallest_normal:
            return f"the constant {number:g} is too small for {self.low}"
        return None


def contents_of(value: Operand) -> Constant | LazyTensor | float | None:
    """Return what a constant holds, of a filled tensor the element; None for what is computed."""
    if isinstance(value, Initializer):
        return value.value
    if not isinstance(value, OnnxNode) or value.op_type not in ("Constant", "ConstantOfShape"):
        return None
    for name in ("value", "value_float", "value_int"):
        held = value.attributes.get(name)
        if isinstance(held, (Constant, LazyTensor)):
            return held
        if isinstance(held, (int, float)):
            return float(held)
    for name in ("value_floats", "value_ints"):
        held = value.attributes.get(name)
        if isinstance(held, tuple) and all(isinstance(one, (int, float)) for one in held):
            return max(map(float, held), key=abs)
    return None
