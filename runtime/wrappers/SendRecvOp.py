"""How much two cores exchange at once."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from generated.neuron.SendRecvOpGen import SendRecvOpGen
from runtime.instructions import Problem

_MOST = 256


class SendRecvOp(SendRecvOpGen):
    """An exchange of tiles between two cores.

    Source: AWS Neuron documentation, `nki.isa.sendrecv`, bytes of a partition by width of the elements.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        shape = self._src.type.shape
        if self._dma_engine != "gpsimd_dma" or not shape:
            return
        free = [extent for extent in shape[1:] if isinstance(extent, int)]
        if len(free) == len(shape) - 1 and prod(free) > _MOST:
            message = f"src has {prod(free)} elements in a partition; gpsimd_dma exchanges {_MOST} at most"
            yield Problem(message, "src")
