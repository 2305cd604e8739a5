"""Which cores a barrier between cores serves."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.CoreBarrierGen import CoreBarrierGen
from runtime.instructions import Problem


class CoreBarrier(CoreBarrierGen):
    """A barrier between the cores 0 and 1.

    Source: AWS Neuron documentation, `nki.isa.core_barrier`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if list(self._cores) != [0, 1]:
            yield Problem(f"cores is {list(self._cores)}; only [0, 1] wait for each other", "cores")
