"""Lets what is added up be f32, the dtype that the engines accumulate in, where it was narrowed on the way to the sum.

Before:

    %p: bf16[128,512] = activation exp %x        // computed in f32, and rounded
    %s: f32[128,1] = tensor_reduce add %p {reduce_dims = [1]}

After:

    %p: f32[128,512] = activation exp %x {keep_alu_dtype = true}
    %s: f32[128,1] = tensor_reduce add %p {reduce_dims = [1]}

The mark keeps later passes from narrowing the result again. Copies and transposes between the two are promoted with
the source.

It must not fire, and `why_not_promote` says why, where
- nothing is accumulated: the maximum or minimum is exact in any float; the operand is an integer, or f32 already;
- a gate of `DTypeMutator` refuses a producer (`passes/mutator/gates.py`): another user would see other values, the
  author asked for the rounding, the tensor is an input, an output, a constant, in PSUM, or accessed under another
  dtype;
- the producer cannot change its dtype, takes bits for other numbers, or only moves elements that are narrow already;
- the accumulation, or what moves its operand, may not read f32 there by its definition (`passes/trials.py`);
- the operand is a float of eight bits, which may saturate;
- the wider tensor would not fit its memory;
- the program is for no target, or for one that does not accumulate in the dtype of its engines.

Why it is safe. A producer computes in f32, and its result has one user. So the program computes, bit for bit, what it
computed before without the roundings of `removed_roundings`: those of the producers, and of the copies on the way,
which rounded nothing. A second run finds that the operand is f32.

Source: penguin, EnforceAluDTAcc. Departures: what is a sum is read from definitions (a reduction whose result may
leave the range of its operands, `wide_range`), so products count too; a producer that cannot be promoted is a reason,
no failed assertion; a copy of narrow elements is promoted with its source, or not at all; other users are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from passes.autocast.facts import holds_fact, is_conversion_class, is_unknown, slots_of
from passes.framework.options import option
from passes.framework.target_lowering import TargetLowering
from passes.mutator.gates import Refused, producer_or_refusal
from passes.mutator.mutator import DTypeMutator, MutationCounters
from passes.retyping import why_not_fit
from passes.trials import Change, Trials
from runtime.access import NeuronAP
from runtime.dtypes import DType, f32, holds
from runtime.functions import Function
from runtime.instructions import Instruction, NeuronInst
from runtime.targets import Target
from runtime.values import Operand


@dataclass(frozen=True)
class EnforceAluDTAccOptions:
    """What may be asked of the pass."""

    enable_mixed_precision_accumulation: bool = option(True, "accumulate in f32 what was narrowed")


class EnforceAluDTAcc(MutationCounters, TargetLowering):
    """Let what is added up be f32, the dtype that the engines accumulate in."""

    pass_name = "enforce-alu-dt-acc"
    Options = EnforceAluDTAccOptions
    options: EnforceAluDTAccOptions

    removed_roundings: list[Instruction]

    def __init__(self, target: Target | None = None, **options: object) -> None:
        super().__init__(target, **options)
        self.removed_roundings = []
        self.mutator = DTypeMutator(target=target)
        self._trials = Trials(target)

    def transformStmts(self, f: Function) -> bool:
        self.mutator.reset()
        self.mutator.set_function(f)
        changed = False
        for inst in f.insts:
            if not accumulates(inst) or self.why_not_promote(inst) is not None:
                continue
            narrow = [operand for operand in inst.operands() if _is_narrow(operand.type.dtype)]
            if narrow and self.may_rewrite():  # of one instruction all or none, as they were judged
                for operand in narrow:
                    self._promote(operand)
                changed = True
        return changed

    def why_kept(self, f: Function) -> Iterator[tuple[Instruction, str]]:
        for inst in f.insts:
            if accumulates(inst) and any(_is_narrow(operand.type.dtype) for operand in inst.operands()):
                reason = self.why_not_promote(inst)
                if reason is not None:
                    yield inst, reason

    def why_not_promote(self, inst: Instruction) -> str | None:
        """Return why the operands of an accumulation stay narrow, or None."""
        if not self.options.enable_mixed_precision_accumulation:
            return "accumulation in f32 is not asked for"
        if self.target is None or not self.target.accumulate_on_alu_dtype:
            return f"{self.target or 'a program for no target'} does not accumulate in the dtype of its engines"
        for operand in inst.operands():
            if _is_narrow(operand.type.dtype):
                reason = self._why_not_operand(operand)
                if reason is not None:
                    return reason
        return self._why_not_as(inst, inst.type.dtype)

    def _why_not_as(self, inst: Instruction, result: DType | None) -> str | None:
        """Return why an instruction could not be one that reads f32 where it reads a narrower float."""
        narrow = [operand for operand in inst.operands() if _is_narrow(operand.type.dtype)]
        tensors = [operand.tensor for operand in narrow if isinstance(operand, NeuronAP)]
        if inst.dst is not None and result is f32:
            tensors.append(inst.dst.tensor)
        values = [operand for operand in narrow if not isinstance(operand, NeuronAP)]
        change = Change(dict.fromkeys(values, f32), tensors=dict.fromkeys(tensors, f32), result=result)
        return self._trials.why_not(inst, change)

    def _why_not_operand(self, operand: Operand) -> str | None:
        """Return why an operand, or something that it is a copy of, cannot be f32."""
        while True:
            dtype = operand.type.dtype
            assert dtype is not None
            if dtype.bits <= 8:
                return f"{dtype} may saturate"
            producer = producer_or_refusal(operand, f32, multi_users=False)
            if isinstance(producer, Refused):
                return producer.why
            tensor = None if producer.dst is None else producer.dst.tensor
            if tensor is not None and tensor.memory == "sbuf":
                reason = why_not_fit(tensor.type, f32, self.target and self.target.name)
                if reason is not None:
                    return reason
            if not moves(producer):
                return self.mutator.why_not(operand, f32)
            reason = self._why_not_as(producer, f32)
            if reason is not None:
                return reason
            operand = producer.operands()[0]
            if operand.type.dtype is f32:
                return None if is_conversion_class(type(producer)) else f"{producer.INFO.mnemonic} converts nothing"
            if not _is_narrow(operand.type.dtype):
                return f"{producer.INFO.mnemonic} converts from {operand.type.dtype}"

    def _promote(self, operand: Operand) -> None:
        """Let the producer of an operand, and of what it is a copy of, write f32; `_why_not_operand` has looked."""
        while _is_narrow(operand.type.dtype):
            producer = producer_or_refusal(operand, f32, multi_users=False)
            assert isinstance(producer, NeuronInst)
            if moves(producer):
                producer.mutateDstTy(f32)
                MutationCounters.operator_type_mutated += 1
            else:
                mutated = self.mutator.tryMutateDstTy(operand, f32)
                assert mutated, f"{producer!r}: the gates said yes"
            producer.keep_alu_dtype = True
            self.removed_roundings.append(producer)
            operand = producer.operands()[0] if moves(producer) else producer


def accumulates(inst: Instruction) -> bool:
    """Whether an instruction of the chip adds up, or multiplies, many elements."""
    return (
        isinstance(inst, NeuronInst)
        and not is_unknown(inst)
        and inst.INFO.op_kind == "reduction"
        and holds_fact(inst, "wide_range")
    )


def moves(inst: Instruction) -> bool:
    """Whether an instruction hands on the elements of its one operand, whatever dtype they have."""
    info = inst.INFO
    if info.op_kind != "data_movement" or len(inst.operands()) != 1:
        return False
    is_kept = any(holds_fact(inst, fact) for fact in ("keeps_dtype", "precision_intact"))
    return not is_kept and all(slot.info.precision is None for slot in slots_of(inst))


def _is_narrow(dtype: DType | None) -> bool:
    """Whether a float is narrower than f32."""
    return dtype is not None and dtype is not f32 and dtype.is_float and holds(f32, dtype)
