"""Low values that no product touches: they would cost casts and gain nothing, so they stay as they are.

    %a = Softmax %x        %b: f16 = Mul %a16, %k        %c = Softmax %b32        two casts around one Mul

That is so where no product is low, too, whatever keeps them. It must not be seen where a function has no product at
all: there the policy is all that a user has said. What an override has made low stays low.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Set

from passes.precision.regions import Gate
from passes.precision.survey import Survey
from runtime.instructions import Instruction
from runtime.values import Result

Reads = Mapping[Instruction, frozenset[int]]
"""By instruction: the operand slots that hold the lower float."""


def idle_instructions(
    survey: Survey,
    low: Set[Instruction],
    values: Container[object],
    reads: Reads,
    gates: Iterable[Gate],
    wanted: Set[Instruction],
) -> set[Instruction]:
    """Return the instructions among `low` that no product is connected with, through `values` that are low.

    `wanted` are those that a user has asked for by themselves, product or not.
    """
    if not any(form.is_product for form in survey.forms):
        return set()
    links: dict[object, list[object]] = defaultdict(list)  # both ways, some of them twice
    nodes = survey.nodes
    for user, slots in reads.items():
        held = nodes[user].values
        for at in slots:
            value = held[at]
            if value in values:
                home = value.owner if isinstance(value, Result) else value
                links[home].append(user)
                links[user].append(home)
    for gate in gates:
        for one in (*gate.sources, *gate.targets):
            home = one.owner if isinstance(one, Result) else one
            links[home].append(gate.inst)
            links[gate.inst].append(home)
    busy: set[object] = set()
    queue: list[object] = [inst for inst in low if is_product(survey, inst) or inst in wanted]
    while queue:
        reached = queue.pop()
        if reached not in busy:
            busy.add(reached)
            queue += links.get(reached, ())
    return {inst for inst in low if inst not in busy}


def is_product(survey: Survey, inst: Instruction) -> bool:
    """Whether an instruction multiplies and adds up; what has regions leaves that to what stands in them."""
    return inst in survey.nodes and survey.nodes[inst].form.is_product
