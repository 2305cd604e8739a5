"""How each offloaded copy folds into its neighbours, and why not: what each kind is to `reading.py` and `writing.py`.

A copy, a reshape or a slice is a view of its source, whoever reads it. A concatenation is a view of one source to each
load. A transposition or a broadcast folds into its own kind only, whose attributes change with the access: no other
instruction asks for elements in a permuted order without saying so.
"""

from __future__ import annotations

from passes.offloaded.access_rules import why_not_alike, why_not_moved, why_not_source
from passes.offloaded.joins import Slabs, parts_of_one, sole_writer
from passes.offloaded.moments import Moments
from passes.offloaded.permutations import broadcast_of_broadcast, permutation_of, repeats_nothing
from passes.offloaded.reading import Change, Plan, owner_of, plan_images, plan_reads, why_not_sole_writer
from passes.offloaded.views import Aim, View
from passes.offloaded.writing import plan_writes
from runtime.access import NeuronAP
from runtime.values import Operand
from runtime.wrappers.OffloadedBroadcast import OffloadedBroadcast
from runtime.wrappers.OffloadedConcat import OffloadedConcat
from runtime.wrappers.OffloadedMemCpy import OffloadedMemCpy
from runtime.wrappers.OffloadedSlice import OffloadedSlice
from runtime.wrappers.OffloadedTranspose import OffloadedTranspose

Copy = OffloadedMemCpy | OffloadedSlice | OffloadedTranspose | OffloadedBroadcast | OffloadedConcat
COPIES = (OffloadedMemCpy, OffloadedSlice, OffloadedTranspose, OffloadedBroadcast, OffloadedConcat)


class CopyFolds:
    """What may be folded in one function."""

    def __init__(self, moments: Moments) -> None:
        self.moments = moments

    def why_kept(self, op: Copy) -> str:
        """Return why an offloaded copy is left, in both directions where there are two."""
        found: list[object] = [self.plan_reads(op), self.plan_writes(op)]
        if isinstance(op, OffloadedConcat) and not _why_not_joined(op):
            found.append(self._neighbours(op))
        return "; ".join(dict.fromkeys(reason for reason in found if isinstance(reason, str) and reason))

    def plan_reads(self, op: Copy) -> Plan | str:
        """Return what each load of what `op` writes becomes, or why they stay."""
        if isinstance(op, OffloadedMemCpy | OffloadedSlice):
            return plan_reads(op, op.src, self.moments)
        if isinstance(op, OffloadedConcat):
            return _why_not_joined(op) or plan_images(op, Slabs(op).image_of, self.moments)
        reason = why_not_source(op.src, op.dst)
        if reason is not None:
            return reason
        if isinstance(op, OffloadedTranspose):
            return plan_images(op, lambda access: _transposed(op, access), self.moments)
        return plan_images(op, lambda access: _repeated(op, access), self.moments)

    def plan_writes(self, op: Copy) -> Plan | str:
        """Return what each store to what `op` reads becomes, or why they stay."""
        reason = why_not_moved(op)
        if reason is not None:
            return reason
        if isinstance(op, OffloadedConcat):
            return _why_not_joined(op) or plan_writes(op, zip(op.srcs, Slabs(op).views, strict=True), self.moments)
        if not isinstance(op, OffloadedMemCpy):
            return ""  # nothing that writes its source could do what it does
        assert op.dst is not None
        if not op.dst.is_whole:
            return f"it writes a part of %{op.dst.tensor.name}"
        return plan_writes(op, [(op.src, View.of(op.dst))], self.moments)

    def simpler(self, op: Copy) -> Copy | None:
        """Return a copy or a slice that does what `op` does, if one does."""
        if why_not_moved(op) is not None or op.dst is None:
            return None
        if isinstance(op, OffloadedConcat):
            return self._simpler_concat(op)
        if isinstance(op, OffloadedTranspose):
            permutation = permutation_of(op)
            moves = permutation is None or not permutation.is_identity
            return None if moves else _copy_of(op.src, op)
        if isinstance(op, OffloadedBroadcast):
            return _copy_of(op.src, op) if repeats_nothing(op) else None
        return None

    def expanded(self, op: OffloadedConcat) -> tuple[list[Operand], list[OffloadedConcat]]:
        """Return the sources of `op`, concatenations that may go replaced by theirs, at any depth; and those."""
        leaves: list[Operand] = []
        absorbed: list[OffloadedConcat] = []
        todo = list(reversed(op.srcs))
        while todo:
            source = todo.pop()
            inner = self._inner(source, op)
            if inner is None:
                leaves.append(source)
            else:
                absorbed.append(inner)
                todo += reversed(inner.srcs)
        return leaves, absorbed

    def concat_of(self, sources: list[Operand], op: OffloadedConcat) -> OffloadedConcat:
        """Return a concatenation of other sources that is `op` in all else."""
        assert op.dst is not None
        own = [_own(source) for source in sources]
        return OffloadedConcat(own, op.dim, dst=op.dst.copy(), engine=op.assigned_engine, loc=op.loc)

    def _inner(self, source: Operand, op: OffloadedConcat) -> OffloadedConcat | None:
        """Return the concatenation that a source of `op` is, where its own sources may stand in for it."""
        if not isinstance(source, NeuronAP) or source.tensor.n_loads != 1 or why_not_moved(op) is not None:
            return None
        inner = sole_writer(source.tensor)
        if not isinstance(inner, OffloadedConcat) or inner.dim != op.dim or inner is op:
            return None
        if _why_not_joined(inner) or why_not_sole_writer(inner):
            return None
        late = (
            why_not_alike(each.tensor, source.tensor) or self.moments.why_not_read_later(inner, each.tensor, op)
            for each in inner.srcs
            if isinstance(each, NeuronAP)
        )
        return None if any(late) else inner

    def _simpler_concat(self, op: OffloadedConcat) -> Copy | None:
        if _why_not_joined(op):
            return None
        if len(op.srcs) == 1:
            return _copy_of(op.srcs[0], op)
        aim = self._neighbours(op)
        if isinstance(aim, str):
            return None
        assert op.dst is not None
        part = NeuronAP(aim.tensor, aim.pairs, aim.offset)
        if part.is_whole:
            return _copy_of(part, op)
        return OffloadedSlice(part, dst=op.dst.copy(), engine=op.assigned_engine, loc=op.loc)

    def _neighbours(self, op: OffloadedConcat) -> Aim | str:
        """Return what the sources of a concatenation are together, where they are neighbouring parts of one tensor."""
        found = parts_of_one(op)
        if isinstance(found, str):
            return found
        copies, aim = found
        assert op.dst is not None
        reason = why_not_alike(aim.tensor, op.dst.tensor)
        for copy in copies:
            reason = reason or why_not_moved(copy) or self.moments.why_not_read_later(copy, aim.tensor, op)
        return aim if reason is None else f"its sources are neighbours: {reason}"


