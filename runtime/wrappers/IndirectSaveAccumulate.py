"""What a scatter asks that adds."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.IndirectSaveAccumulateGen import IndirectSaveAccumulateGen
from runtime.instructions import Problem


class IndirectSaveAccumulate(IndirectSaveAccumulateGen):
    """A scatter that adds; software descriptors do so for indices only that are promised to be unique.

    Source: AWS Neuron documentation, `nki.isa.dma_compute`, scatter RMW.
    """

    __slots__ = ()

    @property
    def adds(self) -> bool:
        return True

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if self._dge_mode == "swdge" and not self._unique_indices:
            message = "dge_mode is swdge, which adds only where unique_indices promises that no index comes twice"
            yield Problem(message, "dge_mode")
        count = self._indices.type.n_elements
        if self._num_indices is not None and count is not None and self._num_indices > count:
            yield Problem(f"num_indices is {self._num_indices}, and there are {count} indices", "num_indices")
