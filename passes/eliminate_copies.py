"""Removes offloaded copies of one dtype: copies and reshapes, slices, transpositions, broadcasts, concatenations.

Before:

    %t = offloaded_slice %x[8 | 8:4, 1:8]        // f32[4,8] of f32[8,8]
    %u = offloaded_slice %t[2 | 8:4, 1:2]        // f32[4,2]
    %y = sb_atom_load %u

After:

    %y = sb_atom_load %x[10 | 8:4, 1:2]

What is looked for:
- a copy, a reshape or a slice whose users can read its source themselves (`offloaded/reading.py`, `fuse_dst`);
- a copy or a reshape of all of a tensor whose writers can write to its destination (`offloaded/writing.py`,
  `fuse_src`);
- a concatenation whose users read one source each, whose sources can be written in their place, whose sources are
  neighbouring parts of one tensor, or concatenations themselves (`offloaded/joins.py`);
- a transposition that only transpositions read, a broadcast that only broadcasts read (`offloaded/permutations.py`).
  One that moves or repeats nothing is a copy;
- one that nobody reads.

It must not fire, and `why_kept` says why, where
- the tensor that would go is an input, an output, a constant or in PSUM; is written or read by somebody else (all loads
  go, or none); is accessed under another dtype; or the copy fills a part of it;
- a store to what the copy reads can run between it and a user, or a user does not always see this run of it: it stands
  before it, in a loop around it, or in another branch. In the other direction: a store to the source stands behind the
  copy or outside of its block, or somebody reads the destination before the copy;
- a barrier stands between, the copy has predicates or dependency edges, or the program's author asked for its rounding;
- no access of those extents reaches the elements, or its user takes whole tensors or run-time addresses only;
- the copy leads from one memory to another, or, on the chip, changes the shape or reads a part: partitions would be
  laid out in another way.

Why it is safe. A copy of one dtype keeps each element's bits. By the arguments of the modules above each user reads the
same elements in the same order, from a tensor that holds the same values at that time. So the program computes the same
values, bit for bit; no rounding is removed or added. Nothing is read or written that was not before, so memory that
has not been written is not read newly.

One round has three walks, each linear: backwards, what nobody reads and concatenations of concatenations; forwards,
reading through copies; backwards, writing through them. In these orders a chain, however long, is gone after one.
Rounds are repeated until one changes nothing, since each may leave something for another.

Source: penguin, data movement, copy elimination; its passes by operator are one here. Departures: the directions are
named as the docstrings quoted there say, not as the code printed beside them; parts on the chip stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from passes.framework.dot_transform import DotTransform
from passes.offloaded.access_rules import why_not_moved
from passes.offloaded.copy_folds import COPIES, Copy, CopyFolds
from passes.offloaded.moments import Moments
from runtime.blocks import Statement
from runtime.effects import may_erase
from runtime.functions import Function
from runtime.instructions import Instruction
from runtime.statistics import Unit, register_stats
from runtime.wrappers.OffloadedBroadcast import OffloadedBroadcast
from runtime.wrappers.OffloadedConcat import OffloadedConcat
from runtime.wrappers.OffloadedMemCpy import OffloadedMemCpy
from runtime.wrappers.OffloadedSlice import OffloadedSlice
from runtime.wrappers.OffloadedTranspose import OffloadedTranspose


class EliminateCopies(DotTransform):
    """Remove offloaded copies, reshapes, slices, transpositions, broadcasts, concatenations that only move elements."""

    pass_name = "eliminate-copies"

    eliminated_copies: ClassVar[int] = 0
    eliminated_bytes: ClassVar[int] = 0  # that the copies wrote, times their runs; 1 where nobody knows
    register_stats(
        eliminated_copies=("Number of copies eliminated", Unit.Count),
        eliminated_bytes=("Number of bytes of copies eliminated", Unit.Bytes),
    )

    _folds: CopyFolds  # while a function is transformed

    def beforeStmtTransform(self, f: Function) -> None:
        self._folds = CopyFolds(Moments(f))

    def transformStmts(self, f: Function) -> bool:
        while self._round(f):
            pass
        return self.changed

    def afterStmtTransform(self, f: Function) -> None:
        self.dropDeadTensors(f)

    def transformOffloadedMemCpy(self, op: OffloadedMemCpy) -> bool:
        return self._read_through(op)

    def transformOffloadedSlice(self, op: OffloadedSlice) -> bool:
        return self._read_through(op)

    def transformOffloadedTranspose(self, op: OffloadedTranspose) -> bool:
        return self._simplify(op) or self._read_through(op)

    def transformOffloadedBroadcast(self, op: OffloadedBroadcast) -> bool:
        return self._simplify(op) or self._read_through(op)

    def transformOffloadedConcat(self, op: OffloadedConcat) -> bool:
        return self._simplify(op) or self._read_through(op)

    def why_kept(self, f: Function) -> Iterator[tuple[Statement, str]]:
        folds = CopyFolds(Moments(f))
        for op in f.insts:
            if isinstance(op, COPIES):
                yield op, folds.why_kept(op)

    def _round(self, f: Function) -> bool:
        """Walk over a function three times, and return whether anything changed."""
        before, self.changed = self.changed, False
        for op in _copies_from_the_end(f):
            if op.parent is not None and not self._erase_dead(op) and isinstance(op, OffloadedConcat):
                self._flatten(op)
        self.transformBlock(f.body)
        for op in _copies_from_the_end(f):
            self._write_through(op)
        fired, self.changed = self.changed, self.changed or before
        return fired

    def _erase_dead(self, op: Copy) -> bool:
        """Erase a copy that nobody reads, unless something holds it in its place."""
        if op.dst is None or op.dst.tensor.n_loads or not may_erase(op) or why_not_moved(op) or not self.may_rewrite():
            return False
        self._count(op)
        op.eraseFromParent()
        self.changed = True
        return True

    def _flatten(self, op: OffloadedConcat) -> None:
        leaves, inner = self._folds.expanded(op)
        if not inner or not self.may_rewrite():
            return
        self._folds.moments.replace(op, self._folds.concat_of(leaves, op))
        for each in inner:
            self._count(each)
            each.eraseFromParent()
        self.changed = True

    def _simplify(self, op: Copy) -> bool:
        """Put a copy or a slice in the place of what is no more than that, and go on with it."""
        simpler = self._folds.simpler(op)
        if simpler is None:
            return False
        self._folds.moments.replace(op, simpler)
        self._read_through(simpler)
        return True

    def _read_through(self, op: Copy) -> bool:
        if op.dst is None or not op.dst.tensor.n_loads:
            return False  # the next walk from the end takes it
        plan = self._folds.plan_reads(op)
        if isinstance(plan, str):
            return False
        self._count(op)
        for change in plan:
            change.carry_out()
        op.eraseFromParent()
        return True

    def _write_through(self, op: Copy) -> None:
        plan = self._folds.plan_writes(op)
        if isinstance(plan, str) or not self.may_rewrite():
            return
        self._count(op)
        op.eraseFromParent()
        for change in plan:
            self._folds.moments.forget(change.access.tensor, change.aim.tensor)
            change.carry_out()
        self.changed = True

    def _count(self, op: Instruction) -> None:
        times = op.num_dynamic_instances
        EliminateCopies.eliminated_copies += 1
        EliminateCopies.eliminated_bytes += (op.type.size_in_bytes or 0) * (1 if times is None else times)


def _copies_from_the_end(f: Function) -> list[Copy]:
    found: list[Copy] = [inst for inst in f.insts if isinstance(inst, COPIES)]
    found.reverse()
    return found
