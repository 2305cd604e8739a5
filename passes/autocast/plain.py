"""What becomes of an instruction without regions: in which dtype it reads each operand, and whether its result narrows.

- An instruction of the chip whose result may have any dtype is told operand by operand.
- One of the graph has operands of one dtype, and so has one whose result has that too: narrow as a whole or f32 as a
  whole.
- What an instruction of the chip may not be by its definition (`passes/trials.py`) it does not become. It goes without
  the casts that cannot be, or is narrow as a whole where that is legal and needs no cast of what lies in DRAM, else it
  reads and gives f32.

Deliberately absent: changes.
"""

from __future__ import annotations

from typing import NamedTuple

from passes.autocast.facts import Slot, holds_fact, is_conversion, is_written, slots_of
from passes.autocast.wishes import Wishes
from passes.trials import Change, why_no_cast
from runtime.access import NeuronAP
from runtime.dtypes import DType, f32
from runtime.instructions import Instruction, NeuronInst
from runtime.values import Operand

Wants = list[tuple[Slot, DType | None]]
"""Operand slots, with what each should hold; None: whatever it is."""


class Plan(NamedTuple):
    """What is to be done to an instruction."""

    wants: Wants
    narrows: bool = False  # whether its result becomes `low`
    low: DType = f32
    why_not: str | None = None  # what keeps it from being as narrow as the mode asks for


def plan_of(inst: Instruction, wishes: Wishes) -> Plan:
    """Return what is to be done to an instruction that is known, and has no regions."""
    info = inst.INFO
    low = wishes.contracted_dtype(inst) if info.op_kind == "compute" else wishes.low
    slots = [slot for slot in slots_of(inst) if wishes.was_f32(slot.held)]
    if low is f32:
        return Plan(_all(slots, f32), why_not=f"the tensor engine does not take {wishes.low}")
    if any(holds_fact(inst, fact) for fact in ("precision_intact", "force_f32")):
        return Plan(_all(slots, f32))
    narrows = wishes.narrows_result(inst)
    wants: Wants = [(slot, wishes.of_slot(inst, slot, low)) for slot in slots]
    is_free = not info.results or info.results[0].free_dtype
    is_engine = isinstance(inst, NeuronInst)  # which takes operands of different dtypes
    if not is_free or not (is_engine or is_conversion(inst)):
        wants, narrows = _all_or_nothing(inst, wishes, wants, low, narrows, is_free=is_free)
    elif info.op_kind == "compute" and not all(want is low for _, want in wants):
        wants = _all(slots, f32)  # the tensor engine mixes f32 with nothing else
    if is_free and wishes.scope == "matmult":
        narrows &= inst.dst is not None  # what is contracted gives f32
    plan = Plan(wants, narrows, low)
    return _legal(inst, wishes, plan) if is_engine else plan


def _legal(inst: Instruction, wishes: Wishes, plan: Plan) -> Plan:
    """Return the plan, or what is to be done in its place where the instruction may not become that."""
    reason = _why_not(inst, wishes, plan)
    if reason is None:
        return plan
    slots, low = [slot for slot, _ in plan.wants], plan.low
    castable = Plan(
        [(slot, None if why_no_cast(inst, slot.held) else want) for slot, want in plan.wants], plan.narrows, low
    )
    if _why_not(inst, wishes, castable) is None:
        return castable._replace(why_not=reason)
    must = inst.dst is not None and inst.dst.tensor in wishes.narrowed  # `Wishes.why_not_write` has found a way
    may = must or (inst.dst is None and wishes.scope == "all" and wishes.may_narrow(inst))
    if may and all(_is_near(slot, low) for slot in slots) and (must or _needs_no_cast(inst, wishes, slots, low)):
        whole = Plan([(slot, low if slot.takes(low) else f32) for slot in slots], True, low)
        if _why_not(inst, wishes, whole) is None:
            return whole
    return Plan(_all(slots, f32), must, low, reason)


def _why_not(inst: Instruction, wishes: Wishes, plan: Plan) -> str | None:
    """Return why an instruction of the chip may not become what is planned."""
    casts: dict[Operand, DType] = {}
    is_changed = plan.narrows
    for slot, want in plan.wants:
        held, dtype = slot.held, slot.held.type.dtype
        is_changed |= dtype is not f32
        if want is not None and want is not dtype and not is_written(inst, held):
            casts[held] = want
    if not casts and not is_changed:
        return None
    return wishes.trials.why_not(inst, Change(casts, result=plan.low if plan.narrows else None))


def _all(slots: list[Slot], dtype: DType) -> Wants:
    return [(slot, dtype) for slot in slots]


def _is_near(slot: Slot, low: DType) -> bool:
    """Whether a slot holds what it should in the narrow without a cast of what lies in DRAM."""
    held = slot.held
    if not slot.takes(low) or not isinstance(held, NeuronAP):
        return True
    return held.dtype is low or held.tensor.memory == "sbuf"


def _needs_no_cast(inst: Instruction, wishes: Wishes, slots: list[Slot], low: DType) -> bool:
    """Whether what moves elements only has the narrow float already; all else is worth a cast."""
    if not wishes.is_inline or inst.INFO.op_kind != "data_movement":
        return True
    return all(slot.held.type.dtype is low for slot in slots if slot.info.precision is None)


def _all_or_nothing(
    inst: Instruction, wishes: Wishes, wants: Wants, low: DType, narrows: bool, *, is_free: bool
) -> tuple[Wants, bool]:
    """Return what operands of one dtype should be, and whether the result is narrow."""
    follows = not is_free and bool(wants) and inst.type.dtype is f32 and wishes.result_follows(inst)
    data = [slot for slot, _ in wants if slot.info.precision is None]
    fits = all(slot.takes(low) for slot in data) and _agree(wants)
    asked = wishes.scope == "all" or all(want is low for _, want in wants)
    if inst.dst is None and isinstance(inst, NeuronInst):
        asked &= _needs_no_cast(inst, wishes, data, low)
    is_low = fits and asked and (narrows or not follows)
    return [(slot, low if is_low and slot in data else f32) for slot, _ in wants], (
        narrows if is_free else is_low and follows
    )


def _agree(wants: Wants) -> bool:
    """Whether no value stands in two slots of which one is always f32."""
    by_value: dict[Operand, bool] = {}
    return all(
        by_value.setdefault(slot.held, slot.info.precision is None) is (slot.info.precision is None)
        for slot, _ in wants
    )
