"""Which statement or value is there whenever another one runs: dominance.

Control flow is loops and regions, so the tree of blocks answers it. A statement dominates those behind it in its block
and whatever stands inside them; not what stands inside itself, for the results of a loop or an instruction are there
when it has run. What stands in a loop or region that may not run dominates nothing outside of it.

Deliberately absent: anything stored beside the program, so edits cannot make an answer stale. An answer costs the
depth of the blocks; the first one after an insertion without room numbers a block anew.
"""

from __future__ import annotations

from runtime.blocks import Block, Statement
from runtime.instructions import Instruction
from runtime.tensors import Tensor
from runtime.types import Type
from runtime.values import BlockArgument, Result, Value

_NONE = Type.none()


def dominates(a: Statement | Value, b: Statement) -> bool:
    """Whether `a` has run, or has its value, whenever `b` begins to run; nothing dominates itself.

    A tensor dominates the statements of its function, an argument those of its block.
    """
    if isinstance(a, Result):
        a = a.owner
    if isinstance(a, Tensor):
        return a.function is not None and a.function is b.parent_function
    if isinstance(a, BlockArgument):
        return ancestor_in(a.block, b) is not None
    assert isinstance(a, Statement), f"{a!r} stands nowhere"
    block = a.parent
    if block is None:
        return False
    below: Statement | None = b if b.parent is block else ancestor_in(block, b)
    return below is not None and below is not a and a.comes_before(below)


def is_visible(value: Value, at: Instruction) -> bool:
    """Whether the instruction `at` may use `value`: it is a result or an argument, and is there."""
    if isinstance(value, Instruction):
        if value.type is _NONE or value.dst is not None:  # it gives nothing, or writes a tensor
            return False
        block = value.parent
        if block is not None and block is at.parent:  # nearly always
            block.number()
            return value.order < at.order
    elif isinstance(value, Result) and value not in value.owner.results:
        return False
    return dominates(value, at)


def comes_first(a: Statement, b: Statement) -> bool:
    """Whether `a` stands before `b` in program order, in different blocks too; not where one is inside the other."""
    block = nearest_common_block(a, b)
    if block is None:
        return False
    first, second = ancestor_in(block, a), ancestor_in(block, b)
    assert first is not None and second is not None, "the block holds both"
    if first is not second:
        return first.comes_before(second)
    if a is first or b is first:
        return False
    region = next(inner for inner in first.blocks if ancestor_in(inner, a) or ancestor_in(inner, b))
    return ancestor_in(region, a) is not None  # and `b` in a later one


def nearest_common_block(a: Statement, b: Statement) -> Block | None:
    """Return the innermost block that holds both, be it deep inside; None where they are in different functions.

    Where one is inside the other, it is the block of the outer one.
    """
    above = {around: None for around in blocks_around(a)}
    return next((block for block in blocks_around(b) if block in above), None)


def ancestor_in(block: Block, statement: Statement) -> Statement | None:
    """Return the statement of `block` that is, or holds, `statement`; None where the block does not hold it."""
    current: Statement = statement
    while current.parent is not block:
        owner = None if current.parent is None else current.parent.owner
        if not isinstance(owner, Statement):
            return None
        current = owner
    return current


def blocks_around(statement: Statement) -> list[Block]:
    """Return the blocks around a statement, innermost first; none where it stands nowhere."""
    parents = [statement.parent, *(around.parent for around in statement.enclosing)]
    return [parent for parent in parents if parent is not None]
