"""Removes a cast that widens what its producer has just narrowed, by letting the producer write the wide type.

Before:

    %p: bf16[128,512] = activation gelu %x  // reads f32
    %c: f32[128,512] = tensor_copy %p
    %u: f32[128,512] = activation exp %c

After:

    %p: f32[128,512] = activation gelu %x
    %u: f32[128,512] = activation exp %p

The producer may also write a tensor, from any number of places; then the users of the cast read the tensor themselves:

    %t[0 | 512:128, 1:512] = activation gelu %x
    %c: f32[128,512] = tensor_copy %t

It must not fire, and `why_not_eliminate` says why, where
- the cast's source is no instruction (a block argument, a second result), or a dtype or the size is not known;
- the producer, or any store to the tensor, fails one of the four gates of `shouldMutateInstDstType`;
- the producer or the tensor has a use that is not a cast to the same type: it would see other values. Casts to the same
  type go together, or none of them goes;
- the tensor has no store, or is an input, an output, a constant, in PSUM, or read or written under another dtype;
- the cast has predicates or dependency edges;
- a user of the cast cannot read the tensor itself at its own place (`later_reads.py`);
- the tensor would no longer fit its memory;
- the round trip is between integers, or through or to a float of eight bits or fewer: those clamp. Or f64 takes part:
  the engines compute in f32, and a copy that converts nothing keeps all bits, so more than one rounding would go;
- the program's author asked for the rounding (`rounding = user`), unless `allow_excess_precision`.

Why it is safe. The producer reads the cast's result type already, and writes a narrower one because it was told to.
What it computes is rounded once less, and all else stays: the result is, bit for bit, that of the program in which the
roundings of `removed_roundings` are skipped. By the guards above, nothing but the casts sees the producer's result.

One pass over the casts in program order is enough, and a judgement holds for the whole pass. A cast that goes leaves
its users a value of the same dtype; only its own source loses uses by that, and that source has been judged.

Source: penguin, cast elimination; departures: gate 3 is an equality, the guards, casts that go together, counting once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar, TypeVar

from passes.framework.options import option
from passes.framework.target_lowering import TargetLowering
from passes.later_reads import Orders, orders_of_barriers, why_not_read_later, why_pinned
from passes.retyping import why_not_mutate_dst_type, why_not_retype_tensor, why_not_round_trip
from runtime.access import NeuronAP
from runtime.blocks import Block
from runtime.dtypes import DType
from runtime.effects import effects_of
from runtime.functions import Function
from runtime.instructions import Instruction, NeuronInst
from runtime.statistics import Unit, register_stats
from runtime.targets import Target
from runtime.tensors import Tensor, TensorUtils
from runtime.types import Type
from runtime.wrappers.TensorCopyOp import TensorCopyOp

S = TypeVar("S", NeuronInst, Tensor)


@dataclass
class _Run:
    """What is remembered while a function is transformed.

    A source with 100,000 casts is looked at once; the answers cannot change meanwhile, see the last sentence of the
    module's argument.
    """

    refused: dict[tuple[NeuronInst | Tensor, DType], str] = field(default_factory=dict)  # why casts of it to that stay
    times: dict[Block | None, int] = field(default_factory=dict)  # runs of a block; what goes has no predicates
    barriers: Orders | None = None  # of the function, once a tensor is looked at
    eliminated: int = 0  # goes to the class at the end: each write to a class empties the caches of its methods


@dataclass(frozen=True)
class EliminateCastsOptions:
    """What may be asked of the pass."""

    allow_excess_precision: bool = option(False, "also remove roundings that the program's author asked for")


class NeuronEliminateCasts(TargetLowering):
    """Remove casts that undo the narrowing of their producer, which then writes the wide type itself."""

    pass_name = "eliminate-casts"
    Options = EliminateCastsOptions
    options: EliminateCastsOptions

    eliminated_casts: ClassVar[int] = 0  # bytes per partition, times the runs of the cast; 1 where nobody knows
    per_partition: ClassVar[tuple[str, ...]] = ("eliminated_casts",)
    register_stats(**{"Number of bytes of casts eliminated": Unit.Bytes})

    removed_roundings: list[Instruction]  # the producers that no longer round to the narrow type, in all runs of this

    def __init__(self, target: Target | None = None, **options: object) -> None:
        super().__init__(target, **options)
        self.removed_roundings = []
        self._run: _Run | None = None

    def transformStmts(self, f: Function) -> bool:
        changed = False
        self._run = _Run()
        for cast in f.body.instructions_of(TensorCopyOp):
            if cast.parent is not None and self.tryEliminateCast(cast):  # without a parent: gone with another one
                changed = True
        NeuronEliminateCasts.eliminated_casts += self._run.eliminated
        self._run = None
        return changed

    def tryEliminateCast(self, cast: TensorCopyOp) -> bool:
        """Remove `cast`, and the other casts that go with it, where that is safe; return whether it was."""
        if self.why_not_eliminate(cast) is not None or not self.may_rewrite():
            return False
        source, dtype = cast.src, cast.type.dtype
        assert dtype is not None
        stores: tuple[Instruction, ...]
        if isinstance(source, NeuronInst):
            stores, casts = (source,), source.users
        else:
            assert isinstance(source, NeuronAP)
            stores = TensorUtils.store_insts(source.tensor)
            casts = TensorUtils.load_insts(source.tensor)
            for store in stores[:-1]:
                store.mutateDstTy(dtype)
        self.removed_roundings += stores
        for each in casts:
            self.eliminateCast(each, stores[-1], dtype)  # type: ignore[arg-type]  # a copy: why_not_eliminate has looked
            each.eraseFromParent()
        if self.options.allow_excess_precision:
            for store in stores:
                store.rounding = None  # what the author asked for does not take place any more
        return True

    def why_kept(self, f: Function) -> Iterator[tuple[TensorCopyOp, str]]:
        self._run = _Run()
        for inst in f.body.instructions_of(TensorCopyOp):
            if inst.type.dtype is not inst.src.type.dtype:
                reason = self.why_not_eliminate(inst)
                if reason is not None:
                    yield inst, reason
        self._run = None

    def why_not_eliminate(self, cast: TensorCopyOp) -> str | None:
        """Return the first thing that is in the way of removing `cast` and those that must go with it, or None."""
        if cast.dst is not None:
            return f"it writes %{cast.dst.tensor.name}, so it stays"
        source, to = cast.src, cast.type
        dtype = to.dtype
        reason = why_not_round_trip(source.type, to)
        if reason is None and cast.extras is not None:
            reason = why_pinned(cast)
        if reason is not None or dtype is None:
            return reason
        if not isinstance(source, NeuronInst):
            if isinstance(source, NeuronAP):
                return self._remembered(source.tensor, dtype, self._why_not_tensor)
            return "its source is no instruction that could write another dtype"
        reason = why_not_mutate_dst_type(source, dtype)
        if reason is not None:
            return reason
        if source.has_single_user and source.extras is None and cast.extras is None:  # the common case: no rounding
            return None
        return self._remembered(source, dtype, self._why_not_value)

    def _remembered(self, source: S, dtype: DType, judge: Callable[[S, DType], str | None]) -> str | None:
        """Return what `judge` says, or said when another cast of `source` to `dtype` was looked at."""
        if self._run is None:
            return judge(source, dtype)
        reason = self._run.refused.get((source, dtype)) or judge(source, dtype)
        if reason is not None:
            self._run.refused[source, dtype] = reason
        return reason

    def _why_not_value(self, producer: NeuronInst, dtype: DType) -> str | None:
        return self._why_not_write(producer, dtype) or self._why_not_drop(producer.users, dtype)

    def _why_not_tensor(self, tensor: Tensor, dtype: DType) -> str | None:
        reason = why_not_retype_tensor(tensor, dtype, self.target)
        if reason is not None:
            return reason
        for store in TensorUtils.store_insts(tensor):
            if any(access.tensor is tensor and access is not store.dst for access in effects_of(store).writes):
                return f"%{tensor.name} is written through an operand"
            reason = self._why_not_write(store, dtype)
            if reason is not None:
                return reason
        casts = TensorUtils.load_insts(tensor)
        run = self._run or _Run()
        if run.barriers is None and tensor.function is not None:
            run.barriers = orders_of_barriers(tensor.function)
        return self._why_not_drop(casts, dtype) or why_not_read_later(tensor, casts, run.barriers)

    def _why_not_write(self, producer: Instruction, dtype: DType) -> str | None:
        """Return why `producer` must not write `dtype`, whoever uses what it writes."""
        reason = why_not_mutate_dst_type(producer, dtype)
        if reason is None and producer.rounding is not None and not self.options.allow_excess_precision:
            return f"the program's author asked for the rounding of {producer.INFO.mnemonic}"
        return reason

    def _why_not_drop(self, uses: tuple[Instruction, ...], dtype: DType) -> str | None:
        """Return why not all uses of a value or tensor are casts to `dtype` that may go."""
        for use in uses:
            if not isinstance(use, TensorCopyOp) or use.type.dtype is not dtype:
                return f"{use.INFO.mnemonic} uses the same source, and is no cast to {dtype}"
            if use.dst is not None:
                return f"a cast of the same source writes %{use.dst.tensor.name}, so it stays"
            reason = why_not_round_trip(use.src.type, use.type) or why_pinned(use)
            if reason is not None:
                return reason
            if use.rounding is not None and not self.options.allow_excess_precision:
                return "the program's author asked for the rounding of the cast itself"
        return None

    def eliminateCast(self, cast: TensorCopyOp, src_inst: Instruction, dtype: DType) -> None:
        """Let `src_inst` write `dtype`, and the users of `cast` use what it writes; the caller erases `cast`."""
        src_inst.mutateDstTy(dtype)
        self.count_cast(cast)
        cast.replaceAllUsesWith(cast.src)

    def count_cast(self, cast: TensorCopyOp) -> TensorCopyOp:
        """Add the bytes per partition that `cast` writes, times how often it runs, to `eliminated_casts`; return it."""
        run = self._run or _Run()
        times = run.times.get(cast.parent)
        if times is None:
            known = cast.num_dynamic_instances
            times = run.times[cast.parent] = 1 if known is None else known
        run.eliminated += _bytes_per_partition(cast.type) * times
        if self._run is None:
            NeuronEliminateCasts.eliminated_casts += run.eliminated
        return cast

    def shouldMutateInstDstType(self, inst: Instruction, dtype: DType) -> bool:
        """Whether `inst` may write `dtype` in place of what it writes, as far as it alone is concerned."""
        return why_not_mutate_dst_type(inst, dtype) is None


@cache  # as `why_not_round_trip` is
def _bytes_per_partition(type: Type) -> int:
    partitions = type.shape[0] if type.shape else 1
    assert type.size_in_bytes is not None and isinstance(partitions, int), f"{type} has no known size"
    return type.size_in_bytes // (partitions or 1)  # nothing, over no partitions
