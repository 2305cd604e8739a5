"""What runs between two statements: the questions about time that copies ask, with answers that serve a whole pass.

A copy is a moment in each run of its block. What reads its result stands further on in that block, or inside a
statement there; `passes/later_reads.py` has the argument why only what stands between the two counts then, and all that
is inside the statement that holds the reader. What fills its source stands in front of it in that block, or inside a
statement there; only what stands from that statement on to the copy counts.

The stores to a tensor are looked up once for all copies of it, as long as they stay: a tensor may have 100,000 of both.
`replace` keeps that true; whoever adds or takes away a store says so by `forget`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from passes.later_reads import Orders, orders_by_block, orders_of_barriers
from runtime.blocks import Statement
from runtime.dominance import ancestor_in
from runtime.functions import Function
from runtime.instructions import Instruction
from runtime.tensors import Tensor, TensorUtils


class Moments:
    """Answers about the statements of one function."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._barriers = orders_of_barriers(function)
        self._stores: dict[Tensor, Orders] = {}

    def forget(self, *tensors: Tensor) -> None:
        """Look the stores of these tensors up anew: they have changed."""
        for tensor in tensors:
            self._stores.pop(tensor, None)

    def why_not_after(self, copy: Instruction, user: Instruction) -> str | None:
        """Return why a user does not always see what the last run of `copy` has written."""
        behind = self._behind(copy, user)
        return behind if isinstance(behind, str) else None

    def why_not_read_later(self, copy: Instruction, source: Tensor, user: Instruction) -> str | None:
        """Return why `user`, which sees what `copy` has written, may not read `source` itself at its own place."""
        behind = self._behind(copy, user)
        if isinstance(behind, str):
            return behind
        if _comes_between(self._stores_of(source), copy, behind):
            return f"a store to %{source.name} can run between it and {user.INFO.mnemonic}"
        if _comes_between(self._barriers, copy, behind):
            return f"a barrier can run between it and {user.INFO.mnemonic}"
        return None

    def _behind(self, copy: Instruction, user: Instruction) -> Statement | str:
        """Return the statement behind `copy` in its block that is, or holds, a user; or why there is none."""
        block = copy.parent
        assert block is not None
        behind = ancestor_in(block, user)
        if behind is None:
            return f"{user.INFO.mnemonic} stands outside of its block"
        return behind if copy is not behind and copy.comes_before(behind) else f"{user.INFO.mnemonic} stands before it"

    def why_not_write_earlier(self, copy: Instruction, store: Instruction) -> str | None:
        """Return why `store`, to what `copy` reads, may not write to where the copy writes."""
        block = copy.parent
        assert block is not None
        before = ancestor_in(block, store)
        if before is None:
            return f"{store.INFO.mnemonic}, which writes its source, stands outside of its block"
        if before is copy or not before.comes_before(copy):
            return f"{store.INFO.mnemonic} writes its source after it"
        found = self._barriers.get(block, ())
        if bisect_left(found, before.order) != bisect_right(found, copy.order):
            return f"a barrier stands between {store.INFO.mnemonic}, which writes its source, and it"
        return None

    def replace(self, old: Instruction, new: Instruction) -> None:
        """Put `new` where `old` stands, and erase that; answers stay right unless the stores of a tensor change."""
        block = old.parent
        assert block is not None
        block.number()
        order = old.order
        new.insertBefore(old)
        block.number()
        renumbered = old.order != order
        old.eraseFromParent()
        new.order = old.order  # its neighbours are the same ones, so that this is between them
        if renumbered:  # there was no room
            self._stores.clear()
            self._barriers = orders_of_barriers(self._function)

    def _stores_of(self, tensor: Tensor) -> Orders:
        found = self._stores.get(tensor)
        if found is None:
            found = self._stores[tensor] = orders_by_block(TensorUtils.store_insts(tensor))
        return found


def _comes_between(orders: Orders, copy: Statement, behind: Statement) -> bool:
    """Whether one of some statements may run between two statements of a block."""
    assert copy.parent is not None
    found = orders.get(copy.parent)
    return found is not None and bisect_right(found, copy.order) != bisect_right(found, behind.order)


def same_block(one: Statement, other: Statement) -> bool:
    """Whether two statements run equally often, one for one."""
    return one.parent is other.parent
