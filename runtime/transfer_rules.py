"""Rules on descriptors, priorities and conversions that several transfers by DMA have; wrappers yield what these find.

Deliberately absent: which ways to make descriptors an instruction has at all; that stands in its definition.

Source: AWS Neuron documentation, `nki.isa.dma_copy`; its pages on descriptor generation and on DMA.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from runtime.dtypes import f4e2m1
from runtime.instructions import Problem
from runtime.targets import Target, trn2, trn3
from runtime.types import Type


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


def why_not_converted(src: Type, result: Type, adds: bool = False) -> Iterator[Problem]:
    """Yield that a transfer converts packed elements, as one does that adds, too: DMA has no casts of MXFP4.

    MXFP8 has none either; f8e4m3fn and f8e5m2 have plain forms, which do.
    """
    here, there = src.dtype, result.dtype
    if f4e2m1 not in (here, there) or None in (here, there):
        return
    if adds:
        yield Problem("elements of f4e2m1 are packed; DMA does not add them", "src")
    elif here is not there:
        yield Problem(f"src has elements of {here}, and the result of {there}; DMA does not convert f4e2m1", "src")
