"""What a gather asks that adds to its destination."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.IndirectLoadGen import IndirectLoadGen
from runtime.instructions import Problem


class IndirectLoad(IndirectLoadGen):
    """A gather; where it adds, its destination is on the chip, and no index comes twice.

    Source: AWS Neuron documentation, `nki.isa.dma_compute`, gather RMW.
    """

    __slots__ = ()

    @property
    def adds(self) -> bool:
        return self._rmw_op is not None

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if self._rmw_op is None:
            return
        if not self._unique_indices:
            yield Problem(f"{self._rmw_op} needs unique_indices, the promise that no index comes twice", "rmw_op")
        dst = self.dst
        if dst is None:
            yield Problem(f"{self._rmw_op} needs a destination that it adds to", "rmw_op")
        elif dst.tensor.memory == "dram":
            yield Problem(f"the destination is %{dst.tensor.name} in dram; rows are added in sbuf", "dst")
