"""Which dtype each operand and result of an instruction should have under a mode; nothing is changed here.

    none      nothing is narrowed
    matmult   what is contracted (operands of kind `compute`); a result only where it must have the dtype of its
              operands
    inputs    what is loaded or received from outside
    all       every f32 operand, and every f32 result but those that only such operands read as must be f32

With `inline`, conversions that an instruction does anyway are left to it: a load converts by DMA, and an engine reads
what stays f32 as it is, since it computes in f32; only what is contracted gets a cast. Without it, f32 operands get
casts.

Deliberately absent: scalars that stand in attributes. The engines take those as f32, so no copy of one is ever made.
"""

from __future__ import annotations

from passes.autocast.facts import (
    Slot,
    converted,
    is_conversion,
    is_gather,
    is_unknown,
    is_widening,
    is_written,
    result_follows,
    slots_of,
    why_fixed,
)
from passes.autocast.modes import CastMode
from passes.trials import Change, Trials
from runtime.access import NeuronAP
from runtime.builtin import Opaque, Return
from runtime.dtypes import DType, f32
from runtime.instructions import Instruction, NeuronInst
from runtime.targets import TARGETS, Target
from runtime.tensors import Tensor
from runtime.values import Operand


class Wishes:
    """The answers for one function; whoever narrows values and tensors enters them here."""

    def __init__(self, mode: CastMode, target: Target | None, *, inline: bool) -> None:
        self.scope = mode.scope
        self.low = mode.dtype
        self.narrowed: set[Operand] = set()  # values and tensors that were f32
        self.rounded: set[Operand] = set()  # f32 from outside that users read rounded
        self._mode = mode
        self.targets = TARGETS if target is None else (target,)
        self.is_inline = inline
        self._dma_casts = inline and all(each.enable_dma_cast for each in self.targets)
        self.trials = Trials(target)
        self._follows: dict[type[Instruction], bool] = {}
        self._read_as_f32: dict[NeuronInst, bool] = {}

    def was_f32(self, held: Operand) -> bool:
        """Whether a value, or what an access reads, is f32 in the program that came in."""
        if isinstance(held, NeuronAP):
            return held.reinterpret is None and (held.tensor.dtype is f32 or held.tensor in self.narrowed)
        return held.type.dtype is f32 or held in self.narrowed

    def contracted_dtype(self, inst: Instruction) -> DType:
        """Return what f32 operands of an instruction of kind `compute` become; f32 where a target takes no such."""
        wanted = self._mode.transpose if getattr(inst, "is_transpose", False) else self.low
        taken = {target.getMatmultOperandType(f32, wanted) for target in self.targets}
        return taken.pop() if len(taken) == 1 else f32

    def of_slot(self, inst: Instruction, slot: Slot, low: DType) -> DType | None:
        """Return what an operand that was f32 should be; None: whatever it is."""
        held = slot.held
        if is_conversion(inst):
            return low if held in self.rounded and not self.converts_to_low(inst) else None
        if not slot.takes(low):
            return f32
        if inst.INFO.op_kind == "compute" and self.scope != "inputs":
            return low
        if self.scope == "matmult":
            return None
        if self.scope == "inputs":
            from_outside = isinstance(held, NeuronAP) and held.tensor.isInput and not self.is_boundary_load(inst)
            return low if from_outside or held in self.rounded else None
        if isinstance(held, NeuronAP) and held.tensor.memory != "sbuf":
            return None
        return None if self.is_inline and isinstance(inst, NeuronInst) else low

    def narrows_result(self, inst: Instruction) -> bool:
        """Whether the mode asks for a narrow result, and nothing that the instruction says of it is in the way."""
        if inst.type.dtype is not f32 or self.why_fixed(inst) is not None:
            return False
        if inst.dst is not None:
            return inst.dst.tensor in self.narrowed
        if self.is_boundary_load(inst):
            return self.scope != "matmult" and self._dma_casts
        return self.scope == "all" or (self.scope == "matmult" and inst.INFO.op_kind == "compute")

    def is_read_as_f32(self, inst: Instruction) -> bool:
        """Whether all who use a result of the chip must have f32: narrow, it would only be widened again.

        What moves its elements, and gives them in their own dtype, must have what its users must have.
        """
        if self.scope != "all" or not isinstance(inst, NeuronInst):
            return False
        if not (inst.INFO.results[0].free_dtype or _moves(inst)):
            return False
        known, pending = self._read_as_f32, [inst]
        while pending:
            value = pending[-1]
            unknown = [] if value in known else self._judge_users(value)
            pending += unknown
            if not unknown:
                pending.pop()
        return known[inst]

    def _judge_users(self, value: NeuronInst) -> list[NeuronInst]:
        """Enter whether all users of a value must have f32, or return those of which that must be known first."""
        known, unknown = self._read_as_f32, list[NeuronInst]()
        known[value] = value.has_users
        for user in value.users:
            if isinstance(user, NeuronInst) and _moves(user):
                if user.dst is not None:
                    must = user.dst.tensor not in self.narrowed
                elif user in known:
                    must = known[user]
                else:
                    unknown.append(user)
                    continue
            else:
                must = _must_have_f32(user, value, self.low)
            if not must:
                known[value] = False
                return []
        if unknown:
            del known[value]
        return unknown

    def why_fixed(self, inst: Instruction) -> str | None:
        """Return why the result of an instruction stays f32, whatever its operands become."""
        reason = why_fixed(inst, self.low)
        if reason is not None or inst.dst is not None:
            return reason
        if is_widening(inst) and not self.was_f32(converted(inst)):
            return f"{inst.INFO.mnemonic} gives f32 for a narrower float, so somebody asked for f32"
        return f"whoever uses what {inst.INFO.mnemonic} gives must have f32" if self.is_read_as_f32(inst) else None

    def may_narrow(self, inst: Instruction) -> bool:
        """Whether nothing that an instruction says of its result keeps that f32."""
        return inst.type.dtype is f32 and self.why_fixed(inst) is None

    def why_not_write(self, inst: Instruction, low: DType) -> str | None:
        """Return why an instruction must go on writing f32 to its destination, or None."""
        name = inst.INFO.mnemonic
        reason = why_fixed(inst, low)
        if reason is not None:
            return reason
        loads = self.is_boundary_load(inst)
        if loads and not self._dma_casts:
            return f"{name} loads an input, and converts nothing"
        if self.scope == "inputs" and not loads:
            return f"{name} loads no input"
        assert inst.dst is not None
        change = Change(tensors={inst.dst.tensor: low})
        if inst.INFO.results[0].free_dtype:
            reason = self.trials.why_not(inst, change)
            if reason is None:
                return None
        elif self.scope != "all":
            return f"the dtype of what {name} writes does not follow from its operands"
        return reason if self.scope != "all" else self.trials.why_not(inst, self._as_a_whole(inst, inst.dst.tensor))

    def of_access(self, inst: Instruction, access: NeuronAP) -> DType | None:
        """Return the dtype that an instruction wants of what it reads; None: whatever there is, maybe f32.

        With `matmult` only what is contracted, or converted to a value, is wanted narrow. A copy to a tensor wants
        nothing: what that tensor holds may change as well.
        """
        if inst.INFO.op_kind == "compute":
            low = self.contracted_dtype(inst)
            takes = all(slot.takes(low) for slot in slots_of(inst) if self.was_f32(slot.held))
            is_alone = self.scope == "inputs" and inst.extras is not None  # nothing else becomes narrow for it
            change = Change(tensors={access.tensor: low}) if is_alone else self._as_a_whole(inst, access.tensor)
            return low if takes and self.trials.why_not(inst, change) is None else f32
        if self.scope == "matmult" or inst.is_terminator:
            return inst.type.dtype if inst.dst is None and is_conversion(inst) else None
        if not is_conversion(inst) and not all(s.takes(self.low) for s in slots_of(inst) if s.held is access):
            return f32
        tensors = {access.tensor: self.low}
        reason = self.trials.why_not(inst, Change(tensors=tensors))
        if reason is not None and self.scope == "all" and inst.dst is None and self.may_narrow(inst):
            reason = self.trials.why_not(inst, Change(tensors=tensors, result=self.low))
        return self.low if reason is None else f32

    def _as_a_whole(self, inst: Instruction, tensor: Tensor) -> Change:
        """Return the change that makes a tensor narrow, and all f32 operands of an instruction with it."""
        low = self.contracted_dtype(inst) if inst.INFO.op_kind == "compute" else self.low
        casts: dict[Operand, DType] = {}
        for slot in slots_of(inst):
            held = slot.held
            if not (self.was_f32(held) and slot.takes(low)) or is_written(inst, held):
                continue
            near = not isinstance(held, NeuronAP) or (held.tensor is not tensor and held.tensor.memory != "dram")
            if near and held.dtype is not low:  # nothing in DRAM is cast for that
                casts[held] = low
        return Change(casts, tensors={tensor: low})

    def result_follows(self, inst: Instruction) -> bool:
        """Whether the result of an instruction of this class has the dtype of its operands."""
        found = self._follows.get(type(inst))
        if found is None:
            found = self._follows[type(inst)] = result_follows(inst, self.low)
        return found

    def is_source(self, inst: Instruction) -> bool:
        """Whether an instruction hands on what the program is given: an input that it names, or loads."""
        info = inst.INFO
        names = info.op_kind == "boundary" and not info.operands
        return self.is_boundary_load(inst) or (names and not any(each.type == "tensor" for each in info.attributes))

    def is_boundary_load(self, inst: Instruction) -> bool:
        """Whether an instruction does nothing but bring an input of the program, or rows of it, from DRAM."""
        if not is_conversion(inst) and not is_gather(inst):
            return False
        source = inst.operands()[0]
        return isinstance(source, NeuronAP) and source.tensor.isInput and source.tensor.memory == "dram"

    def converts_to_low(self, inst: Instruction) -> bool:
        """Whether an instruction converts what it reads to the narrow float."""
        return is_conversion(inst) and inst.type.dtype is self.low


def _moves(inst: Instruction) -> bool:
    """Whether an instruction of the chip gives the elements of its one operand in another order, in their own dtype."""
    info = inst.INFO
    return (
        isinstance(inst, NeuronInst)
        and info.op_kind == "data_movement"
        and len(info.operands) == 1
        and len(info.results) == 1
        and not info.results[0].free_dtype
    )


def _must_have_f32(user: Instruction, value: Instruction, low: DType) -> bool:
    """Whether a value is returned, read by what nothing is known of, or through a slot that holds no narrower float."""
    if isinstance(user, (Return, Opaque)):
        return True
    if not isinstance(user, NeuronInst) or is_unknown(user) or any(info.variadic for info in user.INFO.operands):
        return False
    return any(slot.held is value and not slot.takes(low) for slot in slots_of(user))
