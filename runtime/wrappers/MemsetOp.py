"""Which constants a tile of integers or of truth values can be filled with."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.MemsetOpGen import MemsetOpGen
from runtime.dtypes import f4e2m1
from runtime.instructions import Problem
from runtime.operand_shapes import why_not_stated
from runtime.tile_rules import why_not_an_element


class MemsetOp(MemsetOpGen):
    """One constant everywhere; in a tile of integers a whole number that they hold, in one of truth values 0 or 1."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if why := why_not_stated(self.type):
            yield Problem(why)
        dtype, value = self.type.dtype, self._value
        yield from why_not_an_element("value", value, dtype)
        if dtype is f4e2m1 and value != 0:
            yield Problem(f"value is {value}; a tile of f4e2m1, which is packed, is filled with 0 only", "value")
