"""Lets a producer write the dtype that a cast makes of its result: the pass around the helper `DTypeMutator`.

Before:

    %t = sb_atom_load %x                         // f32
    %c: bf16[128,512] = tensor_copy %t
    %p: f32[128,512] = activation gelu %c
    %d: bf16[128,512] = tensor_copy %p
    %u: f32[128,512] = activation exp %d

After:

    %t = sb_atom_load %x                         // bf16: the DMA converts
    %p: bf16[128,512] = activation gelu %t
    %u: f32[128,512] = activation exp %p

The pass `dtype-mutator` asks for that at each cast from f32 to a narrower float that gives a value; where the producer
can, the cast is gone. It must not fire where a gate of `DTypeMutator.matchOrMutateDstTy` says no
(`passes/mutator/gates.py` has them in order), and
- the cast has predicates or dependency edges, or changes the shape;
- it reads a tensor, and a user of it cannot read that itself at its own place (`later_reads.py`);
- the producer computes in something else than f32, so that it would round once where it rounded twice before.

Why it is safe. The producer computes in f32 and its result was f32: nothing was rounded before the cast. It now rounds
to what the cast rounded to, once, from the same f32. So the program computes the same values, bit for bit, and the
pass names neither removed nor added roundings. A cast whose author asked for its rounding hands that mark on to the
producer. Nobody else sees the producer's result: it has one user, the tensor one writer and one reader.

A copy that writes the narrower dtype in its turn is such a cast itself, and is looked at next. Each cast that is gone
makes the program shorter, and what is left was refused: a second run changes nothing.

Casts that widen are left to `eliminate-casts`.

Source: penguin, DTypeMutator. Departures: it is a helper there, without a pass; see `passes/mutator/gates.py` for
those of the gates.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from generated.graph.CastGen import CastGen
from passes.autocast.facts import holds_fact
from passes.framework.target_lowering import TargetLowering
from passes.later_reads import Orders, orders_of_barriers, why_not_read_later, why_pinned
from passes.mutator.mutator import DTypeMutator, MutateState, MutationCounters
from runtime.access import NeuronAP
from runtime.dtypes import DType, f32, f64, holds
from runtime.functions import Function
from runtime.instructions import Instruction, NeuronInst
from runtime.targets import Target
from runtime.tensors import TensorUtils
from runtime.values import Operand, Result
from runtime.wrappers.TensorCopyOp import TensorCopyOp

__all__ = ["DTypeMutator", "MutateDTypes", "MutateState"]


class MutateDTypes(MutationCounters, TargetLowering):
    """Let producers write the narrower float that a cast makes of their f32 result."""

    pass_name = "dtype-mutator"

    def __init__(self, target: Target | None = None, **options: object) -> None:
        super().__init__(target, **options)
        self.mutator = DTypeMutator(target=target)
        self._barriers: Orders | None = None

    def transformStmts(self, f: Function) -> bool:
        self.mutator.reset()
        self.mutator.set_function(f)
        self._barriers = orders_of_barriers(f)
        casts: list[Instruction] = [inst for inst in f.insts if _narrows(inst)]
        casts.reverse()  # the first one is looked at first
        changed = False
        while casts:
            cast = casts.pop()
            if not _narrows(cast):
                continue
            producer = producer_of(cast.src)
            if self.tryFoldCast(cast):
                changed = True
                if producer is not None:
                    casts.append(producer)  # a copy that now narrows is a cast itself
        return changed

    def afterStmtTransform(self, f: Function) -> None:
        self._barriers = None

    def tryFoldCast(self, cast: TensorCopyOp) -> bool:
        """Let what `cast` reads be of its dtype, and erase it; return whether that could be done."""
        source, dtype = cast.src, cast.dtype
        if self.why_not_fold(cast) is not None or not self.may_rewrite():
            return False
        mutated = self.mutator.tryMutateDstTy(source, dtype)
        assert mutated, f"{cast!r}: the gates said yes"
        producer = producer_of(source)
        if cast.rounding is not None and producer is not None:
            producer.rounding = cast.rounding
        cast.replaceAllUsesWith(cast.src)
        cast.eraseFromParent()
        return True

    def why_kept(self, f: Function) -> Iterator[tuple[Instruction, str]]:
        self.mutator.set_function(f)
        self._barriers = orders_of_barriers(f)
        for inst in f.insts:
            if _narrows(inst) and (reason := self.why_not_fold(inst)) is not None:
                yield inst, reason
            elif isinstance(inst, CastGen) and inst.type.dtype is not inst.src.type.dtype:
                yield inst, _why_graph_cast(inst)
        self._barriers = None

    def why_not_fold(self, cast: TensorCopyOp) -> str | None:
        """Return the first thing that keeps a cast, or None."""
        source = cast.src
        reason = why_pinned(cast)
        if reason is None and cast.type.shape != source.type.shape:
            reason = f"it changes the shape, {source.type} to {cast.type}"
        reason = reason or self.mutator.why_not(source, cast.dtype)
        if reason is not None:
            return reason
        producer = producer_of(source)
        if producer is None or _computes_wider(producer):
            return "its producer does not compute in f32"
        if isinstance(source, NeuronAP):
            return why_not_read_later(source.tensor, [cast], self._barriers)
        return None


def producer_of(operand: Operand) -> Instruction | None:
    """Return the one instruction that gives an operand, or None."""
    if not isinstance(operand, NeuronAP):
        return operand if isinstance(operand, NeuronInst) else None
    stores = TensorUtils.store_insts(operand.tensor)
    return stores[0] if len(stores) == 1 else None


def _why_graph_cast(cast: CastGen) -> str:
    """Return why a cast of the graph stays, whichever way it goes."""
    source = cast.src.owner if isinstance(cast.src, Result) else cast.src
    if not isinstance(source, Instruction):
        return "what it casts comes from outside of its block, in the dtype that it has there"
    name = source.INFO.mnemonic
    if holds_fact(source, "keeps_dtype"):
        return f"the dtype of its result is what {name} is for"
    return f"an instruction of the graph gives the dtype of its operands, so {name} does not give another one"


def _narrows(inst: Instruction) -> TypeGuard[TensorCopyOp]:
    """Whether an instruction is a cast from f32 to a narrower float, and gives a value."""
    if not isinstance(inst, TensorCopyOp) or inst.dst is not None or inst.src.type.dtype is not f32:
        return False
    return _is_narrower(inst.type.dtype)


def _is_narrower(dtype: DType | None) -> bool:
    return dtype is not None and dtype is not f32 and dtype.is_float and holds(f32, dtype)


def _computes_wider(producer: Instruction) -> bool:
    """Whether an operand is f64: copies move its bits, so there is more than one rounding."""
    return any(operand.type.dtype is f64 for operand in producer.operands())
