"""The rewriting of one function: casts where they are wanted, narrower results, narrower tensors.

One walk in program order, after the tensors were decided on. What is defined comes before what uses it, so an operand
has its final type when its user is met. An instruction is told which dtype each value that was f32 should have
(`wishes.py`): the narrow one, f32, or whatever it has become; then its result becomes narrow where its definition
lets it.

The boundary keeps its declared f32: arguments, input and output tensors, constants, what is returned.

- Of an instruction without regions `plain.py` says what becomes of it.
- What passes through a region (carried values, yields, results) is narrow as a whole or f32 as a whole, gate by gate.
- A copy of an f32 value that became narrow is redundant, and goes.
- Whoever wants f32 of what became narrow (what is returned, what nothing is known of, operands that are always f32)
  gets a widening cast.

Deliberately absent: range. An overflow gives an infinity, as the narrow float has it; no value is clamped.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from passes.autocast.casts import Casts, rounds
from passes.autocast.facts import Slot, converted, holds_fact, is_conversion, is_unknown, is_written, slots_of
from passes.autocast.gates import gates_of
from passes.autocast.modes import CastMode
from passes.autocast.plain import plan_of
from passes.autocast.tensors import is_wanted, shrunk_bytes, why_not_shrink
from passes.autocast.wishes import Wishes
from passes.later_reads import why_pinned
from runtime.access import NeuronAP
from runtime.builtin import Terminator
from runtime.dtypes import DType, f32
from runtime.functions import Function
from runtime.instructions import Instruction
from runtime.targets import Target
from runtime.tensors import Tensor, TensorUtils
from runtime.values import BlockArgument, Operand, Value

_STAYS = ("precision_intact", "force_f32", "keeps_dtype")


@dataclass
class Done:
    """What was done to a function."""

    added: list[Instruction] = field(default_factory=list)  # that round now
    kept: list[tuple[Instruction, str]] = field(default_factory=list)
    notes: list[tuple[Instruction, str]] = field(default_factory=list)  # on what was narrowed
    saved_bytes: int = 0  # of tensors
    casts: int = 0
    changed: bool = False


class Narrowing:
    """The rewriting of one function."""

    def __init__(self, function: Function, mode: CastMode, target: Target | None, *, inline: bool) -> None:
        self.function = function
        self.done = Done()
        self._wishes = Wishes(mode, target, inline=inline)
        self._casts = Casts(self._wishes.targets)
        self._yields: dict[tuple[Instruction, int], DType] = {}

    def run(self) -> Done:
        """Rewrite the function, and return what was done."""
        for tensor in self.function.tensors.values():
            if tensor.dtype is f32 and not tensor.isInputOrOutput and not tensor.is_const:
                self.shrinkTensor(tensor)
        if self._wishes.scope == "inputs":
            for argument in self.function.args:
                self._round_input(argument)
        made = self._casts.made
        for inst in self.function.insts:
            if inst not in made:
                self._visit(inst)
            self._casts.note_writes(inst)
        self.done.added += [cast for cast in made if rounds(cast)]
        self.done.casts = len(made)
        self.done.changed |= bool(made)
        return self.done

    def shrinkTensor(self, tensor: Tensor) -> bool:
        """Let a tensor hold the narrow float where no guard is in the way; return whether it does."""
        wishes = self._wishes
        reason = why_not_shrink(tensor, wishes.low, wishes.of_access, wishes.why_not_write)
        if reason is not None:
            if wishes.scope != "inputs" and is_wanted(tensor, wishes.low, wishes.of_access):
                writer = next(iter(TensorUtils.store_insts(tensor)), None)
                self.done.kept += [] if writer is None else [(writer, reason)]
            return False
        self.done.saved_bytes += shrunk_bytes(tensor, wishes.low)
        self.done.changed = True
        tensor.mutateTensorTy(wishes.low)
        wishes.narrowed.add(tensor)
        return True

    # Instructions.

    def _visit(self, inst: Instruction) -> None:
        if isinstance(inst, Terminator):
            self._visit_end(inst)
        elif is_unknown(inst):
            self._give(inst, ((slot, f32) for slot in slots_of(inst)))
        elif inst.blocks:
            self._visit_regions(inst)
        elif not (is_conversion(inst) and self._drop_redundant(inst)):
            self._visit_plain(inst)

    def _visit_plain(self, inst: Instruction) -> None:
        wishes = self._wishes
        plan = plan_of(inst, wishes)
        if plan.why_not is not None:
            self.done.kept.append((inst, plan.why_not))
        self._give(inst, plan.wants)
        if plan.narrows:
            self._narrow_result(inst, plan.low)
        elif plan.why_not is None and wishes.scope == "all" and inst.type.dtype is f32:
            reason = wishes.why_fixed(inst)
            if reason is not None:
                self.done.kept.append((inst, reason))
        if wishes.scope == "inputs" and not plan.narrows and inst.dst is None and wishes.is_source(inst):
            self._round_input(inst)

    def _give(self, inst: Instruction, wants: Iterable[tuple[Slot, DType | None]]) -> None:
        """Let an instruction read each operand in the dtype that it wants; f32 where slots with one value disagree."""
        given: dict[Operand, DType | None] = {}
        for slot, want in wants:
            given[slot.held] = want if given.setdefault(slot.held, want) is want else f32
        for held, want in given.items():
            if want is None or not self._wishes.was_f32(held) or is_written(inst, held):
                continue
            new = self._as(held, want, inst)
            if new is not held:
                inst.replaceUseOfWith(held, new)
                self.done.changed = True

    def _as(self, held: Operand, want: DType, user: Instruction) -> Operand:
        """Return what `held` is in a dtype, as `user` may read it."""
        if isinstance(held, NeuronAP):
            return held if held.dtype is want else self._casts.of_access(held, want, user)
        assert isinstance(held, Value)
        if held in self._wishes.rounded and not user.is_terminator and not is_unknown(user):
            held = self._casts.of(held, self._wishes.low, user)
        return held if held.type.dtype is want else self._casts.of(held, want, user)

    def _narrow_result(self, inst: Instruction, low: DType) -> None:
        if inst.dst is None:
            self._wishes.narrowed.add(inst)
        else:
            low = inst.dst.tensor.dtype
        inst.mutateDstTy(low)
        if low.exponent_bits < f32.exponent_bits and holds_fact(inst, "wide_range"):
            self.done.notes.append(
                (inst, f"what {inst.INFO.mnemonic} gives may be beyond {low.largest:g}, the last {low}")
            )
        self.done.added.append(inst)
        self.done.changed = True

    def _drop_redundant(self, inst: Instruction) -> bool:
        """Erase a copy of f32 that would now copy the narrow float; return whether it is gone.

        One that the program had to the narrow float stays, as a copy: who uses it may not become f32 again.
        """
        source, wishes = converted(inst), self._wishes
        if inst.dst is not None or not isinstance(source, Value) or source not in wishes.narrowed:
            return False
        if not wishes.narrows_result(inst) or source.type.dtype is not wishes.low or why_pinned(inst) is not None:
            return False
        inst.replaceAllUsesWith(source)
        inst.eraseFromParent()
        self.done.changed = True
        return True

    # Regions and ends of blocks.

    def _visit_regions(self, inst: Instruction) -> None:
        wishes = self._wishes
        wants: dict[Operand, tuple[Slot, DType | None]] = {slot.held: (slot, f32) for slot in slots_of(inst)}
        stays = wishes.scope != "all" or inst.rounding is not None or any(holds_fact(inst, fact) for fact in _STAYS)
        for gate in () if stays else gates_of(inst):
            if not gate.takes(wishes.low.name) or not all(wishes.was_f32(value) for value in gate.values):
                continue
            for held in gate.operands:
                wants[held] = wants[held][0], wishes.low
            self._yields |= dict.fromkeys(gate.yields, wishes.low)
            for target in gate.targets:
                target.type = target.type.with_dtype(wishes.low)
                wishes.narrowed.add(target)
                self.done.changed = True
        if any(result in wishes.narrowed for result in inst.results):
            self.done.added.append(inst)
        self._give(inst, wants.values())

    def _visit_end(self, end: Terminator) -> None:
        changes: dict[int, Operand] = {}
        for at, held in enumerate(end.values):
            want = self._yields.get((end, at), f32)
            if self._wishes.was_f32(held) and (new := self._as(held, want, end)) is not held:
                changes[at] = new
        if changes:
            end.set_values(changes)
            self.done.changed = True

    def _round_input(self, value: Instruction | BlockArgument) -> None:
        """Let the users of what comes from outside read it rounded, where anybody but a conversion to that reads it."""
        if value.type.dtype is not f32:
            return
        for user in value.users:
            if not (is_unknown(user) or user.is_terminator or self._wishes.converts_to_low(user)):
                self._wishes.rounded.add(value)
                return
