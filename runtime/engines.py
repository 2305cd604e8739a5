"""The engines that an instruction may run on."""

from __future__ import annotations

from enum import Enum


class NeuronEngine(Enum):
    """An engine of a NeuronCore; the value is its name in text, BIR and definitions.

    Source: AWS Neuron documentation, `nki.isa.engine`. `UNKNOWN` means that the compiler chooses.
    """

    UNKNOWN = "unknown"
    TENSOR = "tensor"
    VECTOR = "vector"
    SCALAR = "scalar"
    GPSIMD = "gpsimd"
    DMA = "dma"
    SYNC = "sync"
