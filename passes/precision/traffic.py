"""How many bytes a function's instructions read and write: what a lower float is there to make fewer.

Units: bytes. Each instruction reads its operands and writes its results once, in memory or not, times the trip counts
of loops around it. Instructions with regions count by what stands in them, once where nobody knows how often they run;
constants and inputs count where they are read.

Deliberately absent: caches, fusion and time. Also absent: guesses at sizes that are not known; those are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from runtime.blocks import Block
from runtime.instructions import Instruction
from runtime.values import Operand


@dataclass(frozen=True)
class Traffic:
    """Bytes, and the number of values whose size is not known."""

    bytes: int = 0
    unknown: int = 0

    def __add__(self, other: Traffic) -> Traffic:
        return Traffic(self.bytes + other.bytes, self.unknown + other.unknown)


def traffic_of(insts: Iterable[Instruction]) -> Traffic:
    """Return what instructions read and write."""
    runs: dict[Block | None, int] = {}  # how often what stands in a block runs; predicates are asked one by one
    counted: dict[type, bool] = {}
    found = unknown = 0
    for inst in insts:
        cls = inst.__class__
        is_counted = counted.get(cls)
        if is_counted is None:
            is_counted = counted[cls] = not inst.is_terminator and inst.INFO.op_kind != "boundary"
        if not is_counted or inst.blocks:
            continue
        times = runs.get(inst.parent)
        if times is None or inst.is_predicated:
            times = _times(inst)
            if not inst.is_predicated:
                runs[inst.parent] = times
        results: Sequence[Operand] = inst.results
        if not results and inst.dst is not None:
            results = (inst.dst,)
        for value in (*inst.operands(), *results):
            size = value.type.size_in_bytes
            if size is None:
                unknown += 1
            else:
                found += size * times
    return Traffic(found, unknown)


def _times(inst: Instruction) -> int:
    times = inst.num_dynamic_instances
    return 1 if times is None else times
