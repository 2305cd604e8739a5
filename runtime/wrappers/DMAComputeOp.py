"""What a sum that DMA computes asks of its sources."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.DMAComputeOpGen import DMAComputeOpGen
from runtime.access import NeuronAP
from runtime.infer.copies import reshaped_type
from runtime.instructions import Problem
from runtime.types import Type

_MOST = 16


class DMAComputeOp(DMAComputeOpGen):
    """A sum of at most 16 sources of as many elements as the destination.

    Source: AWS Neuron documentation, `nki.isa.dma_compute`.
    """

    __slots__ = ()

    def infer_result_type(self) -> Type:
        dst: NeuronAP | None = getattr(self, "_dst", None)  # which the constructor sets after it has asked this
        return reshaped_type(super().infer_result_type(), None if dst is None else dst.type)

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        count = len(self._srcs)
        if not 1 <= count <= _MOST:
            yield Problem(f"there are {count} sources; expected 1 to {_MOST}", "srcs")
            return
        if self._scales is not None and list(self._scales) != [1.0] * count:
            yield Problem(f"scales is {list(self._scales)}; each of {count} is 1, as far as DMA goes", "scales")
        first = self._srcs[0].type.n_elements
        for at, src in enumerate(self._srcs):
            found = src.type.n_elements
            if found is not None and first is not None and found != first:
                yield Problem(f"srcs[{at}] has {found} elements, and srcs[0] {first}", f"srcs[{at}]")
