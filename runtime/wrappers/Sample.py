"""Which results hold the indices that may be drawn."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.SampleGen import SampleGen
from runtime.dtypes import DType
from runtime.instructions import Problem
from runtime.relations import extent


class Sample(SampleGen):
    """A drawing whose result has every index of a row as an element."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        count, dtype = extent(self.logits.type.shape, 1), self.type.dtype
        if dtype is None or not (dtype.is_int or dtype.is_float) or not isinstance(count, int):
            return
        if count - 1 > _largest_index(dtype):
            yield Problem(f"a row has indices up to {count - 1}, and {dtype} holds those up to {_largest_index(dtype)}")


def _largest_index(dtype: DType) -> int:
    """Return the largest number up to which a dtype has every whole number."""
    return int(dtype.largest) if dtype.is_int else 1 << dtype.mantissa_bits + 1