def _why_not_joined(op: OffloadedConcat) -> str:
    """Return why a concatenation has no parts that are accesses to tensors; nothing where it has."""
    for source in op.srcs:
        if not isinstance(source, NeuronAP):
            return "a source of it is a value, no access to a tensor"
        assert op.dst is not None
        if source.tensor.memory != "dram" or op.dst.tensor.memory != "dram":
            return "it joins tensors on the chip, whose partitions would be laid out in another way"
    return ""


def _transposed(op: OffloadedTranspose, access: NeuronAP) -> Change | str:
    """Return what a transposition of what `op` gives becomes."""
    user = access.owner
    if not isinstance(user, OffloadedTranspose) or not access.is_whole:
        return f"{owner_of(access)} reads it, and is no transposition of all of it"
    first, second = permutation_of(op), permutation_of(user)
    both = None if first is None or second is None else first.then(second)
    if both is None:
        return "the transposition that reads it takes it in a shape that its own does not divide"
    assert isinstance(op.src, NeuronAP)
    aim = View.of(op.src).everything
    own = tuple(num for _, num in aim.pairs) == both.extents
    return Change(access, aim, {"src_shape": None if own else both.extents, "permutation": both.order})


def _repeated(op: OffloadedBroadcast, access: NeuronAP) -> Change | str:
    """Return what a broadcast of what `op` gives becomes."""
    user = access.owner
    if not isinstance(user, OffloadedBroadcast) or not access.is_whole:
        return f"{owner_of(access)} reads it, and is no broadcast of all of it"
    dims = broadcast_of_broadcast(op, user)
    if isinstance(dims, str):
        return dims
    assert isinstance(op.src, NeuronAP)
    return Change(access, View.of(op.src).everything, {"broadcast_dims": dims})


def _copy_of(source: Operand, op: Copy) -> OffloadedMemCpy:
    """Return a copy to where `op` writes."""
    assert op.dst is not None
    return OffloadedMemCpy(_own(source), dst=op.dst.copy(), engine=op.assigned_engine, loc=op.loc)


def _own(source: Operand) -> Operand:
    return source.copy() if isinstance(source, NeuronAP) else source
