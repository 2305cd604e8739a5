"""Removes what nobody would miss: unused values, stores to tensors that nobody reads, tensors that nobody accesses.

Before:

    tensor %t: f32[128,512] sbuf
    %t = activation gelu %x                      // nobody reads %t
    for %i = 0 step 1 times 4 {
      %a: f32[128,512] = activation exp %x
      %b: bf16[128,512] = tensor_copy %a         // nobody uses %b
    }

After: nothing of it.

It must not fire on
- what a live statement needs, however far up: operands, every store to a tensor that it reads, the loops and regions
  around it and what their ends hand out;
- what ends a block, barriers, side effects, instructions and operators of which nothing is known;
- inputs and outputs, be they tensors or instructions, stores to them, and constant tensors;
- an instruction between two dependency edges.

Why it is safe. `passes/cleanup/liveness.py` marks what is live, from what is noticed by itself to all that this needs.
Nothing live uses a value that a dead statement gives, nor reads a tensor that one writes. So a run without the dead
ones takes the same way through the live ones with the same numbers: no result changes, no rounding is removed or added.
The mark `rounding = user` keeps nothing alive: it is about numbers that somebody sees.

The program is taken apart from its end: whoever uses a dead value is dead, stands further on, and is gone by then. So a
run that is stopped after any rewrite leaves a whole program. A loop or region instruction that is dead goes as one.
Marking finds cycles dead, too, so there is no second round, and a second run changes nothing.

Deliberately absent: what becomes of a loop that would not have ended, or of an instruction that would have failed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from passes.cleanup.liveness import live_statements, why_root
from passes.framework.dot_transform import DotTransform
from runtime.blocks import Block, Statement
from runtime.functions import Function
from runtime.instructions import Instruction
from runtime.statistics import Unit, register_stats


class EliminateDeadCode(DotTransform):
    """Remove values that nobody uses, stores that nobody reads, and tensors that nobody accesses."""

    pass_name = "eliminate-dead-code"

    erased_instructions: ClassVar[int] = 0
    dropped_tensors: ClassVar[int] = 0
    dropped_bytes: ClassVar[int] = 0
    register_stats(
        erased_instructions=("Number of dead instructions erased", Unit.Count),
        dropped_tensors=("Number of dead tensors dropped", Unit.Count),
        dropped_bytes=("Number of bytes of dead tensors", Unit.Bytes),
    )

    def transformStmts(self, f: Function) -> bool:
        return self._sweep(f.body, live_statements(f))

    def afterStmtTransform(self, f: Function) -> None:
        if not any(
            not (tensor.has_users or tensor.isInputOrOutput or tensor.is_const) for tensor in f.tensors.values()
        ):
            return
        if self.may_rewrite():
            for tensor in f.dropDeadTensors():
                EliminateDeadCode.dropped_tensors += 1
                EliminateDeadCode.dropped_bytes += tensor.type.size_in_bytes or 0
            self.changed = True

    def why_kept(self, f: Function) -> Iterator[tuple[Statement, str]]:
        for inst in f.insts:
            if inst.is_terminator or any(result.has_users for result in inst.results):
                continue
            reason = why_root(inst, f)
            if reason is not None and not (inst.dst is not None and inst.dst.tensor.isInputOrOutput):
                yield inst, reason  # but for what everybody expects to stay

    def _sweep(self, block: Block, live: set[Statement]) -> bool:
        """Erase what is dead in a block and in those inside it, from the end; return whether anything was."""
        changed = False
        statement = block.last
        while statement is not None:
            before = statement.prev
            if statement in live:
                for inner in reversed(statement.blocks):
                    changed |= self._sweep(inner, live)
            elif self.may_rewrite():
                EliminateDeadCode.erased_instructions += _instructions_in(statement)
                statement.eraseFromParent()
                changed = True
            statement = before
        return changed


def _instructions_in(statement: Statement) -> int:
    inside = sum(1 for block in statement.blocks for _ in block.walk())
    return inside + isinstance(statement, Instruction)
