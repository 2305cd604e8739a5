"""The operand slots of an instruction by position: what each holds, and how a few of them are given something else.

    %y = graph.where %c then %x else %x        slots 0, 1 and 2; `replaceUseOfWith` changes 1 and 2 together

A slot of a definition is one position whether something stands in it or not; what is variadic has a position for each.
Nodes of other dialects and what ends a block have their operands by position anyway.

Deliberately absent: destinations.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from runtime.builtin import Opaque, Terminator
from runtime.generic import GenericInst
from runtime.info import OperandInfo
from runtime.instructions import Instruction
from runtime.values import Operand

Values = tuple[Operand | None, ...]


def values_of(inst: Instruction) -> Values:
    """Return what the slots hold, None where one is empty."""
    if isinstance(inst, (GenericInst, Terminator)):
        return inst.values
    if _has_fixed_slots(inst):
        return inst.operands()
    found: list[Operand | None] = []
    for info in inst.INFO.operands:
        held = getattr(inst, info.name)
        found += held if info.variadic else (held,)
    return tuple(found)


def infos_of(inst: Instruction) -> tuple[OperandInfo, ...]:
    """Return what the definition says of each slot."""
    infos = inst.INFO.operands
    if _has_fixed_slots(inst):
        return infos
    return tuple([info for info in infos for _ in range(_length(inst, info))])


def set_values(inst: Instruction, changes: Mapping[int, Operand]) -> None:
    """Put values into some slots, each of which holds something."""
    if isinstance(inst, (GenericInst, Terminator)):
        inst.set_values(changes)
        return
    assert not isinstance(inst, Opaque)
    infos = inst.INFO.operands
    if _has_fixed_slots(inst):
        for slot, value in changes.items():
            info = infos[slot]
            _exchange(inst, info, getattr(inst, info.name), value)
            setattr(inst, f"_{info.name}", value)  # where a brewed class has it
        return
    first = 0
    for info in infos:
        length = _length(inst, info)
        own = {slot - first: value for slot, value in changes.items() if first <= slot < first + length}
        first += length
        if not own:
            continue
        held = getattr(inst, info.name)
        values = list(held) if info.variadic else [held]
        for at, value in own.items():
            _exchange(inst, info, values[at], value)
            values[at] = value
        setattr(inst, f"_{info.name}", tuple(values) if info.variadic else values[0])


def _exchange(inst: Instruction, info: OperandInfo, old: Operand, new: Operand) -> None:
    """Let an instruction use another operand in a slot, which it is still to hold."""
    new.set_access_mode(info.access)
    new.addUser(inst)
    old.removeUser(inst)


def _length(inst: Instruction, info: OperandInfo) -> int:
    return len(getattr(inst, info.name)) if info.variadic else 1


def _has_fixed_slots(inst: Instruction) -> bool:
    """Whether an instruction has all of its slots, one a name, as nearly all do."""
    cls: Any = type(inst)  # which a cache takes, though mypy finds its hash another one
    has: bool = _class_has_fixed_slots(cls)
    return has


@cache
def _class_has_fixed_slots(cls: Any) -> bool:
    return not any(info.optional or info.variadic for info in cls.INFO.operands)
