"""Rules on descriptors and priorities that several transfers by DMA have; wrappers yield what these find.

Deliberately absent: which ways to make descriptors an instruction has at all; that stands in its definition.

Source: AWS Neuron documentation, `nki.isa.dma_copy`; its page on descriptor generation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from runtime.instructions import Problem
from runtime.targets import Target, trn2, trn3


class Transfers(Protocol):
    """An instruction that DMA does."""

    @property
    def dge_mode(self) -> str: ...
    @property
    def priority(self) -> int | None: ...


def why_not_transfer_on(inst: Transfers, target: Target) -> Iterator[Problem]:
    """Yield why a generation makes no such descriptors, or knows no priority."""
    if inst.dge_mode == "hwdge" and target < trn2:
        yield Problem(f"dge_mode is hwdge, which makes descriptors from trn2 on, and not on {target}", "dge_mode")
    if inst.priority is not None and target < trn3:
        message = f"priority is {inst.priority}; transfers have priorities from trn3 on, and not on {target}"
        yield Problem(message, "priority")
