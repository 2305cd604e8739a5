"""How many casts a program has, what they write, and what its tensors take.

A cast is a conversion that does nothing else: it reads a value, or a tensor in the state buffer, and gives its elements
in another dtype. What moves elements anyway and converts on the way (a load or store by DMA, a copy out of PSUM) is no
cast, since it would not go away with its conversion.
"""

from __future__ import annotations

from dataclasses import dataclass

from passes.autocast.facts import converted, is_conversion
from runtime.access import NeuronAP
from runtime.functions import Module
from runtime.instructions import Instruction


@dataclass(frozen=True)
class Casts:
    """The casts of a program, and its tensors."""

    number: int  # one in a loop is one
    bytes_written: int  # by all runs of them, in each partition; one run where nobody knows
    bytes_of_tensors: int  # where the size is known


def casts_of(module: Module) -> Casts:
    """Return what casts and tensors a program has."""
    casts = [inst for inst in module.insts if is_cast(inst)]
    tensors = (tensor for function in module.functions.values() for tensor in function.tensors.values())
    size = sum(tensor.type.size_in_bytes or 0 for tensor in tensors)
    return Casts(len(casts), sum(_bytes_written(cast) for cast in casts), size)


def is_cast(inst: Instruction) -> bool:
    """Whether an instruction is a cast."""
    if not is_conversion(inst):
        return False
    source = converted(inst)
    memories = [one.tensor.memory for one in (source, inst.dst) if isinstance(one, NeuronAP)]
    return source.type.dtype is not inst.type.dtype and all(memory == "sbuf" for memory in memories)


def _bytes_written(cast: Instruction) -> int:
    """Return what a cast writes in each partition, times its runs, as `NeuronEliminateCasts.count_cast` counts."""
    if cast.type.size_in_bytes is None:
        return 0
    times = cast.num_dynamic_instances
    return cast.tile_size_in_bytes // (cast.npartitions or 1) * (1 if times is None else times)
