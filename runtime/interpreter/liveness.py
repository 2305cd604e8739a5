"""When a value is needed for the last time, so that a run keeps no more than it needs.

Deliberately absent: tensors. They are buffers, and their memory lives as long as the function runs.
"""

from __future__ import annotations

from collections.abc import Mapping

from runtime.blocks import Block, Statement
from runtime.dominance import ancestor_in
from runtime.values import Value

LastUses = Mapping[Statement, list[Value]]
"""The values of a block that nobody needs after a statement of this block."""


def last_uses(block: Block) -> LastUses:
    """Return after which statement of a block each of its values may be forgotten.

    A use inside a loop or a region counts as one of the statement around it, which may run it again. An argument that
    nobody uses is kept.
    """
    block.number()
    found: dict[Statement, list[Value]] = {}
    for argument in block.arguments:
        last = _last_user(argument, block)
        if last is not None:
            found.setdefault(last, []).append(argument)
    for statement in block:
        for result in statement.results:
            found.setdefault(_last_user(result, block) or statement, []).append(result)
    return found


def _last_user(value: Value, block: Block) -> Statement | None:
    last: Statement | None = None
    for user in value.users:
        around = ancestor_in(block, user)
        if around is not None and (last is None or around.order > last.order):
            last = around
    return last
