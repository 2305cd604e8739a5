"""Low values that no product touches: they would cost casts and gain nothing, so they stay as they are.

    %a = Softmax %x        %b: f16 = Mul %a16, %k        %c = Softmax %b32        two casts around one Mul

That is so where no product is low, too, whatever keeps them. It must not be seen where a function has no product at
all: there the policy is all that a user has said. What an override has made low stays low.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence, Set

from passes.precision.regions import Gate
from passes.precision.survey import Survey
from runtime.instructions import Instruction
from runtime.values import BlockArgument, Result, Value

Reads = Mapping[Instruction, frozenset[int]]
"""By instruction: the operand slots that hold the lower float."""


def idle_instructions(
    survey: Survey,
    low: Set[Instruction],
    values: Container[object],
    reads: Reads,
    gates: Sequence[Gate],
    wanted: Set[Instruction],
) -> set[Instruction]:
    """Return the instructions among `low` that no product is connected with, through `values` that are low.

    `wanted` are those that a user has asked for by themselves, product or not.
    """
    if not any(form.is_product for form in survey.forms):
        return set()
    busy: set[object] = {*(low & wanted)}
    for group in survey.groups:
        if group.form.is_product:
            busy.update([inst for inst in group.insts if inst in low])
    _spread_forward(survey, values, reads, busy)
    left = {inst for inst in low if inst not in busy}
    if left:
        reached = _reached(_links(survey, left, values, reads, gates), busy)
        left = {inst for inst in left if inst not in reached}
    return left


def _spread_forward(survey: Survey, values: Container[object], reads: Reads, busy: set[object]) -> None:
    """Add what reads what is busy, in program order: nearly all that products are connected with, without any links."""
    for inst, held in zip(survey.group_of, survey.values, strict=True):
        if inst in busy or inst not in reads:
            continue
        for at in reads[inst]:
            value = held[at]
            if value in values and (value.owner if isinstance(value, Result) else value) in busy:
                busy.add(inst)
                break


def _links(
    survey: Survey, left: Set[Instruction], values: Container[object], reads: Reads, gates: Iterable[Gate]
) -> Mapping[object, Sequence[object]]:
    """Return what is connected with what, both ways and some twice, but for links between what is busy already."""
    links: dict[object, list[object]] = defaultdict(list)

    def link(home: object, inst: Instruction) -> None:
        links[home].append(inst)
        links[inst].append(home)

    given: list[Value] = [result for inst in left for result in inst.results]
    for gate in gates:
        given += [target for target in gate.targets if isinstance(target, BlockArgument)]
        for one in (*gate.sources, *gate.targets):
            link(one.owner if isinstance(one, Result) else one, gate.inst)
    for value in given:
        for user in value.users if value in values else ():
            if any(survey.nodes[user].values[at] is value for at in reads.get(user, ())):
                link(value.owner if isinstance(value, Result) else value, user)
    return links


def _reached(links: Mapping[object, Sequence[object]], busy: Set[object]) -> set[object]:
    """Return what is connected with what is busy."""
    reached: set[object] = set()
    queue = [one for one in links if one in busy]
    while queue:
        one = queue.pop()
        if one not in reached:
            reached.add(one)
            queue += links[one]
    return reached
