"""Which values of a function are floats, and who reads them in which slots.

    %b: f16 = Cast %a {to = f16}      a cast from f32 to f32 whose operand became f16, too: its uses read %a

Deliberately absent: decisions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from passes.precision.arithmetic import CONVERT
from passes.precision.decide import Decisions
from passes.precision.facts_of import is_idle_cast
from passes.precision.forms import is_rounded_as_asked
from passes.precision.survey import Survey
from runtime.dtypes import DType, holds
from runtime.generic import OnnxNode
from runtime.instructions import Instruction
from runtime.operand_slots import values_of
from runtime.values import Operand, Value

Use = tuple[Instruction, int | None]
"""A slot of a node or terminator, or all slots of another instruction."""
Moves = dict[Instruction, dict[int, Operand]]
"""What the slots of users are to hold."""


_NO_SLOTS: Final[frozenset[int]] = frozenset()


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


def values_in(survey: Survey) -> Iterator[Value]:
    """Yield the values of a function that are one of the floats of its survey, each before its uses."""
    floats, nodes = survey.floats, survey.nodes
    yield from [argument for argument in survey.function.args if argument.type.dtype in floats]
    for inst in survey.insts:
        node = nodes.get(inst)
        if node is None:
            yield from [result for result in inst.results if result.type.dtype in floats]
        else:
            yield from node.results
        for block in inst.blocks:
            yield from [argument for argument in block.arguments if argument.type.dtype in floats]


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


def uses_elsewhere(decisions: Decisions) -> dict[Operand, dict[DType, list[Use]]]:
    """Return the uses of each value that want another float than the one which it gets, by what they want.

    Nearly all uses want what the value gets, so this looks at what each instruction reads, once.
    """
    found: dict[Operand, dict[DType, list[Use]]] = defaultdict(lambda: defaultdict(list))
    dtypes, nodes, decided = decisions.dtypes, decisions.survey.nodes, decisions.of
    for inst in decisions.survey.insts:
        node = nodes.get(inst)
        if node is None or node.form.has_regions:
            for one, wanted, slot in _wishes(inst, node is not None, decisions):
                found[one][wanted].append((inst, slot))
            continue
        low = decisions.slots.get(inst, _NO_SLOTS)
        dtype = decided[inst].dtype if low else None
        for at, value in enumerate(values_of(inst)):
            if value is None:
                continue
            if dtype is not None and at in low:
                if dtypes.get(value, value.type.dtype) is not dtype:
                    found[value][dtype].append((inst, at))
            elif value in dtypes and at not in node.form.any_slots:
                found[value][value.dtype].append((inst, at))
    return found


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
