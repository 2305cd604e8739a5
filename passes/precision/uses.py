"""Which values of a function are floats, and who reads them in which slots.

    %b: f16 = Cast %a {to = f16}      a cast from f32 to f32 whose operand became f16, too: its uses read %a

Deliberately absent: decisions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from passes.precision.arithmetic import CONVERT
from passes.precision.decide import Decisions
from passes.precision.facts_of import is_idle_cast
from passes.precision.forms import is_rounded_as_asked
from passes.precision.groups import Group
from passes.precision.survey import Survey
from runtime.dtypes import DType, holds
from runtime.generic import OnnxNode
from runtime.instructions import Instruction
from runtime.operand_slots import Values, values_of
from runtime.values import Operand, Value

Use = tuple[Instruction, int | None]
"""A slot of a node or terminator, or all slots of another instruction."""
Elsewhere = Mapping[tuple[Value, DType], Sequence[Use]]
"""By value and float: the uses that want it."""
_Rows = list[tuple[Instruction, Values]]
Part = tuple[_Rows, frozenset[int], DType | None]
"""Nodes with what their slots hold, the slots that they read in a lower float, and that float."""

_NO_SLOTS: Final[frozenset[int]] = frozenset()


@cache
def loses(before: DType, after: DType) -> bool:
    """Whether a conversion may change values."""
    return not holds(after, before)


def leave_out_casts(decisions: Decisions) -> int:
    """Let what reads a cast from f32 to f32 read its operand where both became one lower float; return how many."""
    gone: set[Instruction] = set()
    if not any(form.is_idle_cast for form in decisions.survey.forms):
        return 0
    for inst, dtype in decisions.dtypes.items():
        if isinstance(inst, Instruction) and is_idle_cast(inst):
            source = values_of(inst)[0]
            if isinstance(source, Value) and decisions.dtypes.get(source) is dtype:
                inst.replaceAllUsesWith(source)
                inst.eraseFromParent()
                gone.add(inst)
    for inst in gone:
        del decisions.dtypes[inst]
    if gone:
        decisions.survey.forget(gone)
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


def uses_elsewhere(decisions: Decisions) -> Elsewhere:
    """Return the uses that want another float than their value gets, by the value and what they want.

    All is in program order. Nearly all uses want what the value gets, so a group of nodes gets one look.
    """
    found: dict[tuple[Operand, DType], list[Use]] = defaultdict(list)
    survey = decisions.survey
    for group in survey.groups:
        if not group.form.has_regions:
            for inst, at, value, wanted in _wishes_of_group(group, decisions):
                found[value, wanted].append((inst, at))
    others = [inst for inst, group in survey.group_of.items() if group.form.has_regions] if survey.gates else []
    for inst in (*others, *survey.others):
        for value, wanted, slot in _wishes(inst, inst in survey.group_of, decisions):
            found[value, wanted].append((inst, slot))
    places = survey.places
    for uses in found.values():
        if len(uses) > 1:
            uses.sort(key=lambda use: places[use[0]])
    return {key: found[key] for key in _in_program_order(found, survey)}


def _in_program_order(found: Mapping[tuple[Any, DType], Sequence[Use]], survey: Survey) -> list[tuple[Any, DType]]:
    """Return values with what is wanted of them, in the order in which they are given, then used."""
    places: dict[Any, int] = survey.places
    values = {value for value, _ in found}
    first = [argument for argument in survey.function.args if argument in values]
    if len(first) + len(values & places.keys()) == len(values):
        order = {**places, **{value: at for at, value in enumerate(first, -len(first))}}
    else:
        order = {value: at for at, value in enumerate(_all_values(survey))}
    if len(values) == len(found):
        return sorted(found, key=lambda key: order[key[0]])

    def place(key: tuple[Any, DType]) -> tuple[int, int, int]:
        user, slot = found[key][0]
        return order[key[0]], places[user], slot or 0

    return sorted(found, key=place)


def _all_values(survey: Survey) -> Iterator[Value]:
    """Yield the values of a function, each before its uses."""
    yield from survey.function.args
    for inst in survey.insts:
        yield from inst.results
        for block in inst.blocks:
            yield from block.arguments


def _wishes_of_group(group: Group, decisions: Decisions) -> list[tuple[Instruction, int, Any, DType]]:
    """Return what the nodes of a group without regions want in another float than it gets, slot by slot."""
    dtypes, found = decisions.dtypes, list[Any]()
    declared = [None if one is None else one.dtype for one in group.operands]
    floats = [at for at, dtype in enumerate(declared) if dtype in decisions.survey.floats]
    for rows, slots, dtype in parts_of(group, decisions) if floats else ():
        for before in dict.fromkeys([declared[at] for at in floats]):
            low = [at for at in floats if at in slots and declared[at] is before]
            found += [
                (inst, at, held[at], dtype)
                for inst, held in rows
                for at in low
                if dtypes.get(held[at], before) is not dtype  # type: ignore[arg-type]  # it holds a float
            ]
        kept = [at for at in floats if at not in slots and at not in group.form.any_slots]
        found += [(inst, at, held[at], declared[at]) for inst, held in rows for at in kept if held[at] in dtypes]
    return found


def parts_of(group: Group, decisions: Decisions) -> list[Part]:
    """Return the nodes of a group by what is decided about them, each part in program order."""
    rows: _Rows = list(zip(group.insts, group.values, strict=True))
    of, converted = decisions.of, decisions.slots
    if converted.keys().isdisjoint(group.insts):
        return [(rows, _NO_SLOTS, None)]
    parts: dict[tuple[frozenset[int], DType | None], _Rows] = {}
    if len({*map(converted.get, group.insts)}) == len({*map(of.get, group.insts)}) == 1:
        parts[converted[group.insts[0]], of[group.insts[0]].dtype] = rows
    for row in rows if not parts else ():
        inst = row[0]
        key = (converted[inst], of[inst].dtype) if inst in converted else (_NO_SLOTS, None)
        parts.setdefault(key, []).append(row)
    return [(some, slots, dtype) for (slots, dtype), some in parts.items()]


def _wishes(inst: Instruction, is_node: bool, decisions: Decisions) -> Iterator[tuple[Operand, DType, int | None]]:
    """Yield what wants another float in what has regions, in what ends a block, and in what reads or writes tensors."""
    if not (is_node or inst.is_terminator):
        for operand in dict.fromkeys(inst.operands()):
            if operand in decisions.dtypes and operand.type.dtype is not None:
                yield operand, operand.type.dtype, None
        return
    for at, value in enumerate(values_of(inst)):
        declared = None if value is None else value.type.dtype
        if value is None or declared is None or declared not in decisions.survey.floats:
            continue
        wanted = decisions.wanted(inst, at, declared)
        if wanted is not None and wanted is not decisions.dtypes.get(value, declared):
            yield value, wanted, at
