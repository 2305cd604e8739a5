"""The bytes that a function's nodes read and write, summed up by groups: one sum for all nodes of the same types.

Deliberately absent: what counts (`passes/precision/traffic.py`), which the sums here agree with. Also absent: loops and
predicates. Where there are any, each instruction is looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from passes.precision.decide import Decisions
from passes.precision.groups import Group
from passes.precision.survey import Survey
from passes.precision.traffic import Traffic, traffic_of
from passes.precision.uses import parts_of
from runtime.instructions import Instruction
from runtime.types import Type
from runtime.values import Operand


def traffic_before(survey: Survey) -> Traffic:
    """Return what a function reads and writes before it is changed."""
    if not survey.runs_once:
        return traffic_of(survey.insts)
    counts: Counter[Type] = Counter()
    for group in filter(_is_counted, survey.groups):
        _add(counts, (*group.operands, *group.results), len(group.insts))
    return traffic_of(survey.others) + _traffic(counts)


def traffic_after(decisions: Decisions, casts: Mapping[Instruction, Operand]) -> Traffic:
    """Return what a function reads and writes after it was changed as decided, where nothing was taken out of it.

    `casts` were put in; each reads one value.
    """
    survey = decisions.survey
    if not survey.runs_once:
        return traffic_of([*survey.insts, *casts])
    counts = Counter([cast.type for cast in casts])
    counts.update([value.type for value in casts.values()])
    for group in filter(_is_counted, survey.groups):
        for rows, slots, dtype in parts_of(group, decisions):
            free = [at for at in group.form.any_slots if at < len(group.operands)]
            low = {
                type: type if type is None or dtype is None else type.with_dtype(dtype) for type in _low(group, slots)
            }
            read = enumerate(group.operands)
            _add(counts, [low[type] if at in slots else type for at, type in read if at not in free], len(rows))
            for at in free:
                counts.update([value.type for _, held in rows if (value := held[at]) is not None])
            if group.form.contents:  # some of which may have been rounded
                counts.update([result.type for inst, _ in rows for result in inst.results])
            else:
                _add(counts, [result.type for result in rows[0][0].results], len(rows))
    return traffic_of(survey.others) + _traffic(counts)


def _is_counted(group: Group) -> bool:
    return not group.form.has_regions and group.insts[0].INFO.op_kind != "boundary"


def _low(group: Group, slots: Iterable[int]) -> set[Type | None]:
    """Return the types that operands have where a lower float is read."""
    return {group.operands[at] for at in slots}


def _add(counts: Counter[Type], types: Iterable[Type | None], times: int) -> None:
    for type, count in Counter(types).items():
        if type is not None:
            counts[type] += count * times


def _traffic(counts: Counter[Type]) -> Traffic:
    """Return what values of some types come to, each read or written so many times."""
    sizes = [(type.size_in_bytes, count) for type, count in counts.items()]
    known = sum([size * count for size, count in sizes if size is not None])
    return Traffic(known, sum([count for size, count in sizes if size is None]))
