"""Lets what fills the source of a copy write where the copy writes, so that the source goes: the direction `fuse_src`.

    %s = sb_atom_store %v
    %y = offloaded_mem_cpy %s                    // %y = sb_atom_store %v

Where it may be done: the copy alone reads the source, and all of it; nobody outside of the function knows the source;
the copy alone writes its destination, which has no contents from outside. Everything that writes the source stands in
front of the copy in its block, or inside a statement there, and everything that reads the destination behind it in the
same way. So whoever reads the destination does so when all stores of that run of the block are done, and finds what
the source would have held: what this run has not stored is in both from the run before. No barrier is passed.
"""

from __future__ import annotations

from collections.abc import Iterable

from passes.later_reads import why_pinned
from passes.offloaded.access_rules import why_not_aimed, why_not_alike, why_not_own
from passes.offloaded.moments import Moments
from passes.offloaded.reading import Change, Plan
from passes.offloaded.views import View
from runtime.access import NeuronAP
from runtime.instructions import Instruction
from runtime.tensors import NeuronPSUMTensor

Part = tuple[object, View]
"""A source of a copy, and where its elements go."""


def plan_writes(copy: Instruction, parts: Iterable[Part], moments: Moments) -> Plan | str:
    """Return what each store to the sources of `copy` becomes; or why they stay."""
    reason = why_pinned(copy) or why_not_fresh(copy, moments)
    if reason is not None:
        return reason
    plan: Plan = []
    for source, view in parts:
        found = _plan_part(copy, source, view, moments)
        if isinstance(found, str):
            return found
        plan += found
    return plan


def why_not_fresh(copy: Instruction, moments: Moments) -> str | None:
    """Return why somebody could see that the destination of `copy` is written earlier."""
    dst = copy.dst
    assert dst is not None
    tensor, name = dst.tensor, f"%{dst.tensor.name}"
    if tensor.isInput or tensor.is_const or isinstance(tensor, NeuronPSUMTensor):
        return f"{name} has contents from elsewhere"
    if tensor.n_stores != 1:
        return f"something else writes {name}, too"
    for access in tensor.loads:
        assert access.owner is not None
        reason = moments.why_not_after(copy, access.owner)
        if reason is not None:
            return f"of those that read {name}, {reason}"
    return None


def why_not_sole_reader(source: object) -> str | None:
    """Return why what a copy reads through `source` is not all that there is to its tensor."""
    if not isinstance(source, NeuronAP):
        return "its source is a value, no access to a tensor"
    name = f"%{source.tensor.name}"
    if not source.is_whole:
        return f"it reads a part of {name}"
    if source.tensor.n_loads != 1:
        return f"something else reads {name}, too"
    if not source.tensor.n_stores:
        return f"nothing writes {name}"
    return why_not_own(source.tensor)


def _plan_part(copy: Instruction, source: object, view: View, moments: Moments) -> Plan | str:
    reason = why_not_sole_reader(source)
    if reason is not None:
        return reason
    assert isinstance(source, NeuronAP)
    reason = why_not_alike(source.tensor, view.tensor)
    if reason is not None:
        return reason
    stays = view.is_all_of(source.tensor)
    plan: Plan = []
    for access in source.tensor.stores:
        owner = access.owner
        assert owner is not None
        mnemonic = owner.INFO.mnemonic
        if access.reinterpret is not None or access is not owner.dst:
            return f"{mnemonic} writes its source under another dtype, or through an operand"
        aim = view.through(access)
        if aim is None:
            return f"no access of {mnemonic} writes those elements in that order"
        reason = why_not_aimed(access, aim, "writes", stays) or moments.why_not_write_earlier(copy, owner)
        if reason is not None:
            return reason
        plan.append(Change(access, aim, stays=stays))
    return plan
