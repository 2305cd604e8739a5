"""Would an instruction be legal with other dtypes, or with a cast in front of it? Asked before anything is changed.

    %y = nc_stream_shuffle %x mask [...]         // copies elements as they are: both f32, or both narrow
    %t = dma_copy %x {dge_mode = hwdge}          // moves bytes, and converts nothing
    %r = indirect_load %table indices %i         // reads rows of a tensor, which a cast of it is not

Definitions say which dtypes go together, in constraints and in `verify`. So a copy of the instruction is made, with
stand-ins of the types in question for its operands, and is asked. The answers are remembered by class, by the
attributes that are words or flags, and by the types on all sides; no rule ties a number to a dtype.

Deliberately absent: what a program says that does not verify as it came. Nothing of it is found legal.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from passes.autocast.facts import slots_of
from runtime.access import NeuronAP
from runtime.blocks import Block
from runtime.dtypes import DType
from runtime.instructions import Instruction
from runtime.targets import Target
from runtime.tensors import Tensor
from runtime.values import BlockArgument, Operand
from runtime.wrappers.TensorCopyDynamicBase import TensorCopyDynamicBase

_NONE: Final[Mapping[Any, Any]] = MappingProxyType({})


class Change(NamedTuple):  # one is made for each instruction: a frozen dataclass costs a microsecond more
    """What would be different: operands in whose place values of another dtype are read, or accesses to tensors;
    tensors of another dtype; the dtype of the result."""

    casts: Mapping[Operand, DType] = _NONE
    accesses: Mapping[Operand, NeuronAP] = _NONE
    tensors: Mapping[Tensor, DType] = _NONE
    result: DType | None = None


class Trials:
    """The answers for programs of one target, or of all."""

    def __init__(self, target: Target | None) -> None:
        self._target = target  # an instruction of a program for every target need not be one that each of them has
        self._known: dict[Hashable, str | None] = {}
        self._flags: dict[type[Instruction], tuple[str, ...]] = {}

    def why_not(self, inst: Instruction, change: Change) -> str | None:
        """Return what is in the way of a change of an instruction of the chip, or None."""
        for held in change.casts:
            reason = why_no_cast(inst, held)
            if reason is not None:
                return reason
        if change.accesses:  # there are rules on where an access starts
            return self._tried(inst, change)
        key = self._key(inst, change)
        if key not in self._known:
            self._known[key] = self._tried(inst, change)
        return self._known[key]

    def _key(self, inst: Instruction, change: Change) -> Hashable:
        flags = self._flags.get(type(inst))
        if flags is None:
            kinds = ("enum", "bool")
            flags = tuple(each.name for each in inst.INFO.attributes if each.enum or each.type in kinds)
            self._flags[type(inst)] = flags
        dst = inst.dst
        return (
            type(inst),
            *(getattr(inst, name) for name in flags),
            *(_side(operand, change) for operand in inst.operands()),
            change.result if dst is None else (dst.tensor.memory, change.tensors.get(dst.tensor, dst.tensor.dtype)),
            inst.type,
        )

    def _tried(self, inst: Instruction, change: Change) -> str | None:
        block = Block()
        copy = _copy_of(inst, change, block)
        found = next(_problems(copy, self._target), None)
        copy.eraseFromParent()  # which lets go of the edges that a clone takes over
        return None if found is None else f"{inst.INFO.mnemonic} would not be legal: {found}"


def why_no_cast(inst: Instruction, held: Operand) -> str | None:
    """Return why no cast of what an instruction reads may stand in front of it."""
    if not isinstance(held, NeuronAP):
        return None
    if isinstance(inst, TensorCopyDynamicBase) and held is inst.addressed:
        return f"the run-time addresses of {inst.INFO.mnemonic} count from the start of %{held.tensor.name}"
    if inst.extras is not None and inst.is_predicated and not _is_always_readable(held):
        return f"{inst.INFO.mnemonic} has predicates, and a cast of what it reads would run in all iterations"
    return None


def _is_always_readable(access: NeuronAP) -> bool:
    """Whether an access reaches elements that are there in every iteration."""
    tensor = access.tensor
    low, high = access.bounds
    size = tensor.type.n_elements
    known = size is not None and low >= 0 and high < size
    return known and (tensor.isInput or tensor.is_const)


def _side(operand: Operand, change: Change) -> Hashable:
    """Return what tells operands apart; an access makes its type anew each time that it is asked."""
    dtype = change.casts.get(operand)
    if not isinstance(operand, NeuronAP):
        return operand.type if dtype is None else (operand.type, dtype)
    tensor = operand.tensor
    return tensor.type, operand.pairs, operand.reinterpret, tensor.memory, dtype or change.tensors.get(tensor)


def _copy_of(inst: Instruction, change: Change, block: Block) -> Instruction:
    """Return a copy with stand-ins for operands, so that no use-list of the program is touched."""
    stand_ins: dict[object, object] = {}
    for operand in (*inst.operands(), *change.accesses.values(), inst.dst):
        if isinstance(operand, NeuronAP):
            tensor = operand.tensor
            twin = stand_ins[tensor] = tensor.clone()
            twin.type = tensor.type.with_dtype(change.tensors.get(tensor, tensor.dtype))
        elif operand is not None:
            dtype = change.casts.get(operand)
            stand_ins[operand] = BlockArgument(block, operand.type if dtype is None else operand.type.with_dtype(dtype))
    copy = inst.clone(stand_ins)
    for own, its in zip(inst.operands(), copy.operands(), strict=True):
        dtype = change.casts.get(own)
        if dtype is not None and isinstance(own, NeuronAP):
            copy.replaceUseOfWith(its, BlockArgument(block, own.type.with_dtype(dtype)))
    for operand, access in change.accesses.items():
        twin_of_tensor, value = stand_ins[access.tensor], stand_ins[operand]
        assert isinstance(twin_of_tensor, Tensor) and isinstance(value, Operand)
        copy.replaceUseOfWith(value, access.copy(twin_of_tensor))
    if copy.dst is not None:
        copy.type = copy.type.with_dtype(copy.dst.dtype)
    elif change.result is not None:
        copy.type = copy.type.with_dtype(change.result)
    return copy


def _problems(inst: Instruction, target: Target | None) -> Iterator[str]:
    for slot in slots_of(inst):
        dtype = slot.held.type.dtype
        if slot.info.dtypes and dtype is not None and dtype.name not in slot.info.dtypes:
            yield f"{slot.info.name} cannot be {dtype}"
    results, dtype = inst.INFO.results, inst.type.dtype
    if results and not results[0].free_dtype and inst.infer_result_type().dtype is not dtype:
        yield f"the result follows from the operands, and is not {dtype}"
    yield from (problem.message for problem in inst.verify())
    verify_on = getattr(inst, "verify_on", None)  # which some wrappers have
    if target is not None and verify_on is not None:
        yield from (problem.message for problem in verify_on(target))
