"""Lets a cast of a cast convert what the first one converts, where the first one changes no value.

Before:

    %b: f32[128,512] = tensor_copy %a            // bf16
    %c: f8e4m3[128,512] = tensor_copy %b
    %d: bf16[128,512] = graph.cast %b
    %u: f32[128,512] = activation exp %d

After:

    %c: f8e4m3[128,512] = tensor_copy %a
    %u: f32[128,512] = activation exp %a

So do casts of every dialect, those that write a tensor, and loads and DMA copies that convert. A conversion to the
dtype that a value has already, with its type, is nothing, and goes. A first cast that nobody uses any more goes, too.

It must not fire, and `why_not_fold` says why, where
- the types do not prove it (`passes/cleanup/chains.py` has the two arguments): what rounds, clamps or saturates stays;
- an element type is not known, or the types of a value and of what would stand in for it differ;
- the program's author asked for the rounding of the first cast, or of one that would be gone;
- the first cast has dependency edges;
- the first cast reads a tensor, and the second cannot read that itself at its own place (`later_reads.py`), or the slot
  of the second may not hold that dtype, or its definition does not let it convert that (`passes/trials.py`);
- a node of ONNX would be gone whose result a graph hands out, which gives an output its name.

Why it is safe. What the first cast converts is there where the second one stands: a value that dominates the first
dominates the second, and of a tensor `later_reads.py` says that it holds the same. The second cast then converts the
numbers that it has converted before, by the arguments of `chains.py`; so each result is the same, bit for bit, and no
rounding is removed or added. A cast keeps its mark `rounding = user`, since it rounds what it has rounded.

One walk in program order is enough. When a cast is met, what it converts has been looked at, and leads as far back as
it can; the cast itself is looked at again as long as it finds something. That ends: each step leads to an operand
further up, and all but the last few are gone after argument 1, which does not depend on who asks, while argument 2 only
leads to wider integers. What is left was refused, and is refused again: a second run changes nothing.

Deliberately absent: what a tensor holds. A cast that writes a tensor is not looked through.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from passes.cleanup.chains import why_not_nothing, why_not_one
from passes.cleanup.conversions import Conversions, arithmetic_of, converted, dtypes_of
from passes.framework.dot_transform import DotTransform
from passes.later_reads import Orders, orders_by_block, orders_of_barriers, why_not_read_at, why_pinned
from passes.trials import Change, Trials
from runtime.access import NeuronAP
from runtime.builtin import Terminator
from runtime.functions import Function
from runtime.generic import GenericInst
from runtime.instructions import Instruction, NeuronInst
from runtime.statistics import Unit, register_stats
from runtime.tensors import Tensor, TensorUtils
from runtime.values import Operand, Value


class FoldCasts(DotTransform):
    """Let a cast of a cast convert what the first one converts, where that proves to be the same."""

    pass_name = "fold-casts"

    folded_casts: ClassVar[int] = 0
    erased_casts: ClassVar[int] = 0
    register_stats(
        folded_casts=("Number of casts that convert what another one has converted", Unit.Count),
        erased_casts=("Number of casts erased", Unit.Count),
    )

    _conversions: Conversions
    _trials: Trials
    _barriers: Orders
    _stores: dict[Tensor, Orders]  # this erases and inserts no store, so they hold for the whole function

    def transformStmts(self, f: Function) -> bool:
        self._begin(f)
        changed = False
        for inst in f.insts:
            if self._conversions.is_conversion(inst):
                while self.tryFold(inst):
                    changed = True
                    if inst.parent is None:
                        break
        self._barriers, self._stores = {}, {}
        return changed

    def tryFold(self, cast: Instruction) -> bool:
        """Let `cast` convert what its source does, or drop it if it is nothing; return whether that could be done."""
        if self.why_not_fold(cast) is not None or not self.may_rewrite():
            return False
        source = converted(cast)
        if _is_nothing(cast):
            cast.replaceAllUsesWith(source)
            self._erase(cast)
            return True
        assert isinstance(source, Instruction)
        cast.replaceUseOfWith(source, converted(source))
        FoldCasts.folded_casts += 1
        if not source.has_users:
            self._erase(source)
        return True

    def why_kept(self, f: Function) -> Iterator[tuple[Instruction, str]]:
        self._begin(f)
        for inst in f.insts:
            if self._conversions.is_conversion(inst) and (_is_nothing(inst) or self._first(inst) is not None):
                reason = self.why_not_fold(inst)
                if reason is not None:
                    yield inst, reason

    def why_not_fold(self, cast: Instruction) -> str | None:
        """Return what keeps a conversion as it is, or None."""
        if _is_nothing(cast):
            return _why_not_drop(cast)
        first = self._first(cast)
        if first is None:
            return "it converts what is no cast"
        a, b = dtypes_of(first)
        c = cast.type.dtype
        if a is None or b is None or c is None:
            return "an element type is not known"
        if first.rounding is not None:
            return f"the program's author asked for the rounding of {first.INFO.mnemonic}"
        reason = why_not_one(a, b, c, arithmetic_of(first), arithmetic_of(cast)) or why_pinned(first)
        if reason is not None:
            return reason
        source = converted(first)
        slot = cast.INFO.operands[0]
        if slot.dtypes and a.name not in slot.dtypes:
            return f"{slot.name} of {cast.INFO.mnemonic} cannot be {a}"
        reason = self._trials.why_not(cast, Change({converted(cast): a})) if isinstance(cast, NeuronInst) else None
        if reason is None and isinstance(source, NeuronAP):
            return self._why_not_read(cast, first, source)
        return reason

    def _begin(self, f: Function) -> None:
        self._conversions, self._trials = Conversions(f), Trials(None)
        self._barriers, self._stores = orders_of_barriers(f), {}

    def _first(self, cast: Instruction) -> Instruction | None:
        """Return the conversion that gives what `cast` converts, if one does."""
        source = converted(cast)
        if isinstance(source, Instruction) and source.dst is None and self._conversions.is_conversion(source):
            return source
        return None

    def _why_not_read(self, cast: Instruction, first: Instruction, access: NeuronAP) -> str | None:
        tensor = access.tensor
        stores = self._stores.get(tensor)
        if stores is None:
            stores = self._stores[tensor] = orders_by_block(TensorUtils.store_insts(tensor))
        return why_not_read_at(cast, first, tensor, stores, self._barriers)

    def _erase(self, cast: Instruction) -> None:
        cast.eraseFromParent()
        FoldCasts.erased_casts += 1


def _is_nothing(cast: Instruction) -> bool:
    """Whether a conversion gives the value that it is given, in its own dtype."""
    source: Operand = converted(cast)
    return isinstance(source, Value) and cast.dst is None and _is_same_dtype(cast, source)


def _is_same_dtype(cast: Instruction, source: Operand) -> bool:
    return cast.type.dtype is not None and cast.type.dtype is source.type.dtype


def _why_not_drop(cast: Instruction) -> str | None:
    """Return why a conversion of a value to its own dtype stays, or None."""
    source = converted(cast)
    if cast.type is not source.type:
        return f"{source.type} and {cast.type} are not one type"
    if cast.rounding is not None:
        return "the program's author asked for its rounding"
    reason = why_pinned(cast) or why_not_nothing(cast.dtype, arithmetic_of(cast))
    if reason is None and isinstance(cast, GenericInst) and any(isinstance(user, Terminator) for user in cast.users):
        return "a graph hands it out, under its name"
    return reason
