"""Folds offloaded casts into the copies, casts, sums and fills around them, which then convert as they move.

Before:

    %t = offloaded_slice %x[3 | 8:4, 1:2]        // f32
    %y = offloaded_mem_cast %t                   // bf16

After:

    %y = offloaded_mem_cast %x[3 | 8:4, 1:2]

What is looked for, each time around one cast:
- a copy or a slice in front of it, or behind it: one of the two converts, the other goes;
- a cast in front of it, or behind it, of which the first rounds nothing: one cast is left, or, back to the dtype at the
  start, a copy;
- a sum in front of it that writes f32, or a fill: it writes the cast's dtype itself;
- a sum behind it that reads what the cast has only widened: it reads the narrower tensor itself.

The conversion survives, and takes place once. It must not fire, and `why_kept` says why, where
- the tensor in between is an input, an output, a constant or in PSUM, is written by somebody else, or read by somebody
  else: it would have to be converted once more for each;
- the other one is no such neighbour, or rounds itself: two roundings are not one;
- the tensors lie in different memories, or on the chip in different shapes; one of the two is read or written under
  another dtype;
- a store or a barrier stands between the two, or the order of the program does not say that one always follows the
  other (`offloaded/reading.py`, `offloaded/writing.py`); one of them has predicates or dependency edges;
- the neighbour runs more often or less often, in a loop or a branch of its own;
- the program's author asked for the rounding of the neighbour, or of a cast that would go without rounding anything.
  One that survives takes the mark with it.

Why it is safe. DMA takes each element to f32 and rounds it once on the way out. Copies and slices keep bits, so the two
together are that conversion of the same elements. Of the other neighbours, `offloaded/converted.py` has the argument
why the first of the two rounds nothing, and the second one still rounds as before. Which elements, and when, are the
arguments of the modules named above. So the program computes the same values, bit for bit, but for the bits of a NaN
beyond its sign, of which a cast promises nothing; no rounding is removed or added.

Each fusion makes the program an instruction shorter. Walks are repeated until one fuses nothing.

Source: penguin, CastOpElimination. Departures: the body of `CastOpOptimizer.fuse` is not published, so the legality is
that of this page; a walk is repeated.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from passes.framework.dot_transform import DotTransform
from passes.offloaded.cast_op_optimizer import CastOpOptimizer
from runtime.blocks import Statement
from runtime.functions import Function
from runtime.instructions import Instruction
from runtime.statistics import Unit, register_stats
from runtime.wrappers.OffloadedMemCast import OffloadedMemCast


class CastOpElimination(DotTransform):
    """Fold offloaded memory casts into their neighbours, which then convert as they move."""

    pass_name = "cast-op-elimination"

    fused_casts: ClassVar[int] = 0
    fused_bytes: ClassVar[int] = 0  # that were written in between, times the runs of the writer; 1 where nobody knows
    register_stats(
        fused_casts=("Number of offloaded casts fused", Unit.Count),
        fused_bytes=("Number of bytes of offloaded casts fused", Unit.Bytes),
    )

    def __init__(self, **options: object) -> None:
        super().__init__(**options)
        self.optimizer = CastOpOptimizer(_count)

    def beforeStmtTransform(self, f: Function) -> None:
        self.optimizer.set_function(f)

    def transformStmts(self, f: Function) -> bool:
        changed = False
        while super().transformStmts(f):
            self.changed, changed = False, True
        self.changed |= changed
        return changed

    def transformOffloadedMemCast(self, op: OffloadedMemCast) -> bool:
        return self.optimizer.fuse(op)

    def afterStmtTransform(self, f: Function) -> None:
        self.dropDeadTensors(f)

    def why_kept(self, f: Function) -> Iterator[tuple[Statement, str]]:
        self.optimizer.set_function(f)
        for inst in f.insts:
            if isinstance(inst, OffloadedMemCast):
                reason = self.optimizer.why_not_fuse(inst)
                if reason is not None:
                    yield inst, reason


def _count(gone: Instruction) -> None:
    times = gone.num_dynamic_instances
    CastOpElimination.fused_casts += 1
    CastOpElimination.fused_bytes += (gone.type.size_in_bytes or 0) * (1 if times is None else times)
