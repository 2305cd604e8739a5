"""The engines that an instruction may run on, and the memories that each of them reads and writes."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final


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

    @property
    def reads(self) -> tuple[str, ...]:
        """The memory spaces that it reads; all of them where it is not known which engine it will be."""
        return _MEMORIES[self.value][0]

    @property
    def writes(self) -> tuple[str, ...]:
        """The memory spaces that it writes."""
        return _MEMORIES[self.value][1]


_ON_CHIP = ("sbuf", "psum")
_EVERYWHERE = ("dram", "sbuf", "psum")
_REGISTERS = ("dram", "sbuf")
# Source: AWS Neuron documentation, the architecture guides and `nki.isa`. Its older pages let DMA access PSUM, its
# newer ones do not say so; it is allowed here.
_MEMORIES: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "unknown": (_EVERYWHERE, _EVERYWHERE),
    "tensor": (("sbuf",), ("psum",)),
    "vector": (_ON_CHIP, _ON_CHIP),
    "scalar": (_ON_CHIP, _ON_CHIP),
    "gpsimd": (("sbuf",), ("sbuf",)),
    "dma": (_EVERYWHERE, _EVERYWHERE),
    "sync": (_REGISTERS, _REGISTERS),
}
"""By the name of an engine, as `engine_memories` of the vocabulary has it: what it reads, what it writes."""
