"""`CastOpOptimizer`: folds the conversion of an offloaded cast into a neighbour, which then converts as it moves.

`fuse(cast)` looks for the neighbour, the one that writes what the cast reads (`_fuse_src`) before the one that reads
what it writes (`_fuse_dst`); `passes/cast_op_elimination.py` has what is looked for, and why it is safe. The neighbour
is replaced by one that converts, and the cast goes; only where the cast can read a copy's source itself it stays in
place, and the copy goes.

Deliberately absent: compute engines as neighbours, which `eliminate-casts` and `dtype-mutator` are about, and DMA
between memories, whose conversion depends on the target.
"""

from __future__ import annotations

from collections.abc import Callable

from passes.later_reads import why_pinned
from passes.offloaded.access_rules import MOVES, why_not_moved, why_not_own, why_not_source
from passes.offloaded.converted import converted, is_exact, why_not_converted
from passes.offloaded.joins import sole_writer
from passes.offloaded.moments import Moments, same_block
from passes.offloaded.reading import Change, image_of, owner_of, plan_reads
from passes.offloaded.views import View
from passes.offloaded.writing import plan_writes, why_not_sole_reader
from runtime.access import NeuronAP
from runtime.functions import Function
from runtime.instructions import Instruction, NeuronInst
from runtime.wrappers.OffloadedFMA import OffloadedFMA
from runtime.wrappers.OffloadedMemCast import OffloadedMemCast
from runtime.wrappers.OffloadedMemCpy import OffloadedMemCpy

Fusion = Callable[[], None]
"""What is to be done; nothing has been done yet."""


class CastOpOptimizer:
    """The engine behind `CastOpElimination`; `count` is told the cast or the copy that a fusion is about to erase."""

    def __init__(self, count: Callable[[Instruction], None]) -> None:
        self._count = count
        self._moments: Moments | None = None

    def set_function(self, f: Function) -> None:
        """Look at the casts of this function from here on."""
        self._moments = Moments(f)

    def fuse(self, op: OffloadedMemCast) -> bool:
        """Fold the conversion of `op` into a neighbour, or a neighbour into it; return whether one was found."""
        found = self._find_candidate_tensor_memcast_fusion(op)
        if isinstance(found, str):
            return False
        found()
        return True

    def why_not_fuse(self, op: OffloadedMemCast) -> str | None:
        """Return why no neighbour can take the conversion over, or None."""
        found = self._find_candidate_tensor_memcast_fusion(op)
        return found if isinstance(found, str) else None

    def _find_candidate_tensor_memcast_fusion(self, op: OffloadedMemCast) -> Fusion | str:
        """Return how to fold `op` into the writer of its source, else into the reader of its result; or why not."""
        reason = why_pinned(op) or why_not_source(op.src, op.dst)
        if reason is not None:
            return reason
        assert self._moments is not None, "set_function has been called"
        before = self._fuse_src(op, self._moments)
        if not isinstance(before, str):
            return before
        after = self._fuse_dst(op, self._moments)
        return "; ".join(dict.fromkeys((before, after))) if isinstance(after, str) else after

    def _fuse_src(self, op: OffloadedMemCast, moments: Moments) -> Fusion | str:
        """Return how the one that writes the source of `op` can convert, so that the source goes."""
        reason = _why_no_single_source(op.src)
        if reason is not None:
            return reason
        assert isinstance(op.src, NeuronAP) and op.dst is not None
        producer = sole_writer(op.src.tensor)
        if producer is None:
            return f"no one instruction writes all of %{op.src.tensor.name}"
        if isinstance(producer, MOVES):
            plan = plan_reads(producer, producer.src, moments)
            if not isinstance(plan, str):
                return lambda: self._read_past(producer, plan)
        reason = why_not_converted(producer, op) or _why_elsewhere(producer, op)
        if reason is not None:
            return reason
        early = self._plan_early(op, moments)
        if isinstance(early, str):
            return early
        return lambda: self._write_converted(producer, op, early, moments)

    def _fuse_dst(self, op: OffloadedMemCast, moments: Moments) -> Fusion | str:
        """Return how the one that reads what `op` writes can convert, so that this goes."""
        assert isinstance(op.src, NeuronAP) and op.dst is not None
        reason = _why_no_single_result(op.dst)
        if reason is not None:
            return reason
        (access,) = op.dst.tensor.loads
        user = access.owner
        assert user is not None
        if access.reinterpret is not None:
            return f"{owner_of(access)} reads it under another dtype"
        change = image_of(access, View.of(op.src))
        if isinstance(change, str):
            return change
        reason = _why_not_read_converted(user, op) or _why_elsewhere(user, op)
        reason = reason or moments.why_not_read_later(op, op.src.tensor, user)
        if reason is not None:
            return reason
        return lambda: self._read_converted(user, op, change, moments)

    def _plan_early(self, op: OffloadedMemCast, moments: Moments) -> Change | str:
        assert op.dst is not None
        if not op.dst.is_whole:
            return f"it writes a part of %{op.dst.tensor.name}"
        plan = plan_writes(op, [(op.src, View.of(op.dst))], moments)
        if isinstance(plan, str):
            return plan
        (change,) = plan
        return change

    def _read_past(self, copy: Instruction, plan: list[Change]) -> None:
        self._count(copy)
        for change in plan:
            change.carry_out()
        copy.eraseFromParent()

    def _write_converted(self, producer: NeuronInst, op: OffloadedMemCast, early: Change, moments: Moments) -> None:
        self._count(op)
        aim, source = early.aim, early.access.tensor
        new = converted(producer, op, NeuronAP(aim.tensor, aim.pairs, aim.offset))
        op.eraseFromParent()
        moments.replace(producer, new)
        moments.forget(source, aim.tensor)

    def _read_converted(self, user: Instruction, op: OffloadedMemCast, change: Change, moments: Moments) -> None:
        self._count(op)
        assert isinstance(user, NeuronInst) and user.dst is not None and isinstance(op.src, NeuronAP)
        becomes: type[OffloadedMemCast] | type[OffloadedMemCpy] | None = None
        if isinstance(user, MOVES):
            becomes = OffloadedMemCast
        elif isinstance(user, OffloadedMemCast) and user.type.dtype is op.src.type.dtype:
            becomes = OffloadedMemCpy
        if becomes is None:
            change.carry_out()
            op.eraseFromParent()
            return
        aim = change.aim
        source = NeuronAP(aim.tensor, aim.pairs, aim.offset)
        new = becomes(source, dst=user.dst.copy(), engine=user.assigned_engine, loc=user.loc)
        new.rounding = op.rounding if becomes is OffloadedMemCast else None
        moments.replace(user, new)
        op.eraseFromParent()


