"""Which probabilities go with which elements."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.DropoutOpGen import DropoutOpGen
from runtime.dtypes import f32
from runtime.instructions import Problem
from runtime.tile_rules import why_not_one_a_partition


class DropoutOp(DropoutOpGen):
    """Elements that are replaced with zeros at random.

    Source: AWS Neuron documentation, `nki.isa.dropout`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_not_one_a_partition("prob", self._prob, self._src.type)
        dtype = self._src.type.dtype
        if self._prob is None or dtype is None or dtype.is_float:
            return
        if self._prob.type.dtype not in (None, f32):
            yield Problem(f"src has elements of {dtype}, so prob has f32; it has {self._prob.type.dtype}", "prob")
