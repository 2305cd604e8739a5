"""The float values that serve as indices, sizes or lengths, and those that only serve as operands that stay f32.

A float of 16 bits holds the integers up to 2048 or 256, so what computes an index must not be narrowed. The slice goes
back from index operands and from casts to integers, through what works element by element or moves data. It stops at
what accumulates: a network that ends in a cast to integers does not compute an index.

One such use is enough, and the other users stay f32 too: of a coordinate, the floor is an index and the fraction a
weight, and both are wrong when it is narrowed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runtime.dtypes import f32
from runtime.generic import OnnxNode
from runtime.instructions import Instruction
from runtime.precision_facts import PrecisionFacts
from runtime.values import Value

_THROUGH = ("elementwise", "data_movement")


def index_values(insts: Sequence[Instruction], facts: Mapping[Instruction, PrecisionFacts | None]) -> set[Value]:
    """Return the results among `insts`, which are in program order, that must stay f32 for what they serve as."""
    found: set[Value] = set()
    for inst in reversed(insts):
        for result in inst.results:
            if result.type.dtype is not f32 or not result.has_users:
                continue
            uses = [_use_of(user, result, facts.get(user), found) for user in result.users]
            if "index" in uses or all(use == "f32" for use in uses):
                found.add(result)
    return found


def _use_of(user: Instruction, value: Value, facts: PrecisionFacts | None, found: set[Value]) -> str:
    """Return what a value serves as in one user: `index`, `f32` (an operand that stays f32), or `data`."""
    if not isinstance(user, OnnxNode) or facts is None:
        return "data"
    roles = {facts.operands.get(at) for at, held in enumerate(user.values) if held is value}
    if "index" in roles:
        return "index"
    if roles == {"f32"}:
        return "f32"
    if user.op_type == "Cast":
        return "index" if user.type.dtype is not None and user.type.dtype.is_int else "data"
    through = not user.blocks and facts.op_kind in _THROUGH
    return "index" if through and any(result in found for result in user.results) else "data"