def _why_no_single_source(source: object) -> str | None:
    """Return why the source of a cast is not there for the cast alone."""
    reason = why_not_sole_reader(source)
    if reason is None or not isinstance(source, NeuronAP):
        return reason
    if source.tensor.n_loads == 1 and why_not_own(source.tensor) is None and source.reinterpret is None:
        return None  # a part of it is read, which a copy in front may be passed by for
    return reason


def _why_no_single_result(dst: NeuronAP) -> str | None:
    """Return why what a cast writes is not there for one user alone."""
    name = f"%{dst.tensor.name}"
    if not dst.is_whole:
        return f"it writes a part of {name}"
    if dst.tensor.n_stores != 1:
        return f"something else writes {name}, too"
    reason = why_not_own(dst.tensor)
    if reason is None and dst.tensor.n_loads != 1:
        reason = f"{name} is read {dst.tensor.n_loads} times, and it would be converted as often"
    return reason


def _why_elsewhere(neighbour: Instruction, op: OffloadedMemCast) -> str | None:
    """Return why a neighbour would convert more or less often than `op` does."""
    return None if same_block(neighbour, op) else f"{neighbour.INFO.mnemonic} stands in another block"


def _why_not_read_converted(user: Instruction, op: OffloadedMemCast) -> str | None:
    """Return why `user`, which reads what `op` has converted, could not read what `op` reads, and give the same."""
    mnemonic = user.INFO.mnemonic
    if isinstance(user, MOVES):
        return why_not_moved(user)
    if not isinstance(user, (OffloadedMemCast, OffloadedFMA)):
        return f"{mnemonic} does not convert as it reads"
    source, dtype = op.src.type.dtype, op.type.dtype
    if source is None or dtype is None or not is_exact(source, dtype):
        return f"{dtype} does not hold {source}, so that {mnemonic} would see other values"
    if op.rounding is not None:
        return "the program's author asked for its rounding"
    return why_not_moved(user) if isinstance(user, OffloadedMemCast) and user.type.dtype is source else None
