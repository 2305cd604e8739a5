"""How many casts a program has.

A cast is a conversion that does nothing else: it reads a value, or a tensor in the state buffer, and gives its elements
in another dtype. What moves elements anyway and converts on the way (a load or store by DMA, a copy out of PSUM) is no
cast, since it would not go away with its conversion.
"""

from __future__ import annotations

from passes.autocast.facts import converted, is_conversion
from runtime.access import NeuronAP
from runtime.functions import Module
from runtime.instructions import Instruction


def count_casts(module: Module) -> int:
    """Return the number of casts in a program; one in a loop is one."""
    return sum(1 for inst in module.insts if is_cast(inst))


def is_cast(inst: Instruction) -> bool:
    """Whether an instruction is a cast."""
    if not is_conversion(inst):
        return False
    source = converted(inst)
    memories = [one.tensor.memory for one in (source, inst.dst) if isinstance(one, NeuronAP)]
    return source.type.dtype is not inst.type.dtype and all(memory == "sbuf" for memory in memories)
