"""Which tiles a predicated copy takes together."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.TensorCopyPredicatedOpGen import TensorCopyPredicatedOpGen
from runtime.instructions import Problem
from runtime.tile_rules import why_both_in_psum, why_not_alike, why_not_an_element


class TensorCopyPredicatedOp(TensorCopyPredicatedOpGen):
    """A copy of some elements into a tile.

    Source: AWS Neuron documentation, `nki.isa.tensor_copy_predicated`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_both_in_psum("src", self._src, "predicate", self._predicate)
        yield from why_not_alike("predicate", self._predicate, "the result", self.type)
        yield from why_not_alike("src", self._src, "the result", self.type)
        if self._scalar is not None:
            yield from why_not_an_element("scalar", self._scalar, self.type.dtype)
