"""What must hold of a tensor that is to go, and of an access that is to reach another tensor in its place.

Each function names the first thing that is in the way, or returns None. They look at one party each; time is the matter
of `moments.py`, and which elements are reached that of `views.py`.
"""

from __future__ import annotations

from passes.later_reads import why_pinned
from passes.offloaded.views import Aim
from runtime.access import NeuronAP
from runtime.instructions import Instruction, NeuronInst
from runtime.tensors import NeuronPSUMTensor, Tensor
from runtime.wrappers.OffloadedConcat import OffloadedConcat
from runtime.wrappers.OffloadedMemCast import OffloadedMemCast
from runtime.wrappers.OffloadedMemCpy import OffloadedMemCpy
from runtime.wrappers.OffloadedMemIntr import OffloadedMemIntr
from runtime.wrappers.OffloadedSlice import OffloadedSlice

MOVES = (OffloadedMemCpy, OffloadedSlice)  # what copies elements in order, and may take any part of its source


def why_not_own(tensor: Tensor) -> str | None:
    """Return why a tensor is more than a place between two instructions of the function."""
    name = f"%{tensor.name}"
    if tensor.isInput or tensor.isOutput:
        return f"{name} is an {'input' if tensor.isInput else 'output'} of the program"
    if tensor.is_const:
        return f"{name} is a constant"
    return f"{name} is in PSUM" if isinstance(tensor, NeuronPSUMTensor) else None


def why_not_moved(op: Instruction) -> str | None:
    """Return why what `op` does cannot be done by its neighbours."""
    reason = why_pinned(op)
    if reason is None and op.rounding is not None:
        reason = f"the program's author asked for the rounding of {op.INFO.mnemonic}"
    return reason


def why_not_alike(one: Tensor, other: Tensor) -> str | None:
    """Return why no access to one tensor may become one to the other, whichever elements it reaches."""
    if one is other:
        return f"it copies within %{one.name}"
    if one.memory != other.memory:
        return f"it moves from {one.memory} to {other.memory}"
    if one.memory != "dram" and one.known_shape != other.known_shape:
        return f"in {one.memory}, %{one.name} and %{other.name} lie across the partitions in different ways"
    return None


def why_not_source(source: object, dst: NeuronAP | None) -> str | None:
    """Return why nobody could read what `source` reads in place of the tensor that is written through `dst`."""
    if not isinstance(source, NeuronAP):
        return "its source is a value, no access to a tensor"
    assert dst is not None, "it writes a tensor, always"
    if source.reinterpret is not None or dst.reinterpret is not None:
        return "it reads or writes under another dtype"
    if source.tensor.memory != "dram" and not source.is_whole:
        return f"it reads a part of %{source.tensor.name}, in {source.tensor.memory}"
    return why_not_alike(source.tensor, dst.tensor)


def why_not_aimed(access: NeuronAP, aim: Aim, what: str, stays: bool) -> str | None:
    """Return why the instruction that holds an access could not do with one to `aim`.

    `what` says what it does through the access; `stays`, that the two tensors are the same element by element.
    """
    owner = access.owner
    assert owner is not None
    mnemonic = owner.INFO.mnemonic
    if not isinstance(owner, NeuronInst):
        return f"{mnemonic} takes it in a way that nobody knows"
    if stays:
        return None
    if isinstance(owner, OffloadedConcat) or (isinstance(owner, OffloadedSlice) and access is owner.dst):
        return None if aim.is_whole else f"{mnemonic} {what} whole tensors only"
    if any(slot.precision == "index" and getattr(owner, slot.name) is not None for slot in owner.INFO.operands):
        return f"run-time addresses of {mnemonic} count from the start of %{access.tensor.name}"
    if isinstance(owner, OffloadedMemIntr):
        return None
    return _why_not_accepted(owner, access, aim, what)


def is_of_any_shape(access: NeuronAP) -> bool:
    """Whether the extents of an access do not matter to the instruction that reads through it; their product does."""
    return isinstance(access.owner, (OffloadedMemCpy, OffloadedMemCast)) and access is not access.owner.dst


def _why_not_accepted(owner: NeuronInst, access: NeuronAP, aim: Aim, what: str) -> str | None:
    """Return why `owner` would not verify with another aim: it is tried, and taken back."""
    if any(owner.verify()):
        return f"{owner.INFO.mnemonic} does not verify as it is"
    kept = access.tensor, access.offset, access.pairs
    access.tensor, access.offset, access.pairs = aim.tensor, aim.offset, aim.pairs  # no use-list is looked at
    try:
        problem = next(iter(owner.verify()), None)
    finally:
        access.tensor, access.offset, access.pairs = kept
    return None if problem is None else f"{owner.INFO.mnemonic} {what} something else: {problem.message}"
