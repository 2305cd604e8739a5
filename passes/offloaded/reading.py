"""Lets the users of a copy read what the copy reads, so that the copied tensor goes: the direction `fuse_dst`.

    %t = offloaded_slice %x[3 | 8:4, 1:2]
    %y = sb_atom_load %t                         // %y = sb_atom_load %x[3 | 8:4, 1:2]

Where it may be done: the copy alone writes the tensor, and all of it; nobody outside of the function knows the tensor;
each load has an image (`views.py`) that its user can hold (`access_rules.py`); and between the copy and each user
nothing writes what the copy reads (`moments.py`). Then a user reads the very elements that the copy would have handed
it. All loads go, or none: a copy that somebody needs is no less work for having fewer users.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from passes.offloaded.access_rules import is_of_any_shape, why_not_aimed, why_not_moved, why_not_own, why_not_source
from passes.offloaded.moments import Moments
from passes.offloaded.views import Aim, View, aim_access, is_contiguous
from runtime.access import NeuronAP
from runtime.instructions import Instruction


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one access, and of the attributes of the instruction that holds it."""

    access: NeuronAP
    aim: Aim
    attributes: Mapping[str, object] = field(default_factory=dict)
    stays: bool = False  # whether each element of the one tensor, reached or not, is at the same place in the other one

    def carry_out(self) -> None:
        """Make it so."""
        aim_access(self.access, self.aim)
        for name, value in self.attributes.items():
            setattr(self.access.owner, name, value)


Plan = list[Change]
Image = Callable[[NeuronAP], Change | str]
"""Where the elements of a load stand before they are copied, or why that is not to be said."""


def plan_reads(copy: Instruction, source: object, moments: Moments) -> Plan | str:
    """Return what each load of the tensor that `copy` fills from `source` becomes; or why they stay."""
    reason = why_not_source(source, copy.dst)
    if reason is not None:
        return reason
    assert isinstance(source, NeuronAP)
    view = View.of(source)
    return plan_images(copy, lambda access: image_of(access, view), moments)


def plan_images(copy: Instruction, image: Image, moments: Moments) -> Plan | str:
    """Return the same, where `image` says which elements each load stands for."""
    reason = why_not_sole_writer(copy)
    if reason is not None:
        return reason
    assert copy.dst is not None
    plan: Plan = []
    for access in copy.dst.tensor.loads:
        change = image(access) if access.reinterpret is None else f"{owner_of(access)} reads it under another dtype"
        if isinstance(change, str):
            return change
        user, aim = access.owner, change.aim
        assert user is not None
        reason = why_not_aimed(access, aim, "reads", change.stays) or moments.why_not_read_later(copy, aim.tensor, user)
        if reason is not None:
            return reason
        plan.append(change)
    return plan


def why_not_sole_writer(copy: Instruction) -> str | None:
    """Return why what `copy` writes is not all that there is to its tensor."""
    reason = why_not_moved(copy)
    if reason is not None:
        return reason
    dst = copy.dst
    assert dst is not None
    name = f"%{dst.tensor.name}"
    if not dst.is_whole:
        return f"it writes a part of {name}"
    if dst.tensor.n_stores != 1:
        return f"something else writes {name}, too"
    return why_not_own(dst.tensor)


def image_of(access: NeuronAP, view: View) -> Change | str:
    """Return where the elements of a load stand in what its tensor is a view of."""
    aim = view.everything if is_of_any_shape(access) and _is_everything(access) else view.through(access)
    if aim is None:
        return f"no access of {owner_of(access)} reaches those elements in that order"
    return Change(access, aim, stays=view.is_all_of(access.tensor))


def owner_of(access: NeuronAP) -> str:
    """Return what the instruction is called that holds an access."""
    return "nobody" if access.owner is None else str(access.owner.INFO.mnemonic)


def _is_everything(access: NeuronAP) -> bool:
    """Whether an access reaches all elements of its tensor in row-major order, in whatever extents."""
    size = access.tensor.type.n_elements
    return (
        not access.offset.terms
        and access.offset.constant == 0
        and not access.indices
        and is_contiguous(access.pairs)
        and access.type.n_elements == size
    )
