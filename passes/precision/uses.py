"""Values of a function and their uses, slot by slot, as the mixed-precision pass rewrites them.

Deliberately absent: decisions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from passes.precision.survey import Survey
from runtime.dtypes import DType, holds
from runtime.functions import Function
from runtime.instructions import Instruction
from runtime.operand_slots import values_of
from runtime.values import Operand, Value

Use = tuple[Instruction, int | None]  # a slot of a node or terminator, or all slots of another instruction
Moves = dict[Instruction, dict[int, Operand]]


def move(group: Sequence[Use], old: Value, new: Value, moves: Moves) -> None:
    """Let uses of a value read another one; those by slots are noted, since all of a user move at once."""
    for user, slot in group:
        if slot is None:
            user.replaceUseOfWith(old, new)
        else:
            moves.setdefault(user, {})[slot] = new


@cache
def loses(before: DType, after: DType) -> bool:
    """Whether a conversion may change values."""
    return not holds(after, before)


def values_in(f: Function, floats: tuple[DType, ...]) -> list[Value]:
    """Return the values of some dtypes: arguments, results, and arguments of regions."""
    values: list[Value] = [argument for argument in f.args if argument.type.dtype in floats]
    for inst in f.insts:
        values += [result for result in inst.results if result.type.dtype in floats]
        for block in inst.blocks:
            values += [argument for argument in block.arguments if argument.type.dtype in floats]
    return values


def uses_of(survey: Survey) -> dict[Operand, list[Use]]:
    """Return the slots that hold a value, by value: looking for them value by value would be quadratic in the slots."""
    found: dict[Operand, list[Use]] = {}
    floats, nodes = survey.floats, survey.nodes
    for inst in survey.insts:
        if inst.is_terminator or inst in nodes:
            uses: Iterable[tuple[Operand | None, int | None]] = [(held, at) for at, held in enumerate(values_of(inst))]
        else:
            uses = [(held, None) for held in dict.fromkeys(inst.operands())]
        for value, slot in uses:
            if value is not None and value.type.dtype in floats:
                found.setdefault(value, []).append((inst, slot))
    return found
