"""Which values of a function are floats, and who reads them in which slots.

    %b: f16 = Cast %a {to = f16}      a cast from f32 to f32 whose operand became f16, too: its uses read %a

Deliberately absent: decisions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from passes.precision.arithmetic import CONVERT
from passes.precision.decide import Decisions
from passes.precision.facts_of import is_idle_cast
from passes.precision.forms import is_rounded_as_asked
from passes.precision.survey import Survey
from runtime.dtypes import DType, holds
from runtime.functions import Function
from runtime.generic import OnnxNode
from runtime.instructions import Instruction
from runtime.operand_slots import values_of
from runtime.values import Operand, Value

Use = tuple[Instruction, int | None]
"""A slot of a node or terminator, or all slots of another instruction."""
Moves = dict[Instruction, dict[int, Operand]]
"""What the slots of users are to hold."""


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
    """Return the values of a function that are one of some floats, each with its definition before its uses."""
    values: list[Value] = [argument for argument in f.args if argument.type.dtype in floats]
    for inst in f.insts:
        for result in inst.results:
            if result.type.dtype in floats:
                values.append(result)
        for block in inst.blocks:
            values += [argument for argument in block.arguments if argument.type.dtype in floats]
    return values


def leave_out_casts(decisions: Decisions) -> int:
    """Let what reads a cast from f32 to f32 read its operand where both became one lower float; return how many."""
    gone: set[Instruction] = set()
    for inst, dtype in decisions.dtypes.items():
        if isinstance(inst, Instruction) and is_idle_cast(inst):
            source = values_of(inst)[0]
            if isinstance(source, Value) and decisions.dtypes.get(source) is dtype:
                inst.replaceAllUsesWith(source)
                inst.eraseFromParent()
                gone.add(inst)
    if gone:
        decisions.survey.insts = [inst for inst in decisions.survey.insts if inst not in gone]
    return len(gone)


def converting_copies(decisions: Decisions) -> dict[Instruction, DType | None]:
    """Return the copies that are there to convert, with what they convert from; none where no kind decides alone."""
    found: dict[Instruction, DType | None] = {}
    for node in decisions.survey.nodes.values() if decisions.policy.by_kind else ():
        inst, facts = node.inst, node.facts
        if facts is None or facts.computes != CONVERT or isinstance(inst, OnnxNode):
            continue
        if not ("keeps_dtype" in inst.INFO.facts or is_rounded_as_asked(inst) or inst.is_predicated):
            found[inst] = inst.operands()[0].type.dtype
    return found


def leave_out_copies(copies: Mapping[Instruction, DType | None]) -> list[Instruction]:
    """Let what reads a converting copy read its operand where that became what the copy gives; return them.

    A second run would see data that is moved where the first saw a conversion, and they are of different kinds.
    """
    gone = []
    for copy in copies:
        source = values_of(copy)[0]
        if copy.parent is not None and source is not None and source.type == copy.type:
            copy.replaceWith(source)
            gone.append(copy)
    return gone


def uses_of(survey: Survey) -> dict[Operand, list[Use]]:
    """Return the slots that hold a value, by value: looking for them value by value would be quadratic in the slots."""
    found: dict[Operand, list[Use]] = {}
    floats, nodes = survey.floats, survey.nodes
    for inst in survey.insts:
        if inst in nodes or inst.is_terminator:
            held_by = values_of(inst)
            uses: Iterable[tuple[Operand | None, int | None]] = zip(held_by, range(len(held_by)), strict=True)
        else:
            uses = [(held, None) for held in dict.fromkeys(inst.operands())]
        for value, slot in uses:
            if value is not None and value.type.dtype in floats:
                known = found.get(value)
                if known is None:
                    found[value] = [(inst, slot)]
                else:
                    known.append((inst, slot))
    return found
