"""Keeps one cast of a value to a dtype where there are several, and one of them dominates the others.

Before:

    %a: bf16[128,512] = tensor_copy %x           // f32
    %b: bf16[128,512] = tensor_copy %x
    %y: bf16[128,512] = graph.if %flag then {
      %c: bf16[128,512] = tensor_copy %x
      yield %c
    } else {
      yield %b
    }

After:

    %a: bf16[128,512] = tensor_copy %x
    %y: bf16[128,512] = graph.if %flag then {    // %a in place of %b and %c
      yield %a
    } else {
      yield %a
    }

So do casts of every dialect. A cast of what an access reads is shared with an earlier one of the same elements:

    %a: bf16[128,512] = tensor_copy %t
    %b: bf16[128,512] = tensor_copy %t

It must not fire on
- casts of which none dominates the other: in the branches of one `if`, in a loop and behind it;
- casts to other dtypes or types, by another kind of instruction, on another engine, or with other attributes;
- copies that keep the dtype, which somebody has a reason for that types do not show;
- casts that write a tensor, or have predicates or dependency edges;
- casts of a tensor that may have been written in between, loop back edges included, or with a barrier in between
  (`later_reads.py`).

Why it is safe. A cast gives what follows from its operand, and two equal ones of one value give one value. The earlier
one dominates the later one, and so whatever uses that, regions and what they capture included. A tensor holds, when the
later one runs, what the earlier one has read: that is the question of `later_reads.py`, with the later cast in the
place of a user. A cast with the mark `rounding = user` hands it on to the one that stays: the rounding that somebody
has asked for takes place there, and no pass removes it. No result changes, and no rounding is removed or added.

One walk in program order is enough: what a cast converts has been met before, and is already the shared one, so casts
of shared casts are found equal. A second run finds one cast of each. What is visible is kept block by block, and
forgotten at the end of the block; so a lookup costs one hash, and that of a tensor O(log stores). What nobody else uses
is not even looked up, unless it is a cast itself, which may come to stand in for others and so take over their users.

Deliberately absent: hoisting a cast out of branches to where it would dominate both.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import ClassVar, Final

from passes.cleanup.conversions import Conversions, converted, same_source
from passes.framework.dot_transform import DotTransform
from passes.later_reads import Orders, orders_by_block, orders_of_barriers, why_not_the_same, why_pinned
from runtime.access import NeuronAP
from runtime.blocks import Block
from runtime.functions import Function
from runtime.generic import OnnxNode
from runtime.instructions import Instruction, NeuronInst
from runtime.statistics import Unit, register_stats
from runtime.tensors import Tensor, TensorUtils
from runtime.values import Value

Visible = dict[Hashable, Instruction]
Kept = Iterator[tuple[Instruction, str]]
_OTHERWISE: Final = (
    "the casts to this dtype before it write a tensor, are held in their place, or convert in another way"
)


class ShareCasts(DotTransform):
    """Keep one cast of a value, or of what an access reads, to a dtype."""

    pass_name = "share-casts"

    shared_casts: ClassVar[int] = 0
    register_stats(shared_casts=("Number of casts that another one stands in for", Unit.Count))

    _conversions: Conversions
    _barriers: Orders
    _stores: dict[Tensor, Orders]  # this erases and inserts no store, so they hold for the whole function

    def transformStmts(self, f: Function) -> bool:
        self._begin(f)
        changed = self._share(f.body, {})
        self._barriers, self._stores = {}, {}
        return changed

    def why_kept(self, f: Function) -> Kept:
        self._begin(f)
        return self._kept(f.body, {}, {})

    def _begin(self, f: Function) -> None:
        self._conversions, self._barriers, self._stores = Conversions(f), orders_of_barriers(f), {}

    def _share(self, block: Block, visible: Visible) -> bool:
        """Share the casts of a block, and of those inside it; `visible` is as before when the block ends."""
        changed = False
        hidden: list[tuple[Hashable, Instruction | None]] = []
        for statement in block:
            if isinstance(statement, Instruction) and self._may_be_shared(statement):
                key = _key(statement)
                earlier = visible.get(key)
                if earlier is not None and self._why_not(earlier, statement) is None and self.may_rewrite():
                    _replace(statement, earlier)
                    changed = True
                    continue
                hidden.append((key, earlier))
                visible[key] = statement
            for inner in statement.blocks:
                changed |= self._share(inner, visible)
        _uncover(visible, hidden)
        return changed

    def _kept(self, block: Block, visible: Visible, met: dict[Hashable, set[Hashable]]) -> Kept:
        """Yield the casts of a block, and of those inside it, that convert the same to the same dtype as one before.

        `visible` is as in `_share`; `met` has, for what is converted and the dtype, the keys of all casts so far that
        might stand in for an equal one.
        """
        hidden: list[tuple[Hashable, Instruction | None]] = []
        for statement in block:
            if isinstance(statement, Instruction) and self._conversions.is_cast(statement):
                key, what = _key(statement), (same_source(statement), statement.type.dtype)
                keys = met.get(what)
                if keys is not None and (reason := self._why_kept(statement, visible.get(key), key in keys)):
                    yield statement, reason
                keys = met.setdefault(what, set())
                if _why_not_a_value(statement) is None:
                    keys.add(key)
                    hidden.append((key, visible.get(key)))
                    visible[key] = statement
            for inner in statement.blocks:
                yield from self._kept(inner, visible, met)
        _uncover(visible, hidden)

    def _why_kept(self, cast: Instruction, earlier: Instruction | None, is_met: bool) -> str | None:
        reason = _why_not_a_value(cast)
        if reason is not None or earlier is not None:
            return reason or (None if earlier is None else self._why_not(earlier, cast))
        return "no cast that is equal to it dominates it" if is_met else _OTHERWISE

    def _may_be_shared(self, inst: Instruction) -> bool:
        if inst.dst is not None or not self._conversions.is_cast(inst) or why_pinned(inst) is not None:
            return False
        source = converted(inst)
        if isinstance(source, NeuronAP):
            return source.tensor.n_loads > 1
        assert isinstance(source, Value), f"{source!r} is neither a value nor an access"
        if not source.has_single_user:
            return True
        return isinstance(source, Instruction) and self._conversions.is_cast(
            source
        )  # which may stand in for others yet

    def _why_not(self, earlier: Instruction, later: Instruction) -> str | None:
        """Return why two equal casts may not convert the same, the earlier one dominating the later; else None."""
        source = converted(later)
        if not isinstance(source, NeuronAP):
            return None
        tensor = source.tensor
        stores = self._stores.get(tensor)
        if stores is None:
            stores = self._stores[tensor] = orders_by_block(TensorUtils.store_insts(tensor))
        return why_not_the_same(later, earlier, stores, self._barriers, "an equal cast and this one")


def _why_not_a_value(cast: Instruction) -> str | None:
    """Return why a cast can neither stand in for an equal one nor be stood in for; None where it can."""
    return why_pinned(cast) if cast.dst is None else "it writes a tensor"


def _uncover(visible: Visible, hidden: list[tuple[Hashable, Instruction | None]]) -> None:
    """Let casts be visible again that the casts of a block, which ends here, have hidden."""
    for key, earlier in reversed(hidden):
        if earlier is None:
            del visible[key]
        else:
            visible[key] = earlier


def _key(cast: Instruction) -> Hashable:
    """Return what two casts have in common that give the same as long as memory does not change."""
    if isinstance(cast, OnnxNode):  # whose other fields are names
        what: list[Hashable] = [cast.domain, cast.op_type, *sorted(cast.attributes.items(), key=lambda item: item[0])]
    else:
        what = [getattr(cast, attribute.name) for attribute in cast.INFO.attributes]
    engine = cast.engine if isinstance(cast, NeuronInst) else None
    return (same_source(cast), cast.type, cast.INFO.name, cast.INFO.dialect, engine, *what)


def _replace(cast: Instruction, earlier: Instruction) -> None:
    """Let an earlier cast stand in for an equal one, with its marks."""
    if earlier.rounding is None:
        earlier.rounding = cast.rounding
    if cast.keep_alu_dtype:
        earlier.keep_alu_dtype = True
    cast.replaceWith(earlier)
    ShareCasts.shared_casts += 1
