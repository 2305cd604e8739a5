"""What the gathers and scatters of DMA ask of the tensor that the indices point into."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.IndirectDMAGen import IndirectDMAGen
from runtime.access import NeuronAP
from runtime.instructions import Problem
from runtime.targets import Target, trn2
from runtime.transfer_rules import why_not_converted, why_not_transfer_on
from runtime.values import Operand


class IndirectDMA(IndirectDMAGen):
    """Stands between the brewed base and its brewed children: the rules on the addressed side.

    Source: AWS Neuron documentation, `nki.isa.dma_copy`, access patterns; release notes on contiguous indirect access.
    """

    __slots__ = ()

    @property
    def addressed(self) -> Operand | None:
        """What the indices point into: the source of a gather, the destination of a scatter."""
        return self._src

    @property
    def addressed_name(self) -> str:
        """The name of the slot that it is in."""
        return "src"

    @property
    def adds(self) -> bool:
        """Whether rows are added to what is there."""
        return False

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_not_converted(self._src.type, self.type, self.adds)
        held, slot = self.addressed, self.addressed_name
        if held is None:
            return  # which is said already
        if not isinstance(held, NeuronAP):
            yield Problem(f"{slot} is a value; indices choose rows of a tensor in dram", slot)
            return
        if not held.pairs:
            yield Problem(f"{slot} has no dimension that indices could count along", slot)
            return
        step = 1
        for pair_step, num in reversed(held.pairs[1:]):
            if num > 1 and pair_step != step:
                yield Problem(f"{slot} has the pair {pair_step}:{num}; within a row the step there is {step}", slot)
                break
            step *= num
        rows = held.tensor.known_shape[0] if held.tensor.known_shape else 1
        if self._max_index is not None and self._max_index > rows:
            yield Problem(f"max_index is {self._max_index}, and %{held.tensor.name} has {rows} rows", "max_index")

    def verify_on(self, target: Target) -> Iterator[Problem]:
        yield from why_not_transfer_on(self, target)
        if self._dge_mode == "swdge" and target < trn2:
            message = f"dge_mode is swdge, which takes indices from trn2 on, and not on {target}"
            yield Problem(message, "dge_mode")
