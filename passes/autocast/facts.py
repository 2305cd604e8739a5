"""What an instruction says of itself that decides whether it may compute in a narrower float.

Everything is read from `INFO`: the kind of the operation, facts, what is said of operands and results. So an
instruction that somebody adds is treated by its definition, and one of which nothing is known stays as it is.

- An operand with a `precision` of its own (f32, keep, index) is never narrowed, nor one whose `dtypes` do not list the
  float.
- A result is fixed where the instruction keeps its dtype, or nothing about it may change, or it must run in f32, or the
  program's author asked for its rounding, or a pass has promoted it to the accumulation dtype (`keep_alu_dtype`).
- The operands of an instruction of kind `compute` are what is contracted: matrix products and convolutions.
- A conversion is an instruction of kind `data_movement` to which one operand is given, whose result has its type but
  for the dtype, which adds nothing up, and of which no attribute must say what else it does. A load is known by its
  class: its type follows from more than that, since it may be broadcast over the partitions.

Deliberately absent: types of values in the program; they change while it is rewritten.
"""

from __future__ import annotations

from dataclasses import dataclass

from generated.neuron.SBAtomLoadGen import SBAtomLoadGen
from runtime.access import AccessMode, NeuronAP
from runtime.blocks import Block
from runtime.builtin import Opaque
from runtime.dtypes import DType, f32, holds
from runtime.generic import GenericInst
from runtime.info import OperandInfo
from runtime.instructions import Instruction, NeuronInst
from runtime.tensors import Tensor
from runtime.values import BlockArgument, Operand, Value

_FIXED_BY = {
    "keeps_dtype": "the dtype of its result is what {} is for",
    "precision_intact": "nothing about {} may change its dtype",
    "force_f32": "{} runs in f32 only",
}


@dataclass(frozen=True, slots=True)
class Slot:
    """What an operand slot holds, and what its definition says of it."""

    held: Operand
    info: OperandInfo

    def takes(self, dtype: DType) -> bool:
        """Whether the slot may hold a value that was narrowed to `dtype`."""
        return self.info.precision is None and (not self.info.dtypes or dtype.name in self.info.dtypes)


def slots_of(inst: Instruction) -> list[Slot]:
    """Return the operand slots that hold something, those of a variadic operand one by one."""
    slots: list[Slot] = []
    for info in inst.INFO.operands:
        held = getattr(inst, info.name)
        if info.variadic:
            slots += [Slot(one, info) for one in held if one is not None]
        elif held is not None:
            slots.append(Slot(held, info))
    return slots


def is_unknown(inst: Instruction) -> bool:
    """Whether nothing is known of an instruction: opaque ones, calls, operators of other dialects."""
    return inst.INFO.op_kind is None or isinstance(inst, (Opaque, GenericInst))


def holds_fact(inst: Instruction, name: str) -> bool:
    """Whether a fact of the definition holds, which may depend on the values of enum attributes."""
    fact = inst.INFO.facts.get(name, False)
    return fact if isinstance(fact, bool) else any(getattr(inst, key) in words for key, words in fact.items())


def is_conversion_class(cls: type[Instruction]) -> bool:
    """Whether a class copies one operand, and may give it another dtype; what else it takes may be absent."""
    return cls.INFO.is_conversion


def is_conversion(inst: Instruction) -> bool:
    """Whether an instruction converts the elements of its only operand and does nothing else."""
    if not is_conversion_class(inst.__class__):
        return False
    info, operands = inst.INFO, inst.operands()
    if len(operands) != 1 or _adds_up(inst):
        return False
    copies = info.results[0].same_as == info.operands[0].name or isinstance(inst, SBAtomLoadGen)
    return copies and inst.type.shape == operands[0].type.shape


def is_gather(inst: Instruction) -> bool:
    """Whether an instruction gives elements of its first operand that run-time addresses choose, maybe converted."""
    info = inst.INFO
    if info.op_kind != "data_movement" or len(info.results) != 1 or not info.results[0].free_dtype:
        return False
    first, *others = slots_of(inst)
    chosen = [slot for slot in others if slot.info.precision == "index"]
    return bool(chosen) and len(chosen) == len(others) and first.info.precision is None and not _adds_up(inst)


def _adds_up(inst: Instruction) -> bool:
    """Whether what an instruction writes is added to what is there."""
    adds_up = inst.INFO.dst is not None and inst.INFO.dst.accumulates
    return adds_up is True or (isinstance(adds_up, str) and bool(getattr(inst, adds_up)))


def converted(conversion: Instruction) -> Operand:
    """Return what a conversion converts."""
    return conversion.operands()[0]


def is_widening(inst: Instruction) -> bool:
    """Whether an instruction gives f32 for a value of a narrower float: somebody asked for f32."""
    if not is_conversion(inst) or inst.type.dtype is not f32:
        return False
    dtype = converted(inst).type.dtype
    return dtype is not None and dtype is not f32 and dtype.is_float and holds(f32, dtype)


def why_fixed(inst: Instruction, low: DType) -> str | None:
    """Return why the result of an instruction must stay f32, whatever its operands are; None where it need not."""
    info = inst.INFO
    name = info.mnemonic or info.name
    if is_unknown(inst):
        return f"nothing is known of {name}"
    if info.facts:
        for fact, why in _FIXED_BY.items():
            if holds_fact(inst, fact):
                return why.format(name)
    if inst.extras is not None:
        if inst.rounding is not None:
            return f"the program's author asked for the rounding of {name}"
        if inst.keep_alu_dtype:
            return f"{name} was promoted to the accumulation dtype"
    if len(info.results) != 1:
        return f"{name} has several results"
    if info.op_kind == "compute" and isinstance(inst, NeuronInst):
        return f"{name} gives the f32 that it accumulates in"
    result = info.results[0]
    if result.precision is not None or (result.dtypes and low.name not in result.dtypes):
        return f"{name} may not give {low}"
    if inst.dst is not None and info.dst is not None and info.dst.dtypes and low.name not in info.dst.dtypes:
        return f"{name} may not write {low}"
    return None


def result_follows(inst: Instruction, low: DType) -> bool:
    """Whether the dtype of the result would be `low` if all f32 operands were: asked of a copy of the instruction."""
    stand_ins: dict[object, object] = {}
    block = Block()
    for operand in (*inst.operands(), inst.dst):
        if operand is None:
            continue
        held = operand.tensor if isinstance(operand, NeuronAP) else operand
        type = held.type.with_dtype(low) if held.type.dtype is f32 else held.type
        stand_in: Value = BlockArgument(block, type)
        if isinstance(held, Tensor):
            stand_in = held.clone()
            stand_in.type = type
        stand_ins[held] = stand_in
    copy = inst.clone(stand_ins)
    found = copy.infer_result_type()
    copy.eraseFromParent()  # which lets go of the edges that a clone takes over
    return found.dtype is low


def is_written(inst: Instruction, held: Operand) -> bool:
    """Whether an instruction writes a tensor through this operand."""
    return isinstance(held, NeuronAP) and held.mode is not AccessMode.LOAD


def widened_from(value: Operand, dtype: DType) -> Value | None:
    """Return the value of `dtype` that `value` is, widened to f32; None where it is none."""
    if not isinstance(value, Instruction) or value.dst is not None or not is_widening(value):
        return None
    source = converted(value)
    return source if isinstance(source, Value) and source.type.dtype is dtype else None
